"""`tether verify`: it reads the documents as they are now, wherever their index is."""

from __future__ import annotations

import json
import os
import socket
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from app.pages import DOCS, put
from app.shell import Ran, run
from app.test_agent import Pages, site
from tether.app.sources import web_access
from tether.core.plain_data import canonical_json
from tether.retrieval.errors import IndexLocked
from tether.retrieval.index.index import Index

__all__ = ["Pages", "site"]  # the second is a fixture

pytestmark = pytest.mark.usefixtures("alone", "cheap")

PAGE = DOCS["volumes.md"]
QUOTE = "A volume can grow, and never shrinks."
SAME = "still true; the documents have not changed at all"
UNREAD = "not verified; the documents cannot be read now"


def asked(*chosen: str | Path) -> None:
    run("ask", "Can a volume shrink?", *chosen, "--receipt", "out.json").succeeded()


def verified(*more: str | Path) -> tuple[int, str]:
    ran = run("verify", "out.json", *more)
    return ran.code, ran.out.splitlines()[0].removeprefix("out.json: ")


def test_a_receipt_is_verified_against_the_documents_of_now(docs: Path) -> None:
    asked("--docs", docs)
    assert json.loads(Path("out.json").read_text())["reviews"]
    assert verified() == (0, SAME)
    for now, code, overall, each in (
        (f"\nMore.\n{PAGE}", 0, "still true; every quote is in its document", "moved"),
        (
            PAGE.replace("never", "seldom"),
            1,
            "no longer backed; 1 of 1 quotes are gone",
            "source-changed",
        ),
    ):
        put(docs, {"volumes.md": now})
        assert verified() == (code, overall), "no command brought the index in step before"
        (form,) = run("verify", "out.json", "--json").json
        assert (form["holds"], form["citations"][0]["standing"]) == (code == 0, each)
    (docs / "volumes.md").unlink()
    assert "source gone" in run("verify", "out.json").out


def test_an_edit_that_keeps_size_and_time_is_seen(docs: Path) -> None:
    page = docs / "volumes.md"
    before = page.stat()
    asked("--docs", docs)
    while page.stat().st_ctime_ns == before.st_ctime_ns:  # a coarse clock
        page.write_text(PAGE.replace("never", "often"), encoding="utf-8")
        os.utime(page, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert page.stat().st_size == before.st_size
    assert verified() == (1, "no longer backed; 1 of 1 quotes are gone")


def test_the_index_of_the_receipt_is_found_from_any_folder(
    docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked("--docs", docs, "--index", "./kept")
    assert json.loads(Path("out.json").read_text())["index"]["place"] == str(tmp_path / "kept")
    receipt = (tmp_path / "out.json").rename(tmp_path / "elsewhere.json")
    (tmp_path / "far").mkdir()
    monkeypatch.chdir(tmp_path / "far")
    put(docs, {"volumes.md": PAGE.replace("never", "seldom")})
    assert run("verify", receipt).code == 1
    put(docs, {"volumes.md": PAGE})
    run("verify", receipt).succeeded()


def test_an_index_that_is_not_here_is_said(docs: Path, tmp_path: Path) -> None:
    asked("--docs", docs, "--index", "lights")
    run("index", "remove", "lights", "--yes").succeeded()
    ran = run("verify", "out.json")
    assert (ran.code, "E_INDEX_MISSING" in ran.err) == (1, True)
    assert str(tmp_path / "data/tether/indexes/lights") in ran.err
    run("index", "apply", docs, "--index", ".tether/index").succeeded()
    ran = run("verify", "out.json").succeeded()
    own = tmp_path / ".tether/index"
    assert ran.err == f"The index lights of the receipt is not here; this is about {own}.\n"
    assert verified("--index", ".tether/index") == (0, SAME)


def _rewritten(**index: Any) -> None:
    """Write another index into the receipt, with a checksum that is right."""
    form = json.loads(Path("out.json").read_text())
    del form["checksum"]
    form["index"] = index or "nonsense"
    form["checksum"] = sha256(canonical_json(form).encode()).hexdigest()
    Path("out.json").write_text(canonical_json(form))


@pytest.mark.parametrize("place", [None, 7, "", "../out", "no\nname", "a b"])
def test_a_receipt_that_names_no_index_is_about_that_of_the_settings(
    docs: Path, place: object
) -> None:
    asked("--docs", docs, "--index", ".tether/index")
    _rewritten(**({} if place is None else {"place": place}))
    assert verified() == (0, SAME)


class TestDocumentsThatCannotBeRead:
    def test_a_source_that_is_gone_is_said(self, docs: Path, tmp_path: Path) -> None:
        asked("--docs", docs)
        docs.rename(tmp_path / "away")
        ran = run("verify", "out.json")
        first, second, _, fourth, _ = ran.out.splitlines()
        assert (ran.code, first) == (1, f"out.json: {UNREAD}")
        assert second == f"    the file {docs} cannot be indexed: it is not there"
        assert fourth.startswith("    [1] when it was last read: still true: volumes.md")
        (form,) = run("verify", "out.json", "--json").json
        assert (form["holds"], form["same_corpus"], form["unread"]) == (
            False,
            False,
            [second.strip()],
        )

    @pytest.mark.parametrize("place", ["volumes.md", "deep/volumes.md"])
    def test_a_document_that_cannot_be_read_any_more_is_said(
        self, place: str, tmp_path: Path
    ) -> None:
        docs = put(tmp_path / "docs", {"pods.md": DOCS["pods.md"]})
        put((docs / place).parent, {"volumes.md": PAGE})
        asked("--docs", docs)
        if place == "volumes.md":
            (docs / place).write_bytes(b"\0" * 30_000_000)
        else:
            put(docs / "deep", {".gitignore": "*\n" * 600_000})
        code, overall = verified()
        assert (code, overall) == (1, UNREAD)

    def test_an_index_that_is_being_written_is_said(
        self, docs: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked("--docs", docs)
        put(docs, {"volumes.md": f"\nMore.\n{PAGE}"})

        def locked(*_: object, **__: object) -> None:
            raise IndexLocked("process 1 writes it")

        monkeypatch.setattr(Index, "apply", locked)
        assert "process 1 writes it" in run("verify", "out.json").out
        assert verified() == (1, UNREAD)


def test_another_document_that_cannot_be_read_does_not_matter(docs: Path) -> None:
    asked("--docs", docs)
    put(docs, {"cut.ipynb": '{"cells": ['})
    assert verified() == (0, SAME)


def test_other_sources_of_the_index_are_not_read(docs: Path, tmp_path: Path) -> None:
    other = put(tmp_path / "other", {"a.md": "# Lanterns\n\nA lantern glows."})
    asked("--docs", docs, "--docs", other)
    assert verified() == (0, "still true; every quote is in its document")
    other.rename(tmp_path / "away")
    assert verified() == (0, "still true; every quote is in its document")
    docs.rename(tmp_path / "away too")
    assert verified() == (1, UNREAD)


class TestPages:
    @pytest.fixture(autouse=True)
    def nearby(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Let a site of this machine be read, as one elsewhere would be."""

        def near(pages: list[str], _private: object = ()) -> Any:
            hosts = [page.split("/")[2] for page in pages]
            return web_access(pages, hosts)

        monkeypatch.setattr("tether.app.sources.web_access", near)

    def ask(self, site: str, *index: str) -> None:
        run("ask", "What is the page about?", "--docs", site, *index, "--receipt", "out.json")

    def test_a_page_is_read_again(self, site: str) -> None:
        self.ask(site)
        assert verified() == (0, SAME)

    def test_offline_no_page_is_read(self, site: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ask(site)
        monkeypatch.setenv("TETHER_OFFLINE", "1")
        monkeypatch.setattr(socket.socket, "connect", pytest.fail)
        assert verified() == (1, UNREAD)
        assert f"{site} is on the web, which is not read offline" in run("verify", "out.json").out

    def test_a_receipt_alone_has_no_page_read(
        self, site: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.ask(site, "--index", "./came-with-it")
        with monkeypatch.context() as patch:
            patch.setattr(socket.socket, "connect", pytest.fail)
            ran: Ran = run("verify", "out.json")
        assert ran.code == 1
        assert f"{site} is on the web; name the index with --index" in ran.out
        assert verified("--index", "./came-with-it") == (0, SAME)
