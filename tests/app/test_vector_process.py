"""The first answer does not wait for vectors: a process adds them behind it."""

from __future__ import annotations

import json
import os
import shutil
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray

from app.conftest import embed_cheaply
from app.pages import put
from app.shell import run
from app.terminals import served
from app.test_reached_parts import embedded as three_words
from retrieval.floor.railway import PAGES, WordEmbedder
from tether.app import vector_process
from tether.app.agent import ARRIVED, opened_agents
from tether.app.cli import cli
from tether.app.index_sync import BEHIND
from tether.app.options import settings_under
from tether.app.search import SearchParts, open_index
from tether.app.settings.remote import RemoteEmbedder
from tether.app.settings.values import JudgeChoice, Settings
from tether.app.terminal.turn import Asked, Question, run_turn
from tether.app.vector_note import failure, held_note, running, stop
from tether.app.vector_process import add_vectors, start
from tether.ask.agent import AskAgent
from tether.ask.library import IndexLibrary
from tether.core.errors import InputRefused
from tether.retrieval.errors import EmbeddingFailed, IndexLocked
from tether.retrieval.index.index import ApplyReport, Index
from tether.retrieval.index.plan import Plan

pytestmark = pytest.mark.usefixtures("alone", "cheap")

SECONDS = 60
Started = list[Settings]


@pytest.fixture
def railway(tmp_path: Path) -> Path:
    return put(tmp_path / "railway", PAGES)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take a few passages for many."""
    monkeypatch.setattr("tether.app.search.AT_ONCE", 3)
    monkeypatch.setattr("tether.app.index_sync.AT_ONCE", 3)


@pytest.fixture
def started(few: None, monkeypatch: pytest.MonkeyPatch) -> Started:
    """Note which processes would be started."""
    noted: Started = []
    monkeypatch.setattr("tether.app.index_sync.start", noted.append)
    return noted


@pytest.fixture
def behind(railway: Path, started: Started) -> Path:
    """The folder of an index whose vectors are still to come."""
    run("search", "wagon", "--docs", railway).succeeded()
    (settings,) = started
    started.clear()
    return settings.index


def fill(folder: Path, judge: JudgeChoice = "auto") -> None:
    """Do what the process does, in this one."""
    add_vectors(Settings(index=folder, judge=judge))


def embedded(folder: Path) -> tuple[int, int]:
    found = open_index(folder).generation()
    return found.embedded, found.size


class SlowEmbedder(WordEmbedder):
    """Embeds one batch, then waits at the next one until it may go on."""

    reached = threading.Event()
    allowed = threading.Event()

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if len(texts) > 1:
            if self.reached.is_set():
                assert self.allowed.wait(SECONDS)
            self.reached.set()
        return super().embed_passages(texts)


@contextmanager
def working(folder: Path, patch: pytest.MonkeyPatch) -> Generator[Callable[[], None]]:
    """Add vectors in a thread that is in the middle of it; yield what lets it go on."""
    SlowEmbedder.reached.clear()
    SlowEmbedder.allowed.clear()
    patch.setattr("tether.app.search_models.MiniLm", SlowEmbedder)
    thread = threading.Thread(target=fill, args=(folder,))
    thread.start()
    assert SlowEmbedder.reached.wait(SECONDS)
    try:
        yield SlowEmbedder.allowed.set
    finally:
        SlowEmbedder.allowed.set()
        thread.join(SECONDS)
        assert not thread.is_alive()


class TestTheFirstAnswer:
    def test_it_comes_from_words_and_says_so(self, railway: Path, started: Started) -> None:
        ran = run("ask", "How is the wagon inspected?", "--docs", railway, "--judge", "off")
        assert ran.code == 0
        assert BEHIND in ran.err
        (settings,) = started
        assert (settings.judge, embedded(settings.index)[0]) == ("off", 0)
        assert open_index(settings.index).status().is_calibrated
        words = run("search", "wagon", "--docs", railway, "--explain").succeeded()
        assert "dense #" not in words.out
        assert len(started) == 2, "the process that is there ends the second one"

    def test_the_next_one_uses_vectors_once_they_are_there(
        self, behind: Path, railway: Path
    ) -> None:
        fill(behind)
        count, size = embedded(behind)
        assert count == size
        assert running(behind) is None
        assert list(behind.glob("vectors*")) == []
        ran = run("search", "wagon", "--docs", railway, "--explain").succeeded()
        assert "dense #" in ran.out
        assert ran.err == "", "there is a floor for them, too"

    def test_with_wait_all_vectors_come_first(self, railway: Path, started: Started) -> None:
        asked = ("search", "wagon", "--docs", railway, "--explain", "--wait")
        assert "dense #" in run(*asked).succeeded().out
        assert started == []
        assert BEHIND not in run("ask", "wagon", "--docs", railway, "--wait").err

    def test_in_ci_nothing_is_left_behind(
        self, railway: Path, started: Started, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("CI", "true")
        ran = run("search", "wagon", "--docs", railway, "--explain").succeeded()
        assert "dense #" in ran.out
        assert started == []

    def test_a_command_that_indexes_or_calibrates_adds_them_itself(
        self, railway: Path, behind: Path, started: Started
    ) -> None:
        run("calibrate", "--docs", railway, "--count", "20").succeeded()
        count, size = embedded(behind)
        assert count == size
        run("index", "apply", railway, "--index", "other").succeeded()
        assert started == []

    def test_a_small_index_has_them_at_once(self, tmp_path: Path, started: Started) -> None:
        docs = put(tmp_path / "small", {"a.md": "# Lanterns\n\nA lantern glows."})
        assert "dense #" in run("search", "lantern", "--docs", docs, "--explain").succeeded().out
        assert started == []

    def test_a_system_that_starts_no_process_is_told(
        self, railway: Path, few: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(*_: object) -> None:
            raise OSError(11, "Resource temporarily unavailable")

        monkeypatch.setattr("tether.app.index_sync.start", fail)
        ran = run("search", "wagon", "--docs", railway).succeeded()
        assert "no process adds vectors: [Errno 11] Resource temporarily" in ran.err
        assert "`tether index embed` does" in ran.err


def test_half_of_the_vectors_are_not_used(railway: Path, behind: Path, tmp_path: Path) -> None:
    fill(behind)
    put(railway, {f"new-{n}.md": f"# New {n}\n\nText about comets {n}." for n in range(9)})
    run("search", "comets", "--docs", railway).succeeded()
    index = open_index(behind)
    with index.snapshot() as snapshot:
        assert 0 < snapshot.embedded < snapshot.size
        assert SearchParts.of(snapshot, "off").retriever().embedder is None
    fill(behind)
    with index.snapshot() as snapshot:
        assert SearchParts.of(snapshot, "off").retriever().embedder is not None


class TestTheProcess:
    def test_it_is_one_of_its_own_and_adds_them_all(
        self, railway: Path, few: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """With the shipped embedder, in another session, and with a home that is nobody's."""
        docs = put(railway.parent / "some", dict(list(PAGES.items())[:4]))
        monkeypatch.undo()
        monkeypatch.setenv("XDG_DATA_HOME", str(railway.parent / "data"))
        run("index", "apply", docs, "--index", "some", "--no-embeddings").succeeded()
        settings = settings_under(index="some", judge="off")
        folder = settings.index
        start(settings)
        start(settings)
        while embedded(folder)[0] == 0 or running(folder) is not None:
            threading.Event().wait(0.05)
        count, size = embedded(folder)
        assert count == size
        with open_index(folder).snapshot() as snapshot:
            assert snapshot.embedder.startswith("minilm")

    def test_it_connects_nowhere_and_steps_back(
        self, behind: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        done: list[object] = []
        monkeypatch.setattr(vector_process, "go_offline", done.append)
        monkeypatch.setattr("os.nice", done.append)
        order = {"judge": "off", "embedder": {}, "reranker": {}}
        monkeypatch.setattr("sys.argv", ["it", str(behind)])
        monkeypatch.setattr("sys.stdin", StringIO(json.dumps(order)))
        vector_process.main()
        assert done == [frozenset(), 10]
        assert embedded(behind)[0] > 0

    def test_it_embeds_as_the_settings_say_and_reaches_nothing_else(
        self, railway: Path, few: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A key that is not in the settings but in a variable, and a network that is shut."""
        monkeypatch.setenv("EMBEDDER_KEY", "sk-embedder")
        run("index", "apply", railway, "--index", "far", "--no-embeddings").succeeded()
        with served(three_words) as endpoint:
            remote = RemoteEmbedder(
                url=f"{endpoint.url}/v1", model="m", dimensions=3, api_key_env="EMBEDDER_KEY"
            )
            settings = replace(settings_under(index="far", offline=True), embedder=remote)
            start(settings)
            while embedded(settings.index)[0] == 0 or running(settings.index) is not None:
                assert failure(settings.index) == ""
                threading.Event().wait(0.05)
            keys = {request.headers["authorization"] for request in endpoint.requests}
            monkeypatch.setattr("sys.argv", ["it", str(settings.index)])
            order = {"judge": "off", "embedder": asdict(remote), "reranker": {}}
            monkeypatch.setattr("sys.stdin", StringIO(json.dumps(order)))
            allowed: list[object] = []
            monkeypatch.setattr(vector_process, "go_offline", allowed.append)
            monkeypatch.setattr("os.nice", id)
            vector_process.main()
        assert keys == {"Bearer sk-embedder"}
        assert allowed == [{("127.0.0.1", urlsplit(endpoint.url).port)}]
        count, size = embedded(settings.index)
        assert count == size

    def test_there_is_one_at_a_time(self, behind: Path) -> None:
        with held_note(behind) as first:
            assert first is not None
            fill(behind)
            assert embedded(behind)[0] == 0
            found = running(behind)
            assert found is not None
            assert found.pid == os.getpid()

    def test_how_far_it_is_can_be_seen_and_it_can_be_stopped(
        self, behind: Path, railway: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        chosen = ("--docs", railway)
        with working(behind, monkeypatch) as go_on:
            total = embedded(behind)[1]
            line = f"0 with vectors; process {os.getpid()} adds them: 16 of {total} "
            while line not in run("index", "status", *chosen).succeeded().out:
                threading.Event().wait(0.01)
            vectors = run("index", "status", *chosen, "--json").json["vectors"]
            assert (vectors["done"], vectors["total"]) == (16, total)
            go_on()
            stopped = run("index", "stop", *chosen).succeeded().out
        assert stopped.startswith("stopped; ")
        assert "goes on" in stopped
        assert embedded(behind)[0] == 0
        assert run("search", "wagon", *chosen).succeeded().out.startswith("[1] ")
        none = run("index", "stop", *chosen).succeeded().out
        assert none == "no process adds vectors to this index\n"
        embed_cheaply(monkeypatch)
        assert run("index", "embed", *chosen, "--json").succeeded().json["texts"] < total

    def test_it_ends_with_its_index(self, behind: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        with working(behind, monkeypatch) as go_on:
            timer = threading.Timer(0.2, go_on)
            timer.start()
            run("index", "remove", behind.name, "--yes").succeeded()
            timer.join()
        assert list(behind.parent.iterdir()) == []

    def test_it_ends_with_an_index_that_was_deleted_by_hand(
        self, behind: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with working(behind, monkeypatch) as go_on:
            shutil.rmtree(behind)
            go_on()
        assert not behind.exists()

    def test_one_that_fails_says_why_and_is_not_started_again(
        self,
        behind: Path,
        railway: Path,
        started: Started,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        class Failing(WordEmbedder):
            def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
                raise EmbeddingFailed("no vectors today")

        monkeypatch.setattr("tether.app.search_models.MiniLm", Failing)
        fill(behind)
        why = "adding them failed: no vectors today (`tether index embed` tries again)"
        assert why in run("index", "status", "--docs", railway).succeeded().out
        ran = run("search", "wagon", "--docs", railway).succeeded()
        assert "vectors could not be added: no vectors today. Try `tether index embed`" in ran.err
        assert started == []
        embed_cheaply(monkeypatch)
        run("index", "embed", "--docs", railway).succeeded()
        assert "failed" not in run("index", "status", "--docs", railway).succeeded().out

    @pytest.mark.parametrize("error", [IndexLocked("x"), InputRefused("x")])
    def test_a_floor_that_others_prevent_is_left_to_the_next_question(
        self, behind: Path, error: Exception, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def busy(*_: object, **__: object) -> str:
            raise error

        monkeypatch.setattr("tether.app.vector_process.fit_if_due", busy)
        fill(behind)
        assert not list(behind.glob("vectors*"))

    def test_one_that_does_not_end_is_named(
        self, behind: Path, railway: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("tether.app.vector_note.PATIENCE_S", 0.1)
        with held_note(behind):
            ran = run("index", "stop", "--docs", railway)
        assert (ran.code, f"run: kill {os.getpid()}" in ran.err) == (1, True)

    def test_a_note_that_was_removed_before_it_was_locked_is_nobodys(
        self, behind: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def locked(_: int) -> bool:
            (behind / "vectors.json").unlink()
            return True

        monkeypatch.setattr("tether.app.vector_note._is_locked_soon", locked)
        with held_note(behind) as note:
            assert note is None

    def test_a_note_of_somebody_else_is_an_empty_one(self, behind: Path) -> None:
        for text in ("", "[]", json.dumps({"more": 1})):
            put(behind, {"vectors.json": text})
            assert running(behind) is None
            assert stop(behind) is None


class TestOthersWhoWrite:
    def test_documents_wait_for_the_moments_of_the_process(
        self, behind: Path, railway: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        apply, tries = Index.apply, [IndexLocked("x"), IndexLocked("x")]

        def sometimes(self: Index, plan: Plan, **rest: object) -> ApplyReport:
            if tries:
                raise tries.pop()
            return apply(self, plan, **rest)  # type: ignore[arg-type]  # as they came

        monkeypatch.setattr(Index, "apply", sometimes)
        monkeypatch.setattr("tether.app.index_sync.PAUSE_S", 0)
        put(railway, {"new.md": "# Comets\n\nA comet has a tail."})
        with held_note(behind):
            ran = run("search", "comet tail", "--docs", railway, "--index", behind)
        assert "new.md" in ran.out
        assert "not checked for changes" not in ran.err

    def test_they_do_not_wait_for_ever(
        self, behind: Path, railway: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def locked(*_: object, **__: object) -> None:
            raise IndexLocked("process 1 writes it")

        monkeypatch.setattr(Index, "apply", locked)
        monkeypatch.setattr("tether.app.index_sync.PATIENCE_S", -1)
        put(railway, {"new.md": "# Comets\n\nA comet has a tail."})
        with held_note(behind):
            ran = run("search", "wagon", "--docs", railway).succeeded()
        assert "The documents were not checked for changes: process 1 writes it" in ran.err


async def test_a_session_uses_vectors_as_soon_as_they_are_there(
    behind: Path, railway: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = settings_under(docs=[str(railway)], judge="off")
    async with opened_agents(settings) as agents:
        before = await agents.current()
        assert (await before.ask("How is the wagon inspected?")).verdict == "answered"
        assert ARRIVED not in capsys.readouterr().err
        fill(behind, "off")
        after = await agents.current()
        assert ARRIVED in capsys.readouterr().err
        assert not agents.search.is_behind
        assert agents.search.retriever().embedder is not None
        assert (await after.ask("How is the wagon inspected?")).verdict == "answered"


def test_a_running_chat_uses_them_from_the_next_question_on(
    behind: Path, railway: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: list[bool] = []

    async def turn(agent: AskAgent, question: Question, **rest: Any) -> Asked:
        assert isinstance(agent.library, IndexLibrary)
        used.append(agent.library.retriever.embedder is not None)
        asked = await run_turn(agent, question, **rest)
        fill(behind, "off")
        return asked

    monkeypatch.setattr("tether.app.commands.chat.run_turn", turn)
    lines = "How is the wagon inspected?\nHow is the wagon cleaned?\n"
    words = ["chat", "--docs", str(railway), "--judge", "off"]
    ran = CliRunner().invoke(cli, words, input=lines)
    assert ran.exit_code == 0
    assert ran.stderr.count(ARRIVED) == 1
    assert used == [False, True]
