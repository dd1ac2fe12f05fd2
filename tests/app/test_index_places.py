"""Where indexes are: each set of documents has its own, found from any folder and by its name."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from app.pages import DOCS, put
from app.shell import run, run_apart
from tether.app.settings import load_settings
from tether.app.settings.places import data_home, index_name
from tether.ask.errors import InvalidSettings

pytestmark = pytest.mark.usefixtures("alone", "cheap")

LANTERNS = {"a.md": "# Lanterns\n\nA lantern glows in the dark."}
WAGONS = {"b.md": "# Wagons\n\nA wagon has four wheels."}


@pytest.fixture
def go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Change to another folder of that name."""

    def change(name: str) -> Path:
        (tmp_path / name).mkdir(exist_ok=True)
        monkeypatch.chdir(tmp_path / name)
        return tmp_path / name

    return change


def names() -> list[str]:
    return [one["name"] for one in run("index", "list", "--json").succeeded().json]


class TestNames:
    def test_a_name_can_be_read_and_is_the_same_for_every_spelling(self, tmp_path: Path) -> None:
        docs = put(tmp_path / "my documents", LANTERNS)
        (tmp_path / "link").symlink_to(docs)
        name = index_name([str(docs)])
        label, _, digest = name.rpartition("-")
        assert (label, len(digest)) == ("my-documents", 6)
        os.chdir(docs)
        spellings = [".", "../my documents", f"{docs}/", f"{docs}/../link", f"{docs}/./"]
        assert {index_name([spelling]) for spelling in spellings} == {name}
        other = put(tmp_path / "elsewhere" / "my documents", WAGONS)
        assert index_name([str(other)]) != name
        assert index_name([str(other), str(docs)]) == index_name([str(docs), str(other), str(docs)])

    @pytest.mark.parametrize(
        ("address", "label"),
        [
            ("https://docs.example.org/", "docs.example.org"),
            ("https://Docs.Example.org:443/guide/#top", "docs.example.org-guide"),
            ("https://docs.example.org/a/sitemap.xml?x=1", "docs.example.org-a-sitemap.xml"),
            ("/", "documents"),
            ("/srv/" + "x" * 300, "x" * 40),
            ("/srv/Größe", "Größe"),
        ],
    )
    def test_a_label_says_which_place_it_is(self, address: str, label: str) -> None:
        assert index_name([address]).rpartition("-")[0] == label

    def test_spellings_of_a_page_are_one(self) -> None:
        one, two = "https://Docs.Example.org/guide/#top", "https://docs.example.org:443/guide/"
        assert index_name([one]) == index_name([two])


class TestTheFolderOfData:
    @pytest.mark.parametrize(
        ("environ", "platform", "place"),
        [
            ({"XDG_DATA_HOME": "/x", "HOME": "/h"}, "linux", "/x/tether"),
            ({"XDG_DATA_HOME": "relative", "HOME": "/h"}, "linux", "/h/.local/share/tether"),
            ({"HOME": "/h"}, "darwin", "/h/Library/Application Support/tether"),
            ({"USERPROFILE": "/u"}, "win32", "/u/AppData/Local/tether"),
        ],
    )
    def test_it_is_where_users_expect_it(
        self, environ: dict[str, str], platform: str, place: str
    ) -> None:
        assert data_home(environ, platform) == Path(place)

    def test_without_a_home_it_is_below_the_working_folder(self, tmp_path: Path) -> None:
        assert data_home({}) is None
        settings = load_settings({"docs": "d"}, environ={}, folder=tmp_path).settings
        assert settings.index.parent == tmp_path / ".tether/indexes"

    def test_it_is_a_setting(self, tmp_path: Path) -> None:
        environ = {"TETHER_DATA": str(tmp_path / "kept"), "TETHER_DOCS": "d"}
        settings = load_settings({}, environ=environ, folder=tmp_path).settings
        assert settings.index.parent == tmp_path / "kept/indexes"


class TestTheChoice:
    def index(self, folder: Path, environ: dict[str, str] | None = None, **flags: object) -> Path:
        environ = {"TETHER_DATA": "/data", **(environ or {})}
        return load_settings(flags, environ=environ, folder=folder).settings.index

    def test_a_name_is_a_name_and_a_path_is_a_path(self, tmp_path: Path) -> None:
        put(tmp_path / "made", {"index.sqlite": ""})
        for given, place in {
            "handbook": Path("/data/indexes/handbook"),
            "docs-3f9a1c": Path("/data/indexes/docs-3f9a1c"),
            "./handbook": tmp_path / "handbook",
            "made": tmp_path / "made",
            "/srv/index": Path("/srv/index"),
            "a/b": tmp_path / "a/b",
        }.items():
            assert self.index(tmp_path, index=given) == place

    @pytest.mark.parametrize("given", ["-x", "a b", "a:b", "a" * 101])
    def test_anything_else_is_refused(self, given: str, tmp_path: Path) -> None:
        with pytest.raises(
            InvalidSettings, match=r"index: must be a name of letters, .* or a path"
        ):
            self.index(tmp_path, index=given)

    def test_documents_that_are_typed_do_not_go_into_the_index_of_a_file(
        self, tmp_path: Path
    ) -> None:
        put(tmp_path, {"tether.toml": 'docs = "guide"\nindex = "./kept"\n'})
        assert self.index(tmp_path) == tmp_path / "kept"
        own = Path("/data/indexes") / index_name([str(tmp_path / "other")])
        assert self.index(tmp_path, docs=["other"]) == own
        assert self.index(tmp_path, {"TETHER_DOCS": "other"}) == own
        assert self.index(tmp_path, docs=["other"], index="mine") == Path("/data/indexes/mine")
        assert self.index(tmp_path, {"TETHER_INDEX": "/i"}, docs=["other"]) == Path("/i")

    def test_its_origin_is_then_the_default(self, tmp_path: Path) -> None:
        put(tmp_path, {"tether.toml": 'index = "./kept"\n'})
        loaded = load_settings({"docs": "other"}, environ={}, folder=tmp_path)
        assert str(loaded.origins["index"]) == "default"


def test_every_folder_can_be_asked_from_every_folder(
    tmp_path: Path, go: Callable[[str], Path]
) -> None:
    put(go("one") / "docs", LANTERNS)
    assert "glows" in run("ask", "What does a lantern do?", "--docs", "docs").succeeded().out
    mine = put(tmp_path / "my-documents", WAGONS)
    asked = run("ask", "How many wheels has a wagon?", "--docs", mine).succeeded()
    assert "four wheels" in asked.out
    go("two")
    again = run("ask", "How many wheels has a wagon?", "--docs", "../my-documents/").succeeded()
    assert "four wheels" in again.out
    page = tmp_path / "one" / "docs" / "a.md"
    both = run("ask", "What glows in the dark?", "--docs", page, "--docs", mine).succeeded()
    assert "glows" in both.out
    labels = {name.rpartition("-")[0] for name in names()}
    assert labels == {"docs", "my-documents", "my-documents-a.md"}
    assert not (tmp_path / "one/.tether/index").exists()


@pytest.mark.parametrize(
    "address", ["nowhere", "http://", "https://docs.example.invalid/"], ids=["file", "form", "site"]
)
def test_documents_that_are_not_there_leave_no_index(address: str, tmp_path: Path) -> None:
    for words in (("ask", "x", "--docs", address), ("index", "apply", address)):
        assert run(*words, env={"TETHER_OFFLINE": "1"}).code in (1, 2)
        assert list((tmp_path / "data/tether/indexes").iterdir()) == []


def test_documents_that_are_gone_leave_the_index_as_it_is(docs: Path, tmp_path: Path) -> None:
    run("index", "apply", docs).succeeded()
    docs.rename(tmp_path / "away")
    assert run("index", "apply", docs).code == 1
    assert len(names()) == 1


def test_an_index_can_have_a_name_of_its_own(tmp_path: Path, go: Callable[[str], Path]) -> None:
    docs = put(go("one") / "docs", LANTERNS)
    run("search", "lantern", "--docs", docs, "--index", "lights").succeeded()
    go("two")
    assert run("search", "lantern", "--index", "lights").succeeded().out.startswith("[1] Lanterns")
    assert names() == ["lights"]
    status = run("index", "status", "--index", "lights").succeeded().out
    assert status.startswith("index       lights\n")
    assert run("index", "status", "--index", "lights", "--json").json["index"] == "lights"
    applied = run("index", "apply", put(tmp_path / "more", WAGONS), "--index", "lights").succeeded()
    assert "index lights, generation 2: 2 passages" in applied.out
    assert len(run("index", "status", "--index", "lights", "--json").json["sources"]) == 2


def test_the_indexes_are_listed_with_what_they_take(tmp_path: Path) -> None:
    empty = run("index", "list").succeeded().out
    assert empty.startswith(f"There are no indexes in {tmp_path / 'data/tether'} yet.")
    docs = put(tmp_path / "docs", DOCS)
    run("index", "apply", docs).succeeded()
    first, second = run("index", "list").succeeded().out.splitlines()
    name = index_name([str(docs)])
    assert first.startswith(f"{name}: generation 1, 2 documents, 0.1 MB, last sync 20")
    assert second == f"    {docs}"
    put(tmp_path / f"data/tether/indexes/{name}", {"index.sqlite": "no database " * 100})
    assert run("index", "list").succeeded().out.startswith(f"{name}: '")
    (one,) = run("index", "list", "--json").succeeded().json
    assert (one["status"], "index.sqlite" in one["problem"]) == (None, True)


def test_the_last_sync_is_told_although_nothing_changed(tmp_path: Path) -> None:
    docs = put(tmp_path / "docs", DOCS)
    run("search", "volume", "--docs", docs).succeeded()
    (mark,) = (tmp_path / "data").glob("tether/indexes/*/in-step")
    os.utime(mark, (0, 0))
    old = run("index", "status", "--docs", docs, "--json").json["in_step"]
    assert old == "1970-01-01T00:00:00+00:00"
    run("search", "volume", "--docs", docs).succeeded()
    assert run("index", "status", "--docs", docs, "--json").json["in_step"] > old
    mark.unlink()
    assert "last sync   not known" in run("index", "status", "--docs", docs).succeeded().out


def test_without_documents_it_is_the_index_of_the_project_or_an_error_that_helps(
    tmp_path: Path, go: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tether.app.indexes.MOST_LISTED", 1)
    for number in range(3):
        run("index", "apply", put(tmp_path / f"docs{number:02}", LANTERNS)).succeeded()
    go("project")
    for words in (("ask", "x"), ("search", "x"), ("index", "status"), ("index", "embed")):
        ran = run(*words)
        assert ran.code == 1
        assert "E_INDEX_MISSING" in ran.err
        assert "ask with `--docs FOLDER`" in ran.err
        assert f"  {index_name([str(tmp_path / 'docs00')])} ({tmp_path / 'docs00'})" in ran.err
        assert "and 2 more: `tether index list`" in ran.err
    run("index", "apply", tmp_path / "docs00", "--index", ".tether/index").succeeded()
    assert run("search", "lantern").succeeded().out.startswith("[1] Lanterns")


class TestRemoving:
    @pytest.fixture
    def name(self, tmp_path: Path) -> str:
        run("index", "apply", put(tmp_path / "docs", LANTERNS)).succeeded()
        return names()[0]

    def test_one_is_removed_by_its_name(self, name: str, tmp_path: Path) -> None:
        put(tmp_path / "data/tether/indexes", {f"{name}.watch": ""})
        ran = run("index", "remove", name, "--yes").succeeded()
        assert ran.out == f"removed {name}\n"
        assert list((tmp_path / "data/tether/indexes").iterdir()) == []
        assert (tmp_path / "docs/a.md").exists()
        assert run("index", "remove", name, "--yes").code == 1

    def test_one_is_removed_by_its_documents(self, name: str, tmp_path: Path) -> None:
        run("index", "remove", "--docs", tmp_path / "docs", "--yes").succeeded()
        assert names() == []

    def test_without_a_person_it_needs_a_yes(self, name: str) -> None:
        ran = run("index", "remove", name)
        assert (ran.code, "remove it with --yes" in ran.err) == (2, True)
        assert names() == [name]

    @pytest.mark.parametrize("answer", ["y", "n"])
    def test_a_person_is_asked(
        self, name: str, answer: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(
            "tether.app.commands.indexes.click.confirm", lambda *_, **__: answer == "y"
        )
        monkeypatch.setattr("tether.app.commands.indexes._is_terminal", lambda: True)
        ran = run("index", "remove", name)
        assert (ran.code, ran.out) == (
            (0, f"removed {name}\n") if answer == "y" else (1, "Nothing was removed.\n")
        )
        assert names() == ([] if answer == "y" else [name])

    def test_a_folder_with_other_files_stays(self, name: str, tmp_path: Path) -> None:
        put(tmp_path / f"data/tether/indexes/{name}", {"mine.txt": "x"})
        ran = run("index", "remove", name, "--yes")
        assert (ran.code, "'mine.txt'; move them away first" in ran.err) == (1, True)
        assert names() == [name]


class TestForgetting:
    @pytest.fixture
    def both(self, tmp_path: Path) -> tuple[Path, Path]:
        one, two = put(tmp_path / "a", LANTERNS), put(tmp_path / "b", WAGONS)
        run("index", "apply", one, two, "--index", "./both").succeeded()
        return one, two

    def test_every_spelling_of_a_source_is_known(self, both: tuple[Path, Path]) -> None:
        one, two = both
        for spelling in ("b", "./b/", str(two)):
            run("index", "apply", "--forget", spelling, "--index", "./both").succeeded()
            status = run("index", "status", "--index", "./both", "--json").json
            assert (status["sources"], status["documents"]) == ([str(one)], 1)
            run("index", "apply", two, "--index", "./both").succeeded()

    def test_all_of_them_can_be_forgotten(self, both: tuple[Path, Path]) -> None:
        run("index", "apply", "--forget", "a", "--forget", "b", "--index", "./both").succeeded()
        assert run("index", "status", "--index", "./both", "--json").json["sources"] == []

    def test_an_unknown_one_is_an_error_that_names_the_others(
        self, both: tuple[Path, Path]
    ) -> None:
        ran = run("index", "apply", "--forget", "c", "--index", "./both")
        assert ran.code == 2
        assert f"c is not a source of the index in {Path.cwd() / 'both'}" in ran.err
        assert all(str(place) in ran.err for place in both)
        ran = run("index", "apply", "a", "--forget", "c", "--index", "./new")
        assert (ran.code, "It has none." in ran.err) == (2, True)


class TestPlacesThatCannotBeWritten:
    def test_the_error_says_how_to_name_another_place(self, tmp_path: Path) -> None:
        put(tmp_path, {"file": ""})
        docs = put(tmp_path / "docs", LANTERNS)
        ran = run("search", "x", "--docs", docs, env={"TETHER_DATA": str(tmp_path / "file/x")})
        assert (ran.code, "E_INDEX_WRITE_FAILED" in ran.err) == (1, True)
        assert "`--index FOLDER`" in ran.err
        assert "TETHER_DATA" in ran.err
        ran = run("ask", "x", "--docs", docs, "--store", "file/store.db")
        assert (ran.code, "E_STORE_FAILED" in ran.err) == (1, True)
        assert "`--store FILE` or TETHER_STORE" in ran.err

    @pytest.mark.parametrize(
        "words", [("ask", "x"), ("index", "list"), ("config", "path"), ("config", "init")]
    )
    def test_a_working_folder_that_was_deleted_is_told(
        self, words: tuple[str, ...], go: Callable[[str], Path]
    ) -> None:
        go("gone").rmdir()
        ran = run(*words)
        assert ran.code == 1
        assert ran.err.startswith("Error: the working folder does not exist any more. Change to")

    def test_there_is_no_traceback_then(self, tmp_path: Path) -> None:
        gone = tmp_path / "gone"
        gone.mkdir()
        ran = run_apart("index", "status", first="import os; os.rmdir(os.getcwd())", cwd=gone)
        assert ran.code == 1
        assert "Traceback" not in ran.err
