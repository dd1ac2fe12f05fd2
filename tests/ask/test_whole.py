"""Whole conversations with real parts: a real index, models, databases and processes."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from ask.bookshelf import QUESTION, RESTARTS, Heard, Shelf, agent_of, quoting
from retrieval.floor.railway import PAGES
from support.stores import own_schema, running_postgres
from tether.ask import Answer, AskAgent
from tether.batteries.storage.postgres import PostgresStore
from tether.batteries.storage.sqlite import SqliteStore
from tether.retrieval import MemoryIndex, Retriever
from tether.retrieval.dense.embedder import MiniLm
from tether.retrieval.floor.calibrate import LEAST, calibrate
from tether.retrieval.floor.calibration import Parts
from tether.retrieval.floor.floor import FittedFloor
from tether.retrieval.floor.questions import questions_from_corpus
from tether.retrieval.judge import OnnxJudge

SOME = {key: text for at, (key, text) in enumerate(PAGES.items()) if at < 8 or "wagon" in text}
DEEP = os.environ.get("EXPLORE") == "deep"
PROCESSES, TURNS = (4, 25) if DEEP else (2, 2)
ASKING = """
import asyncio, sys
from pathlib import Path
from ask.bookshelf import QUESTION, RESTARTS, Shelf, agent_of
from tether.batteries.storage.sqlite import SqliteStore

async def main(path, talk, name, turns):
    store = await SqliteStore.open(Path(path))
    shelf = Shelf()
    agent, _, _ = agent_of(store, *[shelf.cited(RESTARTS)] * turns, shelf=shelf)
    for n in range(turns):
        answer = await agent.ask(QUESTION, conversation=talk, turn=f"{name}-{n}")
        assert answer.verdict == "answered", answer
    await store.aclose()

asyncio.run(main(*sys.argv[1:4], int(sys.argv[4])))
"""


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    """The address of a real server."""
    with running_postgres() as address:
        yield address


class RealShelf(Shelf):
    """Pages about a railway, searched with the real embedder above a floor that was fitted."""

    def __post_init__(self) -> None:
        super().__post_init__()
        embedder = MiniLm()
        index = MemoryIndex(self.all_chunks, embedder=embedder)
        retriever = Retriever(index=index, embedder=embedder)
        made = questions_from_corpus(index, count=LEAST, seed=0)
        far = [one for one in made if one.kind == "far"][:LEAST]
        made = [*(one for one in made if one.kind == "answerable"), *far]
        parts = Parts(embedder=embedder.fingerprint, judge="", chunker="usual", search="usual")
        fitted = calibrate(retriever, made, parts, source="corpus")
        self.retriever = replace(retriever, floor=FittedFloor(fitted))


async def test_with_real_models_it_answers_what_the_pages_say_and_nothing_else(
    store: SqliteStore,
) -> None:
    shelf, heard = RealShelf(SOME), Heard()
    agent = AskAgent(library=shelf, model=quoting(), store=store, judge=OnnxJudge())
    answer = await agent.ask("How do operators repair the wagon?", listener=heard)
    assert answer.verdict == "answered", answer
    for citation in answer.citations:
        text = shelf.text(citation.document)
        assert text is not None
        assert text[citation.start : citation.end] == citation.quote
    assert "wagon" in answer.citations[0].quote
    assert heard.of("floor")[0].detail["sufficient"] is True
    refused = await agent.ask("Which cheese won the fair in the year of the flood?")
    assert refused.verdict == "abstained"
    assert refused.attempts == 0  # the floor spoke, and no model was asked


async def test_a_conversation_on_postgres(postgres: str) -> None:
    store = await PostgresStore.open(own_schema(postgres))
    shelf = Shelf()
    good, heard = shelf.cited(RESTARTS), Heard()
    agent, writer, _ = agent_of(store, "Nothing cited.", good, good, RuntimeError("gone"), good)
    first = await agent.ask(f"I use Debian. {QUESTION}", owner="ann", turn="t1")
    again = await agent.ask("And why does it?", conversation=first.conversation, owner="ann")
    assert [it.verdict for it in (first, again)] == ["answered", "answered"]
    assert writer.memories[2] == [str((await store.memories(owner="ann"))[0].memory.content)]
    failed = await agent.ask(QUESTION, conversation=first.conversation, owner="ann")
    assert failed.verdict == "failed"
    stored = await store.exchanges(first.conversation, owner="ann")
    assert [Answer.from_json(it.details) for it in stored] == [first, again]
    assert "Nothing cited" not in repr([(it.question, it.answer, it.details) for it in stored])
    asked = await agent.ask(f"I use Debian. {QUESTION}", owner="ann", turn="t1", listener=heard)
    assert (asked, heard.events) == (first, [first])  # the same turn returns the stored answer
    elsewhere = await agent.ask(QUESTION, conversation=first.conversation, owner="bob")
    assert elsewhere.error is not None
    await store.aclose()


async def test_processes_talk_in_one_conversation(file_store: SqliteStore, tmp_path: Path) -> None:
    store = file_store
    talk = (await store.begin(title="shared")).id
    running = [
        await asyncio.create_subprocess_exec(
            sys.executable,
            *("-c", ASKING, str(tmp_path / "tether.db"), talk, f"p{n}", str(TURNS)),
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
            stderr=asyncio.subprocess.PIPE,
        )
        for n in range(PROCESSES)
    ]
    errors = await asyncio.gather(*(process.communicate() for process in running))
    assert [process.returncode for process in running] == [0] * PROCESSES, errors
    stored = [it.turn for it in await store.exchanges(talk)]
    for n in range(PROCESSES):
        mine = [turn for turn in stored if turn.startswith(f"p{n}-")]
        assert mine == [f"p{n}-{at}" for at in range(TURNS)]  # each in its own order
    assert len(stored) == PROCESSES * TURNS
