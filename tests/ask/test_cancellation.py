"""Cancelled at every suspension of a turn: a whole exchange or none, and nothing left behind."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from ask.bookshelf import (
    QUESTION,
    RESTARTS,
    RETENTION,
    WIDE,
    Shelf,
    Writer,
    helper_of,
    model_of,
)
from tether import DispatchContext, Helpers
from tether.ask import Answer, AskAgent, AskModel, AskSettings
from tether.batteries.storage.sqlite import SqliteStore

SHELF = Shelf()
GOOD = SHELF.cited(RESTARTS)
TALK = "talk-1"


class CancelledAt:
    """Drives a coroutine, and cancels its task when it suspends for the k-th time."""

    def __init__(self, work: Any, at: int) -> None:
        self._work = work
        self._at = at
        self.suspensions = 0

    def __await__(self) -> Generator[Any, Any, Any]:
        inner = self._work.__await__()
        send: Any = None
        throw: BaseException | None = None
        while True:
            try:
                waited = inner.throw(throw) if throw is not None else inner.send(send)
            except StopIteration as done:
                return done.value
            self.suspensions += 1
            if self.suspensions == self._at:
                task = asyncio.current_task()
                assert task is not None
                task.cancel()
            throw = None
            try:
                send = yield waited
            except BaseException as error:  # noqa: BLE001  # handed in, as a task would
                throw = error


def agent_on(store: SqliteStore) -> AskAgent:
    """Return an agent whose turn goes through every stage, a retry among them."""
    writer = Writer(["Nothing cited.", GOOD])
    said = ["workers restart checks", "A worker restarts.", "worker restart\nrestart policy"]
    model = replace(model_of(writer), helper=helper_of(said))
    settings = AskSettings(hypothesis=True, variants=2, address_check=False)
    return AskAgent(library=SHELF, model=model, store=store, settings=settings)


async def begun(store: SqliteStore) -> None:
    """Store a first exchange, so that the turn under test is a follow-up."""
    first = Writer([SHELF.cited(RETENTION)])
    await store.begin(id=TALK)
    agent = AskAgent(
        library=SHELF,
        model=model_of(first),
        store=store,
        settings=AskSettings(address_check=False),
    )
    answer = await agent.ask("When does a queue drop tasks?", conversation=TALK, turn="turn-0")
    assert answer.verdict == "answered"


async def cancelled_turn(store: SqliteStore, at: int) -> tuple[Answer | None, int]:
    """Run the turn and cancel it at its k-th suspension; return its answer if it came to one."""
    question = f"I use Debian. And what about it, {QUESTION}"
    driven = CancelledAt(agent_on(store).ask(question, conversation=TALK, turn="turn-1"), at)

    before = asyncio.all_tasks()
    task = asyncio.create_task(_run(driven))
    (outcome,) = await asyncio.gather(task, return_exceptions=True)
    assert asyncio.all_tasks() == before  # no stray tasks
    if isinstance(outcome, Answer):
        return outcome, driven.suspensions
    assert isinstance(outcome, asyncio.CancelledError), outcome
    return None, driven.suspensions


async def usable(store: SqliteStore) -> None:
    """Write and read, which a held lock or an open transaction would not allow."""
    probe = await store.begin(title="probe")
    await store.delete_conversation(probe.id)


async def test_cancelled_anywhere_it_is_stored_whole_or_not_at_all(
    file_store: SqliteStore,
) -> None:
    store = file_store
    await begun(store)
    ends = set[str]()
    answer: Answer | None = None
    for at in count(1):
        answer, suspensions = await cancelled_turn(store, at)
        stored = [it.turn for it in await store.exchanges(TALK)]
        assert stored in (["turn-0"], ["turn-0", "turn-1"])
        memories = await store.memories(state=None)
        assert not memories or stored[-1] == "turn-1"  # a turn that was stopped teaches nothing
        await usable(store)
        if suspensions < at:
            break
        ends.add("stored" if len(stored) == 2 else "nothing")
        if len(stored) == 2:
            exchange = await store.exchange("turn-1")
            assert Answer.from_json(exchange.details).verdict == "answered"
            await store.delete_conversation(TALK)
            for record in memories:
                await store.forget(record.memory.id)
            await begun(store)
    assert answer is not None
    assert answer.verdict == "answered"
    assert ends == {"nothing", "stored"}  # stopped before the store and after it


async def test_a_conversation_that_begins_is_stored_with_its_exchange_or_not_at_all(
    store: SqliteStore,
) -> None:
    at, whole = 0, list[int]()
    settings = AskSettings(address_check=False, rewrite=False)
    for at in count(1):
        model = model_of(Writer([GOOD]))
        agent = AskAgent(library=SHELF, model=model, store=store, settings=settings)
        driven = CancelledAt(agent.ask(QUESTION), at)
        await asyncio.gather(_run(driven), return_exceptions=True)
        talks = await store.conversations()
        assert [talk.exchanges for talk in talks] in ([], [1])
        whole += [at] * len(talks)
        for talk in talks:
            await store.delete_conversation(talk.id)
        if driven.suspensions < at:
            break
    assert whole[-1] == at


async def _run(driven: CancelledAt) -> Answer:
    answer: Answer = await driven
    return answer


async def test_a_cancelled_stream_raises_and_leaves_no_task(store: SqliteStore) -> None:
    await begun(store)
    before = asyncio.all_tasks()

    async def read() -> None:
        async for _ in agent_on(store).stream(QUESTION, conversation=TALK, turn="turn-1"):
            await asyncio.sleep(60)

    task = asyncio.create_task(read())
    while not task.done() and len(asyncio.all_tasks()) == len(before) + 1:
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.sleep(0)
    assert [it.turn for it in await store.exchanges(TALK)] == ["turn-0"]


async def test_a_stream_that_is_cancelled_again_waits_for_the_end_of_its_turn(
    store: SqliteStore,
) -> None:
    writing, ended = asyncio.Event(), asyncio.Event()

    async def slow(ctx: DispatchContext, helpers: Helpers) -> None:
        writing.set()
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.02)
            ended.set()

    model = AskModel(name="slow", executor=slow, profile=WIDE)
    agent = AskAgent(library=SHELF, model=model, store=store)

    async def read() -> None:
        async for _ in agent.stream(QUESTION):
            pass

    task = asyncio.create_task(read())
    await writing.wait()
    task.cancel()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert not ended.is_set()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended.is_set()


async def test_two_turns_of_one_conversation_at_once_are_both_stored(store: SqliteStore) -> None:
    await begun(store)
    shelf = Shelf()
    agents = [
        AskAgent(
            library=shelf,
            model=model_of(Writer([shelf.cited(sentence)])),
            store=store,
            settings=AskSettings(address_check=False),
        )
        for sentence in (RESTARTS, RETENTION)
    ]
    questions = (QUESTION, "When does a queue drop its tasks?")
    answers = await asyncio.gather(
        *(
            agent.ask(question, conversation=TALK)
            for agent, question in zip(agents, questions, strict=True)
        )
    )
    assert [answer.verdict for answer in answers] == ["answered", "answered"]
    stored = [it.turn for it in await store.exchanges(TALK)]
    assert stored[0] == "turn-0"
    assert sorted(stored[1:]) == sorted(answer.id for answer in answers)
    assert [it.document for it in answers[0].citations] == ["workers.md"]
    assert [it.document for it in answers[1].citations] == ["queues.md"]
