"""Settings: five layers, the nearest wins, and nothing that is not a setting passes unnoticed."""

from __future__ import annotations

import itertools
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.app.settings import Settings, load_settings
from tether.app.settings.layers import line_of
from tether.app.settings.table import BY_KEY, SETTINGS, TABLES, defaults, template, values_of
from tether.app.settings.values import EXTRACTIVE, hidden
from tether.ask.errors import InvalidSettings
from tether.ask.settings import AskSettings

NOBODY: dict[str, str] = {}


def problems(
    folder: Path, *, environ: dict[str, str] = NOBODY, flags: dict[str, object] | None = None
) -> list[str]:
    with pytest.raises(InvalidSettings) as caught:
        load_settings(flags or {}, environ=environ, folder=folder)
    return [f"{problem.path} {problem.message}" for problem in caught.value.problems]


def project(folder: Path, text: str) -> Path:
    (folder / "tether.toml").write_text(text, encoding="utf-8")
    return folder


def test_without_anything_the_defaults_hold_below_the_folder(tmp_path: Path) -> None:
    loaded = load_settings({}, environ=NOBODY, folder=tmp_path)
    assert loaded.settings.model == EXTRACTIVE
    assert loaded.settings.ask == AskSettings()
    assert loaded.settings.index == tmp_path / ".tether/index"
    assert loaded.settings.data == tmp_path / ".tether", "nobody has no home"
    assert loaded.settings.store == str(tmp_path / ".tether/store.db")
    assert not loaded.settings.is_endpoint
    assert {str(origin) for origin in loaded.origins.values()} == {"default"}
    assert set(loaded.origins) == set(BY_KEY)


@pytest.mark.parametrize(
    "layers",
    [set(some) for count in range(5) for some in itertools.combinations(range(4), count)],
    ids=str,
)
def test_the_nearest_layer_wins(layers: set[int], tmp_path: Path) -> None:
    """Numbered from the farthest: user file, project file, variable, flag."""
    config, folder = tmp_path / "config", tmp_path / "work"
    (config / "tether").mkdir(parents=True)
    folder.mkdir()
    environ = {"XDG_CONFIG_HOME": str(config)}
    flags: dict[str, object] = {"ask.passages": None}
    if 0 in layers:
        (config / "tether" / "config.toml").write_text("[ask]\npassages = 10\n")
    if 1 in layers:
        project(folder, "ask.passages = 11\n")
    if 2 in layers:
        environ["TETHER_ASK_PASSAGES"] = "12"
    if 3 in layers:
        flags["ask.passages"] = "13"
    loaded = load_settings(flags, environ=environ, folder=folder)
    assert loaded.settings.ask.passages == (10 + max(layers) if layers else 12)
    origin = str(loaded.origins["ask.passages"])
    expected = {
        -1: "default",
        0: f"user file {config}/tether/config.toml:2",
        1: f"project file {folder}/tether.toml:1",
        2: "variable TETHER_ASK_PASSAGES",
        3: "flag",
    }
    assert origin == expected[max(layers, default=-1)]


def test_the_users_file_lies_at_home_without_another_place(tmp_path: Path) -> None:
    place = tmp_path / ".config" / "tether"
    place.mkdir(parents=True)
    (place / "config.toml").write_text('owner = "ada"\n')
    environ = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": "relative"}
    loaded = load_settings({}, environ=environ, folder=tmp_path)
    assert loaded.settings.owner == "ada"
    assert loaded.files == (place / "config.toml",)


def test_a_projects_file_holds_below_its_folder_and_its_paths_are_relative_to_it(
    tmp_path: Path,
) -> None:
    one = load_settings({}, environ=NOBODY, folder=project(tmp_path, 'docs = "guide"\n'))
    assert one.settings.docs == (str(tmp_path / "guide"),)
    project(tmp_path, 'docs = ["guide", "https://docs.example.org/"]\nstore = "here.db"\n')
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    settings = load_settings({"model": "m.gguf"}, environ=NOBODY, folder=below).settings
    assert settings.docs == (str(tmp_path / "guide"), "https://docs.example.org/")
    assert settings.store == str(tmp_path / "here.db")
    assert settings.index.parent == tmp_path / ".tether/indexes", "nobody has no home"
    assert settings.model == str(below / "m.gguf"), "a flag is relative to where it was typed"


def test_every_setting_can_be_a_variable(tmp_path: Path) -> None:
    texts: dict[str, tuple[str, object]] = {
        "docs": ("/a, https://b.example/ ,", ("/a", "https://b.example/")),
        "index": ("/i", Path("/i")),
        "data": ("/d", Path("/d")),
        "wait": ("yes", True),
        "store": ("postgresql://u@h/db", "postgresql://u@h/db"),
        "model": ("https://m.example/v1", "https://m.example/v1"),
        "web": ("a.example, *.b.example ,", ("a.example", "*.b.example")),
        "wire": ("responses", "responses"),
        "style": ("tools", "tools"),
        "judge": ("off", "off"),
        "window": ("9000", 9000),
        "temperature": ("0.5", 0.5),
        "timeout": ("30", 30.0),
        "verifier": ("/v.ONNX", "/v.ONNX"),
        "offline": ("Yes", True),
        "tools": ("math, time", ("math", "time")),
        "embedder.url": ("https://e.example/v1", "https://e.example/v1"),
        "reranker.url": ("https://r.example", "https://r.example"),
        "reranker.shape": ("jina", "jina"),
        "web_search.url": ("https://s.example", "https://s.example"),
        "web_search.shape": ("post", "post"),
        "telemetry.url": ("https://t.example", "https://t.example"),
        "telemetry.content": ("on", True),
        "ask.code": ("allow", "allow"),
        "ask.tier": ("third-party-public", "third-party-public"),
        "ask.rewrite": ("off", False),
        "ask.remember": ("0", False),
        "ask.hypothesis": ("1", True),
        "ask.follow_ups": ("no", False),
        "ask.address_check": ("FALSE", False),
        "ask.second_opinion": ("on", True),
    }
    for key in BY_KEY.keys() - texts.keys():
        is_text = isinstance(defaults()[key], str)
        texts[key] = ("some", "some") if is_text else ("7", 7)
    environ = {setting.variable: texts[setting.key][0] for setting in SETTINGS}
    loaded = load_settings({}, environ=environ, folder=tmp_path)
    assert values_of(loaded.settings) == {key: value for key, (_, value) in texts.items()}
    assert loaded.settings.is_endpoint
    assert loaded.settings.is_postgres
    assert {origin.kind for origin in loaded.origins.values()} == {"variable"}


def test_empty_variables_and_those_of_an_orchestrator_say_nothing(tmp_path: Path) -> None:
    environ = {
        "TETHER_OWNER": "",
        "TETHER_SERVICE_HOST": "10.0.0.1",
        "TETHER_PORT": "tcp://10.0.0.1:80",
        "TETHER_PORT_80_TCP": "tcp://10.0.0.1:80",
        "OTHER": "1",
    }
    loaded = load_settings({}, environ=environ, folder=tmp_path)
    assert {origin.kind for origin in loaded.origins.values()} == {"default"}


def test_an_unknown_key_is_named_with_file_line_and_the_nearest_known(tmp_path: Path) -> None:
    project(tmp_path, '# mine\nmodle = "extractive"\n\n[ask]\npasages = 3\n[deep]\nqqq = 1\n')
    environ = {"TETHER_ASK_RETRYS": "1", "TETHER_STILE": "auto"}
    told = problems(tmp_path, environ=environ, flags={"retries": "1", "zzzzzz": 1})
    path = tmp_path / "tether.toml"
    assert told == [
        f"{path}:2: modle is not a setting; did you mean model?",
        f"{path}:5: ask.pasages is not a setting; did you mean ask.passages?",
        f"{path}:7: deep.qqq is not a setting; `tether config show` lists them all",
        "variable TETHER_ASK_RETRYS is not a setting; did you mean ask.retries?",
        "variable TETHER_STILE is not a setting; did you mean style?",
        "retries is not a setting; did you mean ask.retries?",
        "zzzzzz is not a setting; `tether config show` lists them all",
    ]


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("docs = 3", "must be a folder, a file or an address, or a list of them"),
        ("docs = [3]", "must be a folder, a file or an address, or a list of them"),
        ('docs = [" "]', "must be a folder"),
        ("index = []", "must be the name of an index or the path of its folder"),
        ('index = "a\\u0000b"', "must be the name of an index or the path of its folder"),
        ('index = "~nobody-of-that-name/x"', "must have a home folder that is known"),
        ('store = "mysql://host/db"', "must be the path of a file or an address postgresql"),
        ("store = true", "must be the path of a file or an address postgresql"),
        ('model = "gpt-4o"', "must be 'extractive', a file that ends in .gguf, an address"),
        ('model = "ftp://host/m.gguf"', "must be 'extractive'"),
        ("model = 1", "must be 'extractive'"),
        ("tools = 3", "must be some of math, statistics"),
        ('tools = ["memory"]', "must be some of math, statistics"),
        ('embedder.url = "localhost:80"', "must be an address http(s)://…"),
        ("embedder.url = 3", "must be an address http(s)://…"),
        ("embedder = 3", "must be a table: write [embedder] and its settings below"),
        ('verifier = "best"', "must be 'shipped', 'none', or a file that ends in .onnx"),
        ('verifier = "https://host/v.onnx"', "must be 'shipped', 'none', or a file"),
        ("verifier = false", "must be 'shipped', 'none', or a file"),
        ('owner = "a\\nb"', "must be a line of text"),
        ("owner = 1", "must be a line of text"),
        ('wire = "soap"', "must be one of chat-completions, responses, anthropic"),
        ("style = 1", "must be one of auto, quotes, links, points, tools"),
        ("window = true", "must be a whole number from 0"),
        ("window = -1", "must be a whole number from 0"),
        ("window = 1.5", "must be a whole number from 0"),
        ("temperature = nan", "must be a number from 0 to 2"),
        ("temperature = 2.1", "must be a number from 0 to 2"),
        ("temperature = false", "must be a number from 0 to 2"),
        ('timeout = "long"', "must be a number from 1 to 86400"),
        ('offline = "yes"', "must be true or false"),
        ("ask.passages = 65", "must be a whole number from 0 to 64"),
        ("ask.patience = -1", "must be a number from 0 to 86400"),
        ("threads = 2.5", "must be a whole number from 0 to 1024"),
        ("gpu_layers = -1", "must be a whole number from 0 to 1000"),
        ("ask = 3", "must be a table: write [ask] and its settings below"),
        ("qqqqqq = {}", "is not a setting; `tether config show` lists them all"),
    ],
)
def test_a_value_of_another_kind_says_what_it_must_be(
    line: str, wanted: str, tmp_path: Path
) -> None:
    [told] = problems(project(tmp_path, line + "\n"))
    assert told.startswith(f"{tmp_path}/tether.toml:1: {line.split(maxsplit=1)[0]} {wanted}")


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("TETHER_WINDOW", "many"),
        ("TETHER_WINDOW", "9" * 30),
        ("TETHER_TEMPERATURE", "warm"),
        ("TETHER_OFFLINE", "perhaps"),
        ("TETHER_JUDGE", "maybe"),
    ],
)
def test_a_variable_of_another_kind_is_named(variable: str, text: str, tmp_path: Path) -> None:
    [told] = problems(tmp_path, environ={variable: text})
    assert told.startswith(f"{variable}: {variable.removeprefix('TETHER_').lower()} must be ")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"docs = [\n", "is not TOML in UTF-8: "),
        (b'a = "x"\na = "y"\n', "line 2"),
        (b'owner = "\xff"\n', "is not TOML in UTF-8: "),
        (b"a = " + b"[" * 5000, "is not TOML in UTF-8: "),
        (b"#" * 1_000_001, "has more than 1000000 bytes"),
    ],
    ids=["cut", "twice", "bytes", "deep", "long"],
)
def test_a_file_that_is_no_toml_is_named(content: bytes, told: str, tmp_path: Path) -> None:
    (tmp_path / "tether.toml").write_bytes(content)
    [problem] = problems(tmp_path)
    assert problem.startswith(f"{tmp_path}/tether.toml ")
    assert told in problem


def test_a_file_that_cannot_be_read_is_no_default(tmp_path: Path) -> None:
    (tmp_path / "tether.toml").mkdir()
    config = tmp_path / "config"
    (config / "tether").mkdir(parents=True)
    (config / "tether" / "config.toml").symlink_to(tmp_path / "gone")
    told = problems(tmp_path, environ={"XDG_CONFIG_HOME": str(config)})
    assert told == [
        f"{config}/tether/config.toml cannot be read: No such file or directory",
        f"{tmp_path}/tether.toml cannot be read: Is a directory",
    ]


def test_a_users_file_in_a_folder_that_is_shut_is_an_error(tmp_path: Path) -> None:
    config = tmp_path / ("x" * 300)
    [told] = problems(tmp_path, environ={"XDG_CONFIG_HOME": str(config)})
    assert "cannot be read: File name too long" in told


def test_the_line_of_a_key_is_found_where_it_can_be_seen() -> None:
    text = '[ask]\n"retries" = 1\n[other."deep"]\nx = 2\n'
    assert line_of(text, "ask.retries") == 2
    assert line_of(text, "other.deep.x") == 4
    assert line_of(text, "ask") == 1
    assert line_of("ask = {retries = 1}", "ask.retries") is None


def test_the_template_names_every_setting_with_its_default() -> None:
    text = template(["docs", 'with "quotes"'])
    assert tomllib.loads(text)["docs"] == ["docs", 'with "quotes"']
    lines = [line.removeprefix("# ") for line in text.splitlines()]
    bare = "\n".join(line for line in lines if " = " in line or line.startswith("["))
    found = tomllib.loads(bare)
    turn = {
        f"{table}.{name}": value for table in TABLES for name, value in found.pop(table).items()
    }
    expected = {
        key: str(value) if isinstance(value, Path) else value for key, value in defaults().items()
    }
    expected |= {"docs": ["docs", 'with "quotes"'], "temperature": 0.2, "timeout": 120.0}
    expected |= {"index": "handbook", "data": "/var/lib/tether"}
    expected |= {"web": ["docs.example.org"], "tools": ["math", "unit_conversion"]}
    assert found | turn == expected


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("extractive", "extractive"),
        ("/a/b.db", "/a/b.db"),
        ("postgresql://u:secret@h:5/db", "postgresql://u:***@h:5/db"),
        ("postgresql://token@h/db", "postgresql://***@h/db"),
        ("postgresql:///db?host=/run&password=secret", "postgresql:///db?host=/run&password=***"),
        ("https://h/v1?key=secret#frag", "https://h/v1?key=***"),
        ("https://h/v1?secret", "https://h/v1?***"),
        ("https://[broken", "https://***"),
    ],
)
def test_secrets_in_addresses_are_hidden(text: str, shown: str) -> None:
    assert hidden(text) == shown


WORDS = st.text("aZ09éß漢字\u0661", min_size=6, max_size=20)


@given(WORDS, WORDS, st.sampled_from(["postgresql", "https"]))
def test_no_password_is_ever_shown(user: str, password: str, scheme: str) -> None:
    address = f"{scheme}://{user}:{password}!@host.example/x?sslkey={password}!"
    assert f"{password}!" not in hidden(address)
    assert "host.example" in hidden(address)


@given(
    st.dictionaries(
        st.one_of(st.sampled_from(sorted(BY_KEY)), st.text(max_size=12)),
        st.one_of(st.none(), st.text(max_size=12), st.integers(), st.floats(), st.booleans()),
        max_size=4,
    )
)
def test_whatever_is_given_becomes_settings_or_one_error(flags: dict[str, object]) -> None:
    try:
        loaded = load_settings(flags, environ=NOBODY, folder=Path("/nowhere"))
    except InvalidSettings:
        return
    assert isinstance(loaded.settings, Settings)
    given = {key for key, value in flags.items() if value is not None}
    assert {key for key, it in loaded.origins.items() if it.kind == "flag"} == given
