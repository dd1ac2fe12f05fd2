"""From settings to an agent: the index kept in step, the store, the offline rule, all closed."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from app.conftest import embed_cheaply, judge_with
from app.pages import put
from ask.citations.answering import NO, YES, Answering
from retrieval.dense.tiny_onnx import tiny_onnx
from retrieval.floor.railway import PAGES, WordEmbedder
from tether.app.agent import opened_agent
from tether.app.checkup import server_finding
from tether.app.errors import OfflineRefused
from tether.app.index_sync import IndexSync, opened_search
from tether.app.search import open_index
from tether.app.settings.values import Settings
from tether.app.sources import Check, never
from tether.app.store import opened_store
from tether.app.verifier import verifier_of
from tether.ask.library import IndexLibrary
from tether.batteries.storage.sqlite import SqliteStore
from tether.core.errors import Aborted, InputRefused
from tether.retrieval.errors import EmbeddingFailed, IndexLocked, IndexMissing, SourceUnavailable
from tether.retrieval.index.index import ApplyReport, Index
from tether.retrieval.index.plan import Plan
from tether.retrieval.index.status import Status
from tether.retrieval.query import Query


@contextmanager
def opened_library(settings: Settings, *, check: Check = never) -> Generator[IndexLibrary]:
    with opened_search(settings, check=check) as parts:
        yield IndexLibrary(parts.snapshot, parts.retriever())


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    embed_cheaply(monkeypatch)


@pytest.fixture
def settings(docs: Path, tmp_path: Path) -> Settings:
    return Settings(
        docs=(str(docs),), index=tmp_path / "ix", store=str(tmp_path / "kept" / "store.db")
    )


async def test_a_folder_becomes_an_agent_that_answers(settings: Settings) -> None:
    async with opened_agent(settings) as agent:
        answer = await agent.ask("Can a volume shrink?")
    assert answer.verdict == "answered"
    assert "never shrinks" in answer.text
    assert answer.citations[0].document == "volumes.md"
    async with opened_store(settings) as store:
        assert (await store.exchange(answer.id)).turn == answer.id


@pytest.mark.parametrize("logit", [YES, NO])
async def test_the_judge_says_whether_units_answer_and_reads_no_passages_then(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, logit: float
) -> None:
    judge = Answering(logit)
    judge_with(monkeypatch, lambda: judge)
    monkeypatch.setattr(judge, "score", pytest.fail)
    async with opened_agent(settings) as agent:
        answer = await agent.ask("Can a volume shrink?")
    assert answer.verdict == ("answered" if logit == YES else "abstained")
    ((question, units, _),) = judge.given
    assert question == "Can a volume shrink?"
    assert any("never shrinks" in unit for unit in units)


async def test_an_agent_has_the_verifier_of_the_settings(
    settings: Settings, tmp_path: Path
) -> None:
    async with opened_agent(settings) as agent:
        assert repr(agent.verifier) == "OnnxVerifier('verifier')"
    async with opened_agent(replace(settings, verifier="none")) as agent:
        assert agent.verifier is None
    own = tmp_path / "own.onnx"
    own.write_bytes(tiny_onnx("Identity"))
    async with opened_agent(replace(settings, verifier=str(own))) as agent:
        assert agent.verifier is not None
        shared = agent.verifier.fingerprint
        assert shared.startswith("own:")
    put(tmp_path, {"vocab.txt": "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\n"})
    other = verifier_of(str(own))
    assert other is not None
    assert other.fingerprint != shared, "the word pieces beside the file are its own"


def test_documents_are_read_again_only_where_they_changed(
    settings: Settings, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened_library(settings) as library:
        assert (library.generation, library.is_empty) == (1, False)
    applied: list[object] = []
    apply = Index.apply

    def noted(self: Index, plan: Plan, **rest: Any) -> ApplyReport:
        applied.append(plan)
        return apply(self, plan, **rest)

    monkeypatch.setattr(Index, "apply", noted)
    with opened_library(settings) as library:
        assert library.generation == 1
    assert applied == []
    (docs / "new.md").write_text("# New\n\nText about snapshots.")
    with opened_library(settings) as library:
        assert library.generation == 2
        assert library.search(Query(question="snapshots"), 1).hits[0].chunk.document == "new.md"
    assert len(applied) == 1


def test_without_documents_the_index_is_used_as_it_is(settings: Settings, docs: Path) -> None:
    IndexSync(settings=settings).index()
    (docs / "new.md").write_text("# New\n\nText.")
    with opened_library(replace(settings, docs=())) as library:
        assert library.generation == 1


def test_neither_an_index_nor_documents_says_what_to_type(settings: Settings) -> None:
    with (
        pytest.raises(IndexMissing, match=r"`tether index apply FOLDER`.*`--docs FOLDER`"),
        opened_library(replace(settings, docs=())),
    ):
        pass
    assert not settings.index.exists()


def test_an_index_of_other_documents_is_refused(settings: Settings, tmp_path: Path) -> None:
    IndexSync(settings=settings).index()
    other = str(put(tmp_path / "other", {"a.md": "# A\n\nText."}))
    with pytest.raises(InputRefused, match="name another folder with --index"):
        IndexSync(settings=replace(settings, docs=(other,))).index()
    both = replace(settings, docs=(*settings.docs, other))
    assert len(IndexSync(settings=both).index().status().sources) == 2


def test_two_spellings_of_a_folder_are_one(settings: Settings, docs: Path, tmp_path: Path) -> None:
    IndexSync(settings=settings).index()
    link = tmp_path / "link"
    link.symlink_to(docs)
    odd = replace(settings, docs=(f"{docs}/../docs", str(link)))
    assert IndexSync(settings=odd).index().status().sources == (str(docs),)


def test_documents_that_are_gone_leave_what_was_indexed(
    settings: Settings, docs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    IndexSync(settings=settings).index()
    docs.rename(tmp_path / "away")
    with opened_library(settings) as library:
        assert not library.is_empty
    assert "The documents were not checked for changes: " in capsys.readouterr().err
    with pytest.raises(SourceUnavailable):
        IndexSync(settings=replace(settings, index=tmp_path / "fresh")).index()


def test_an_index_that_another_process_writes_answers(
    settings: Settings, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    IndexSync(settings=settings).index()
    (docs / "new.md").write_text("# New\n\nText.")

    def locked(*_: object, **__: object) -> None:
        raise IndexLocked("process 1 writes it")

    monkeypatch.setattr(Index, "apply", locked)
    assert IndexSync(settings=settings).index().status().generation == 1


def test_documents_that_cannot_be_read_are_counted(
    settings: Settings, docs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (docs / "cut.ipynb").write_text('{"cells": [')
    IndexSync(settings=settings).index()
    assert "1 document could not be read; `tether index status`" in capsys.readouterr().err


def test_the_first_index_of_enough_pages_gets_a_floor(
    settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pages = put(tmp_path / "railway", PAGES)
    large = replace(settings, docs=(str(pages),))
    index = IndexSync(settings=large).index()
    assert index.status().is_calibrated
    with opened_library(large) as library:
        assert library.search(Query(question="sourdough bread"), 3).refusal is not None
    assert "floor" not in capsys.readouterr().err
    (pages / "wagon-two.md").write_text("# Another wagon\n\nIt is green.")
    changed = IndexSync(settings=large).index().status()
    assert (changed.is_calibrated, changed.calibration_is_stale) == (True, True)


def test_what_did_not_go_as_wished_is_told(
    settings: Settings, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Failing(WordEmbedder):
        def embed_passages(self, texts: object) -> Any:
            raise EmbeddingFailed("no vectors today")

    monkeypatch.setattr("tether.app.search_models.MiniLm", Failing)
    assert IndexSync(settings=settings).index().status().embedded == 0
    assert "no vectors today" in capsys.readouterr().err
    monkeypatch.setattr("tether.app.search_models.MiniLm", WordEmbedder)
    assert IndexSync(settings=settings).index().status().embedded == 4, "the next time makes up"


def test_work_can_be_stopped_at_its_steps(settings: Settings) -> None:
    def stop() -> None:
        raise Aborted("stopped")

    with pytest.raises(Aborted), opened_library(settings, check=stop):
        pass


async def test_cancelling_stops_the_thread_that_indexes(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached, ended = threading.Event(), threading.Event()

    def indexing(self: IndexSync) -> Index:
        reached.set()
        try:
            while True:
                self.check()
                threading.Event().wait(0.005)
        finally:
            ended.set()

    monkeypatch.setattr(IndexSync, "index", indexing)

    async def work() -> None:
        async with opened_agent(settings):
            raise AssertionError("it was not to be reached")

    task = asyncio.ensure_future(work())
    while not reached.is_set():
        await asyncio.sleep(0.005)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended.is_set()


class Pages(BaseHTTPRequestHandler):
    """A site of one page."""

    def do_GET(self) -> None:
        body = b"<html><title>Site</title><h1>Site</h1><p>A page about lanterns.</p></html>"
        found = self.path == "/page.html"
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(body if found else b"")

    def log_message(self, format: str, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def site() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Pages) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/page.html"
        server.shutdown()


async def test_offline_nothing_else_is_reached_and_afterwards_everything(
    settings: Settings, site: str
) -> None:
    port = int(site.rpartition(":")[2].partition("/")[0])
    async with opened_agent(replace(settings, offline=True)) as agent:
        with pytest.raises(OfflineRefused):
            socket.create_connection(("127.0.0.1", port))
        assert (await agent.ask("Can a volume shrink?")).verdict == "answered"
    socket.create_connection(("127.0.0.1", port)).close()


def test_offline_a_site_that_is_known_is_not_looked_at(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = "https://docs.example.org/"
    seen: list[tuple[str, ...]] = []

    def status(_: IndexSync) -> Status:
        found = open_index(settings.index).status()
        return replace(found, sources=(*found.sources, site))

    def look(_: Index, addresses: Sequence[str], __: object) -> None:
        seen.append(tuple(addresses))

    IndexSync(settings=settings).index()
    monkeypatch.setattr(IndexSync, "_status", status)
    monkeypatch.setattr("tether.app.index_sync.with_sources", look)
    both = replace(settings, docs=(site, *settings.docs))
    IndexSync(settings=replace(both, offline=True)).index()
    IndexSync(settings=both).index()
    IndexSync(settings=replace(settings, docs=(site,), offline=True)).index()
    assert seen == [settings.docs, both.docs]


async def test_the_store_may_be_a_server(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which store is opened; the behaviour of a server is tested with the store itself."""
    opened: list[str] = []

    async def opening(address: str) -> SqliteStore:
        opened.append(address)
        return await SqliteStore.open(tmp_path / "in its place.db")

    monkeypatch.setattr("tether.app.store.PostgresStore.open", opening)
    there = replace(settings, store="postgresql://ada:secret@db.example/x")
    async with opened_store(there) as store:
        assert (await store.begin(owner="ada")).owner == "ada"
    found = await server_finding(there)
    assert (found.state, found.text) == ("fine", "postgresql://ada:***@db.example/x answers")
    assert opened == [there.store] * 2
