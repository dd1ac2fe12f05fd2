"""From the key of a document to its file: the path, the lines, and whether it has changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.pages import DOCS, put
from app.shell import run
from tether.app.document_files import DocumentFiles, opened_locator
from tether.retrieval.index.records import content_hash

pytestmark = pytest.mark.usefixtures("alone", "cheap", "unjudged")

QUESTION = "Can a volume shrink?"
PAGE = "<html><title>Cats</title><h1>Cats</h1>\n\n<p>A cat sleeps for sixteen hours.</p></html>"


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    return put(tmp_path / "docs", {**DOCS, "cats.html": PAGE})


def test_each_citation_and_passage_has_its_path_and_lines(docs: Path) -> None:
    form = run("ask", QUESTION, "--docs", docs, "--json").succeeded().json
    (cited,) = form["citations"]
    assert cited["path"] == str(docs / "volumes.md")
    lines = DOCS["volumes.md"].split("\n")
    assert lines[cited["line"] - 1 : cited["end_line"]] == [cited["quote"]]
    assert cited["file"] == "same"
    assert {Path(read["path"]).name for read in form["consulted"]} <= {*DOCS, "cats.html"}
    for read in form["consulted"]:
        assert read["file"] == "same"
        if read["document"] == "volumes.md" and read["anchor"] == "size":
            assert lines[read["line"] - 1 : read["end_line"]][0] == "## Size"


def test_search_has_them_too_and_no_lines_where_a_file_is_not_read_by_lines(docs: Path) -> None:
    run("index", "apply", docs, "--index", ".tether/index").succeeded()
    hits = run("search", "How long does a cat sleep?", "--json").succeeded().json["hits"]
    page = next(hit for hit in hits if hit["chunk"]["document"] == "cats.html")
    assert page["path"] == str(docs / "cats.html")
    assert (page["line"], page["end_line"], page["file"]) == (None, None, "same")
    hits = run("search", "When is a pod restarted?", "--json").succeeded().json["hits"]
    text = next(hit for hit in hits if hit["chunk"]["document"] == "pods.md")
    chunk = text["chunk"]
    before = DOCS["pods.md"][: DOCS["pods.md"].index(chunk["text"].strip())]
    assert text["line"] == before.count("\n") + 1
    assert text["end_line"] == text["line"] + chunk["text"].strip().count("\n")


def test_a_file_that_changed_since_is_reported_where_nothing_is_synced(docs: Path) -> None:
    run("index", "apply", docs, "--index", ".tether/index").succeeded()
    (docs / "volumes.md").write_text("# Volumes\n\nOther words.\n")
    ran = run("ask", QUESTION, "--offline").succeeded()
    assert "    volumes.md#size\n    (the file was changed after it was indexed)\n" in ran.out
    form = run("ask", QUESTION, "--json").succeeded().json
    assert form["citations"][0]["file"] == "changed"
    (docs / "volumes.md").unlink()
    assert "(the file is gone)" in run("ask", QUESTION).succeeded().out
    form = run("ask", QUESTION, "--json").succeeded().json
    assert form["citations"][0]["file"] == "gone"
    assert form["citations"][0]["path"] == str(docs / "volumes.md")


def test_paths_have_no_detours_wherever_they_were_typed(docs: Path, tmp_path: Path) -> None:
    there = tmp_path / "a" / "b"
    there.mkdir(parents=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(there)
        form = run("ask", QUESTION, "--docs", "../../docs", "--json").succeeded().json
        assert form["citations"][0]["path"] == str(docs / "volumes.md")
        status = run("index", "status", "--docs", "../../docs", "--json").succeeded().json
        assert status["sources"] == [str(docs)]
        run("index", "apply", "../../docs", "--index", "other").succeeded()
        run("index", "apply", "../../../docs/../docs", "--index", "other")
        status = run("index", "status", "--index", "other", "--json").succeeded().json
        assert status["sources"] == [str(docs)]


def test_an_index_that_knows_a_folder_by_a_detour_keeps_its_name(docs: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tether.app.sources.without_detours", lambda path: path)
        run("index", "apply", f"{docs}/../docs", "--index", ".tether/index").succeeded()
    (known,) = run("index", "status", "--json").succeeded().json["sources"]
    assert known == f"{docs}/../docs"
    run("index", "apply", docs, "--index", ".tether/index").succeeded()
    assert run("index", "status", "--json").succeeded().json["sources"] == [known]
    form = (
        run("ask", QUESTION, "--docs", docs, "--index", ".tether/index", "--json").succeeded().json
    )
    assert form["citations"][0]["path"] == str(docs / "volumes.md")


def test_what_is_no_file_has_no_path_and_no_state(docs: Path) -> None:
    files = DocumentFiles.of([str(docs), "https://ok.example/"])
    for document in ("https://ok.example/a", "docs/a\\x1b.md", "docs/../a.md", "other/a.md"):
        assert files.path(document) is None
        assert files.state(document, "v") is None
    assert files.state("docs/pods.md", "") is None
    version = content_hash((docs / "pods.md").read_bytes())
    assert files.state("docs/pods.md", version) == "same"
    assert files.state("docs/pods.md/below.md", version) == "gone"
    (docs / "circle.md").symlink_to("circle.md")
    assert files.state("docs/circle.md", version) is None
    alone = DocumentFiles.of([str(docs / "gone.md")])
    assert alone.path("gone.md") == docs / "gone.md"


def test_a_place_of_another_version_has_no_lines(docs: Path, tmp_path: Path) -> None:
    run("index", "apply", docs, "--index", ".tether/index").succeeded()
    with opened_locator(tmp_path / ".tether" / "index") as locator:
        known = locator.place("pods.md", 0, 5)
        assert (known.line, known.end_line) == (1, 1)
        other = locator.place("pods.md", 0, 5, "another version")
        assert (other.line, other.file) == (None, "changed")
        unknown = locator.place("pods.md", -1, -1)
        assert (unknown.path, unknown.line) == (str(docs / "pods.md"), None)
        missing = locator.place("gone.md", 0, 5, "v")
        assert (missing.line, missing.file) == (None, "gone")
        (docs / "pods.md").unlink()
        assert locator.place("pods.md", 0, 5).file == "gone"
