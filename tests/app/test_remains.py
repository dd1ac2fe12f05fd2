"""What is said after Ctrl-C is what the index and the store really have."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.pages import DOCS, put
from app.shell import Ran, run
from support.gates import gate_row
from tether.app.terminal.remains import Remains
from tether.ask.memory.remember import Remember
from tether.ask.persist import Persist
from tether.batteries.storage.errors import StoreFailed
from tether.batteries.storage.records import MemoryRecord
from tether.batteries.storage.sqlite import SqliteStore
from tether.core.memory import Memory
from tether.retrieval.index.index import Index
from tether.runtime.clock import SystemClock

pytestmark = pytest.mark.usefixtures("alone", "cheap", "unjudged")

QUESTION = "My name is Ada. Can a volume shrink?"


async def press_ctrl_c(*_: object) -> None:
    """Take the place of a stage in which somebody presses Ctrl-C."""
    signal.raise_signal(signal.SIGINT)
    await asyncio.Event().wait()


def ask(*words: str) -> Ran:
    ran = run("ask", QUESTION, *words)
    assert (ran.code, ran.out) == (130, "")
    return ran


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    return put(tmp_path / "docs", DOCS)


def test_a_turn_that_is_stopped_before_the_end_is_not_stored_and_the_index_is(
    docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Persist, "__call__", press_ctrl_c)
    first = ask("--docs", str(docs))
    assert first.told.endswith(
        "Interrupted. The turn was stopped: neither the question nor an answer was stored."
        " The index was brought in step with the documents.\n"
    )
    run("index", "status", "--docs", docs).succeeded()
    assert run("logs", "--json").json == {"turns": []}
    again = ask("--docs", str(docs))
    assert again.told.endswith("neither the question nor an answer was stored.\n")


def test_a_turn_that_is_stopped_after_it_was_stored_is_said_to_be_stored(
    docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("index", "apply", docs, "--index", ".tether/index").succeeded()
    monkeypatch.setattr(Remember, "__call__", press_ctrl_c)
    ran = ask()
    (kept,) = run("logs", "--json").succeeded().json["turns"]
    assert f"The answer is stored: `tether logs show {kept['turn']}` prints it." in ran.err
    assert "never shrinks" in run("logs", "show", kept["turn"]).succeeded().out


def test_what_comes_after_the_turn_does_not_unstore_it(
    docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("index", "apply", docs, "--index", ".tether/index").succeeded()
    told = "tether.app.terminal.decisions.Decisions.tell_instructions"
    monkeypatch.setattr(told, press_ctrl_c)
    assert "Interrupted. The answer is stored: `tether logs show " in ask().err


def test_a_question_that_waits_for_its_index_was_not_asked(
    docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object, check: Callable[[], None], **__: object) -> str:
        signal.raise_signal(signal.SIGINT)
        while True:
            check()

    def at_once(*_: object, progress: Callable[[Any], None], **__: object) -> None:
        signal.raise_signal(signal.SIGINT)
        while True:
            progress(None)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tether.app.index_sync.progress_of_steps", Deaf)
        patch.setattr(Index, "plan", at_once)
        assert ask("--docs", str(docs)).told == "Interrupted. The question was not asked.\n"
    monkeypatch.setattr("tether.app.index_sync.fit_if_due", stopped)
    told = "Interrupted. The question was not asked."
    in_step = "The index was brought in step with the documents."
    assert ask("--docs", str(docs)).told == f"{told} {in_step}\n"


class Deaf:
    """Progress that nobody sees."""

    def __enter__(self) -> Callable[[object], None]:
        return lambda _: None

    def __exit__(self, *_: object) -> None:
        return


async def test_decisions_and_memories_of_a_stopped_turn_are_named(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "store.db")
    remains = Remains(turn="turn-1")
    await store.open_gate(gate_row(run="turn-1", owner="o"))
    await store.open_gate(gate_row(run="another", owner="o"))
    memory = Memory(
        id="m", content="Ada.", confidence=1, importance=1, created_at=SystemClock().now()
    )
    record = MemoryRecord(
        memory=memory, owner="o", tier="first-party", origin="person", turn="turn-1"
    )
    await store.remember(record)
    await remains.look(store, "o")
    await store.aclose()
    assert remains.text == (
        "The turn was stopped: neither the question nor an answer was stored. Kept of it:"
        " 1 decision about calls, see `tether gates list --state all`."
        " 1 fact remembered: see `tether memory list`."
    )


async def test_a_store_that_does_not_answer_counts_as_one_without_the_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(*_: object, **__: object) -> None:
        raise StoreFailed("the disk is full")

    store = await SqliteStore.open(tmp_path / "store.db")
    for name in ("exchange", "gates"):
        monkeypatch.setattr(SqliteStore, name, fails)
    remains = Remains(turn="turn-1")
    await remains.look(store, "")
    await store.aclose()
    assert remains.text.endswith("neither the question nor an answer was stored.")
