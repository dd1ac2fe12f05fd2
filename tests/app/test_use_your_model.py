"""Every line of docs/use-your-model.md, run against a server in the shape of its product."""

from __future__ import annotations

import json
import re
import shlex
import socket
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.pages import DOCS, put
from app.products import ANSWER, KEYS, MODELS, QUOTE, answering, moved, running
from app.shell import Ran, run, typed
from app.terminals import ended, served, terminal
from support.faulty_endpoint import Request, Script, http_response
from tether.app.model_list import Listing, advice_about
from tether.app.settings import load_settings
from tether.app.settings.short_models import PRODUCTS, product_at
from tether.app.settings.values import Settings
from tether.ask.errors import InvalidSettings

PAGE = Path(__file__).parents[2] / "docs" / "use-your-model.md"
LINES = re.findall(r"^tether ask .*$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
QUESTION = "Can a volume shrink?"


@pytest.fixture
def place(alone: Path, monkeypatch: pytest.MonkeyPatch, cheap: None) -> Path:
    put(alone / "docs", DOCS)
    for product in PRODUCTS.values():
        for name in (product.key, product.variable):
            if name:
                monkeypatch.delenv(name, raising=False)
    return alone


@contextmanager
def nowhere() -> Generator[str]:
    """Yield an address at which nothing listens, and nothing else will meanwhile."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"


def model_in(line: str) -> str:
    words = shlex.split(line)
    return words[words.index("--model") + 1]


def ask(model: str, *more: str, env: dict[str, str] | None = None) -> Ran:
    return run("ask", QUESTION, "--docs", "docs", "--model", model, *more, env=env)


def test_the_page_has_a_line_for_each_product() -> None:
    products = {model_in(line).partition("/")[0] for line in LINES}
    assert products >= {*PRODUCTS}
    assert "model.gguf" in map(model_in, LINES)


@pytest.mark.parametrize(
    "line", [line for line in LINES if model_in(line).partition("/")[0] in PRODUCTS], ids=model_in
)
def test_each_line_asks_its_product_and_gets_an_answer(line: str, place: Path) -> None:
    product = model_in(line).partition("/")[0]
    key = {PRODUCTS[product].key: KEYS[product]} if product in KEYS else {}
    with running(product) as endpoint:
        ran = run(*shlex.split(line)[1:], env=key).succeeded()
        asked = endpoint.requests[0]
    assert ran.out.startswith(f"{QUOTE} [1]\n\n[1] Volumes\n")
    name = model_in(line).partition("/")[2]
    assert asked.json()["model"] == (name or "default")
    path = "/v1/messages" if product == "anthropic" else "/v1/chat/completions"
    assert (asked.method, asked.target) == ("POST", path)
    assert ANSWER.startswith(QUOTE)


def test_the_line_with_an_address_works_at_any(place: Path) -> None:
    (line,) = [line for line in LINES if model_in(line).startswith("http")]
    with served(answering("vllm")) as endpoint:
        typed = line.replace("http://127.0.0.1:8000", endpoint.url)
        ran = run(*shlex.split(typed)[1:]).succeeded()
    assert ran.out.startswith(f"{QUOTE} [1]")


def test_a_file_that_is_not_there_is_named(place: Path) -> None:
    (line,) = [line for line in LINES if model_in(line).endswith(".gguf")]
    ran = run(*shlex.split(line)[1:])
    assert ran.code == 1
    assert "model.gguf" in ran.err


@pytest.mark.parametrize("product", [name for name, it in PRODUCTS.items() if it.start])
def test_a_server_that_does_not_run_is_named_with_the_command_that_starts_it(
    product: str, place: Path
) -> None:
    with nowhere() as url, moved(product, url):
        ran = ask(f"{product}/some-model")
    assert (ran.code, ran.out) == (1, "")
    title = PRODUCTS[product].title
    start = PRODUCTS[product].start.format(model="some-model")
    assert f"Nothing answers at {url}/v1. Is {title} running? Start it: `{start}`" in ran.err


@pytest.mark.parametrize("product", [name for name in PRODUCTS if name != "llamacpp"])
def test_a_model_that_a_product_does_not_have_is_told_with_those_it_has(
    product: str, place: Path
) -> None:
    key = {PRODUCTS[product].key: KEYS[product]} if product in KEYS else {}
    with running(product):
        ran = ask(f"{product}/no-such-model", env=key)
        form = ask(f"{product}/no-such-model", "--json", env=key)
    assert ran.code == 1
    told = f"{PRODUCTS[product].title} has no model 'no-such-model'. It has: "
    assert f"{told}{', '.join(MODELS[product])}." in ran.err
    assert told in form.err
    fetch = PRODUCTS[product].fetch.format(model="no-such-model")
    assert fetch in ran.err


def test_a_refused_key_and_a_missing_one_are_told_without_showing_any(place: Path) -> None:
    missing = ask("openai/gpt-5-mini")
    assert missing.code == 2
    assert "`tether keys set openai`" in missing.err
    with running("openai"):
        wrong = ask("openai/gpt-5-mini", env={"OPENAI_API_KEY": "sk-wrong-1234567890"})
    assert wrong.code == 1
    assert "refused the key in OPENAI_API_KEY" in wrong.err
    assert "sk-wrong" not in wrong.err + wrong.out


def test_an_endpoint_without_a_name_lists_what_it_has(place: Path) -> None:
    with running("ollama"):
        ran = ask("ollama")
    assert ran.code == 2
    assert "; it has qwen3:latest, llama3.2:1b" in ran.err
    with nowhere() as url, moved("ollama", url):
        assert "Start it: `ollama serve`" in ask("ollama").err
    with nowhere() as url:
        ran = ask(f"{url}/v1")
        assert (ran.code, "Nothing answers" in ran.err) == (2, False)


def test_the_doctor_says_the_same_without_a_question(place: Path) -> None:
    run("index", "apply", "docs").succeeded()
    with running("ollama"):
        assert (
            "ok       model: " in run("doctor", "--model", "ollama/qwen3", "--window", "9000").out
        )
        assert (
            "ok       model: " in run("doctor", "--model", "ollama/llama3.2:1b", "--window=9").out
        )
        lacking = run("doctor", "--model", "ollama/other")
    assert "PROBLEM  model: " in lacking.out
    assert "Get it: `ollama pull other`" in lacking.out
    with running("llamacpp"):
        assert "ok       model: " in run("doctor", "--model", "llamacpp", "--window", "9000").out
    with nowhere() as url, moved("lmstudio", url):
        assert "Start it: `lms server start`" in run("doctor", "--model", "lmstudio/x").out


def test_a_chat_is_advised_too(place: Path) -> None:
    with nowhere() as url, moved("ollama", url):
        ran = typed(f"{QUESTION}\n", "chat", "--docs", "docs", "--model", "ollama/qwen3")
    assert "Is Ollama running?" in ran.err


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ("0.0.0.0", "http://127.0.0.1:11434/v1"),
        ("box:8000", "http://box:8000/v1"),
        ("https://box", "https://box:443/v1"),
        ("http://[::1]:9", "http://[::1]:9/v1"),
        (":9", "http://127.0.0.1:9/v1"),
        ("", "http://127.0.0.1:11434/v1"),
    ],
)
def test_the_variable_of_ollama_says_where_it_is(given: str, address: str) -> None:
    assert PRODUCTS["ollama"].place({"OLLAMA_HOST": given}) == address
    assert product_at(address, {"OLLAMA_HOST": given}) is PRODUCTS["ollama"]


def settings(folder: Path, flags: dict[str, object], **environ: str) -> Settings:
    environ = {"XDG_CONFIG_HOME": str(folder), **environ}
    return load_settings(flags, environ=environ, folder=folder).settings


def test_a_short_form_brings_its_own_wire_name_and_key(tmp_path: Path) -> None:
    put(tmp_path / "tether", {"config.toml": 'api_key_env = "OTHER"\nmodel_name = "other"\n'})
    made = settings(tmp_path, {"model": "anthropic/claude"})
    assert (made.model, made.model_name) == ("https://api.anthropic.com", "claude")
    assert (made.wire, made.api_key_env) == ("anthropic", "ANTHROPIC_API_KEY")
    local = settings(tmp_path, {"model": "ollama/hf.co/a/b:Q4"})
    assert (local.model_name, local.api_key_env) == ("hf.co/a/b:Q4", "")
    named = settings(tmp_path, {"model": "openai/gpt", "api_key_env": "MINE", "wire": "responses"})
    assert (named.api_key_env, named.wire) == ("MINE", "responses")
    moved_by = settings(tmp_path, {"model": "openai/gpt"}, OPENAI_BASE_URL="https://box/v1")
    assert moved_by.model == "https://box/v1"
    assert settings(tmp_path, {"model": "llamacpp"}).model_name == "default"
    assert settings(tmp_path, {"model": "extractive"}).model == "extractive"
    assert settings(tmp_path, {"model": "ollama/a.gguf"}).model == f"{tmp_path}/ollama/a.gguf"
    with pytest.raises(InvalidSettings, match=r"ollama/…, vllm/…"):
        settings(tmp_path, {"model": "olama/qwen3"})


def test_models_in_a_file_of_the_user_keep_what_the_file_says(tmp_path: Path) -> None:
    put(tmp_path / "tether", {"config.toml": 'model = "openai/gpt"\napi_key_env = "MINE"\n'})
    made = settings(tmp_path, {})
    assert (made.api_key_env, made.model_name) == ("MINE", "gpt")


def advice(url: str, **more: str) -> str:
    given = Settings(model=url, model_name="m", **more)  # type: ignore[arg-type]  # texts
    return advice_about(given, "", {})


def test_advice_about_any_other_endpoint(place: Path) -> None:
    with nowhere() as url:
        assert advice(url) == (
            f"Nothing answers at {url}. Check that the server runs, and the address (most end in"
            " /v1)."
        )
    many = {"data": [{"id": f"model-{number}"} for number in range(10)] + ["odd", {"id": 1}]}
    for body, told in (
        (many, "has no model 'm'. It has: model-0, model-1, model-2, model-3, model-4, model-5,"),
        ({"data": []}, "has no model 'm'. It has no model at all."),
        ({"data": [{"id": "m"}]}, ""),
        ({"models": []}, ""),
        ([], ""),
        ("no JSON", ""),
    ):
        with served(http_response(200, body=body)) as endpoint:
            found = advice(endpoint.url)
            assert told in found
            assert bool(told) == bool(found)
            assert ("and 2 more." in found) == (body is many)
    with served(http_response(401, body={})) as endpoint:
        assert "name the variable that has it with --api-key-env" in advice(endpoint.url)
    with served(http_response(500, body={})) as endpoint:
        assert advice(endpoint.url) == ""
    assert Listing(status=404).has("anything")


def test_a_key_is_kept_for_this_user_alone_and_never_shown(place: Path) -> None:
    file = place / "config" / "tether" / "keys.json"
    secret = KEYS["openai"]
    assert run("keys", "list").succeeded().out == "No key is kept.\n"
    kept = typed(f"{secret}\n", "keys", "set", "openai")
    assert (kept.code, kept.out) == (0, f"Kept as openai in {file}\n")
    assert file.stat().st_mode & 0o777 == 0o600
    assert run("keys", "list").succeeded().out == "openai\n"
    assert run("keys", "list", "--json").json == {"keys": ["openai"]}
    told = run("keys", "list", env={"OPENAI_API_KEY": "another"}).out
    assert told == "openai  (not used: the variable OPENAI_API_KEY is set)\n"
    with running("openai") as endpoint:
        ran = ask("openai/gpt-5-mini", "--json", "--explain", "--receipt", "r.json").succeeded()
        assert endpoint.requests[0].headers["authorization"] == f"Bearer {secret}"
        first = ask("openai/gpt-5-mini", env={"OPENAI_API_KEY": "sk-another"})
        assert endpoint.requests[-1].headers["authorization"] == "Bearer sk-another"
    shown = run("config", "show", "--model", "openai/gpt-5-mini", "--origin").succeeded().out
    written = [ran.out, ran.err, first.err, kept.out, told, shown, run("prompt").out]
    stored = [path.read_bytes() for path in (place / ".tether").rglob("*") if path.is_file()]
    receipt = (place / "r.json").read_bytes()
    assert not any(secret in text for text in written)
    assert not any(secret.encode() in data for data in (*stored, receipt))
    assert run("keys", "remove", "openai").succeeded().out == "Removed: openai\n"
    assert run("keys", "list").succeeded().out == "No key is kept.\n"
    assert "no key of this name" in run("keys", "remove", "openai").err


def test_a_key_for_another_endpoint_is_kept_by_the_name_of_its_variable(place: Path) -> None:
    assert typed("secret-1\n", "keys", "set", "BOX_KEY").code == 0
    with served(answering("vllm")) as endpoint:
        more = ("--model-name", "Qwen/Qwen3-8B", "--api-key-env", "BOX_KEY")
        ask(f"{endpoint.url}/v1", *more).succeeded()
        assert endpoint.requests[0].headers["authorization"] == "Bearer secret-1"


@pytest.mark.parametrize(
    ("key", "name", "told"),
    [
        ("\n", "openai", "this cannot be a key"),
        ("two words\n", "openai", "it has spaces in it"),
        ("schlüssel\n", "openai", "printable ASCII"),
        ("k\n", "../openai", "the name of a key"),
    ],
)
def test_what_is_no_key_is_refused(key: str, name: str, told: str, place: Path) -> None:
    ran = typed(key, "keys", "set", name)
    assert ran.code == 1
    assert told in ran.err
    assert not (place / "config").exists()


def test_a_key_on_the_command_line_is_refused_and_not_repeated(place: Path) -> None:
    ran = run("keys", "set", "openai", "sk-typed-by-mistake")
    assert (ran.code, ran.out) == (2, "")
    assert "Do not type the key" in ran.err
    assert "sk-typed" not in ran.err


def test_a_key_is_typed_without_being_shown(place: Path) -> None:
    with terminal("keys", "set", "openai", cwd=place) as child:
        child.expect("Key for openai: ")
        child.sendline("sk-typed-at-a-terminal")
        code, text = ended(child)
    assert (code, "sk-typed" in text) == (0, False)
    assert run("keys", "list").succeeded().out == "openai\n"


@pytest.mark.parametrize("content", ["no JSON", "[]"])
def test_a_file_of_keys_that_is_damaged_or_open_to_others_is_refused(
    content: str, place: Path
) -> None:
    file = put(place / "config" / "tether", {"keys.json": content}) / "keys.json"
    file.chmod(0o600)
    assert "is damaged: move it away" in run("keys", "list").err
    file.write_text(json.dumps({"openai": "k", "odd": 1}))
    assert run("keys", "list").succeeded().out == "openai\n"
    file.chmod(0o644)
    assert f"others can read {file}: run chmod 600" in run("keys", "list").err
    assert "others can read" in ask("openai/gpt").err


def test_a_folder_that_cannot_be_written_or_read_is_named(place: Path) -> None:
    put(place, {"config": "a file in place of the folder"})
    ran = typed("k\n", "keys", "set", "openai")
    assert ran.code == 1
    assert "keys.json cannot be read" in ran.err
    (place / "config").unlink()
    (place / "config").mkdir()
    (place / "config" / "tether").symlink_to("tether")
    assert "cannot be read" in run("keys", "list").err


def test_a_disk_that_is_full_leaves_the_old_keys(place: Path) -> None:
    assert typed("k1\n", "keys", "set", "openai").code == 0

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tether.app.files.os.fsync", full)
        ran = typed("k2\n", "keys", "set", "openai")
    assert "keys.json cannot be written: No space left on device" in ran.err
    folder = place / "config" / "tether"
    assert [path.name for path in folder.iterdir()] == ["keys.json"]
    assert json.loads((folder / "keys.json").read_text()) == {"openai": "k1"}


def test_without_a_home_there_are_no_kept_keys(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert "set HOME" in run("keys", "list").err
    assert "empty or not set" in ask("openai/gpt").err


def test_nothing_is_advised_where_the_server_has_the_model(place: Path) -> None:
    def broken(request: Request) -> Script:
        return answering("ollama")(request) if request.method == "GET" else http_response(400)

    with served(broken) as endpoint, moved("ollama", endpoint.url):
        ran = ask("ollama/qwen3")
    assert ran.code == 1
    assert ran.told.endswith("`tether doctor` checks index, store and model.\n")
