"""Turns that fail, are aborted or go round the gate: nothing is stored, the reason is reported."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from ask.bookshelf import (
    QUESTION,
    RESTARTS,
    WIDE,
    Heard,
    Shelf,
    Writer,
    agent_of,
    model_of,
    narrow,
)
from tether import AbortSignal, DispatchContext, Helpers, Message
from tether.ask import Answer, AskAgent, AskModel, AskSettings, Step
from tether.ask.events import AskEvent
from tether.batteries.models.scripted import Say, ScriptedModel
from tether.batteries.storage.errors import StoreFailed
from tether.batteries.storage.records import Exchange
from tether.batteries.storage.sqlite import SqliteStore
from tether.retrieval import Findings, Query
from tether.retrieval.errors import IndexDamaged

GOOD = Shelf().cited(RESTARTS)


async def stored_nothing(store: SqliteStore) -> bool:
    return (
        await store.conversations() == []
        and await store.memories(state=None) == []
        and await store.instructions(state=None) == []
    )


async def test_a_model_that_fails_is_an_answer_that_failed(store: SqliteStore) -> None:
    heard = Heard()
    agent, _, _ = agent_of(store, RuntimeError("out of memory"))
    answer = await agent.ask(QUESTION, listener=heard)
    assert answer.verdict == "failed"
    assert answer.error is not None
    assert answer.error[0] == "E_LLM_EXECUTION_EXECUTOR_ERROR"
    assert "out of memory" in answer.error[1]
    assert (answer.text, answer.citations, answer.reason) == ("", (), None)
    assert heard.events[-1] is answer
    assert await stored_nothing(store)


async def test_a_failure_in_a_retry_leaves_nothing_of_the_first_attempt(
    store: SqliteStore,
) -> None:
    agent, _, _ = agent_of(store, "Nothing cited.", RuntimeError("gone"))
    answer = await agent.ask(QUESTION)
    assert (answer.verdict, answer.attempts) == ("failed", 1)
    assert "Nothing cited" not in repr(answer)
    assert await stored_nothing(store)


async def test_the_reason_is_the_error_at_the_bottom_with_its_help(store: SqliteStore) -> None:
    class Damaged(Shelf):
        def search(self, query: Query, limit: int) -> Findings:
            raise IndexDamaged("the postings are cut short", help="Build the index again.")

    agent, writer, _ = agent_of(store, shelf=Damaged())
    answer = await agent.ask(QUESTION)
    assert answer.error == (
        IndexDamaged.default_code,
        "the postings are cut short. Build the index again.",
    )
    assert writer.times == 0


async def test_a_conversation_that_is_not_there_is_a_failure(store: SqliteStore) -> None:
    agent, writer, shelf = agent_of(store)
    answer = await agent.ask(QUESTION, conversation="nobody's")
    assert answer.error is not None
    assert answer.error[0] == "E_RECORD_MISSING"
    assert (writer.times, shelf.searched) == (0, [])


async def test_a_conversation_of_somebody_else_is_not_there(store: SqliteStore) -> None:
    agent, _, _ = agent_of(store, GOOD)
    answer = await agent.ask(QUESTION, owner="ann")
    other = await agent.ask(QUESTION, owner="bob", conversation=answer.conversation)
    assert other.error is not None
    assert other.error[0] == "E_RECORD_MISSING"


async def test_a_store_that_cannot_write_fails_the_turn(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def full(exchange: Exchange, *, owner: str = "", begins: str | None = None) -> None:
        raise StoreFailed("the disk is full")

    monkeypatch.setattr(store, "store_exchange", full)
    agent, _, _ = agent_of(store, GOOD)
    answer = await agent.ask(f"I use Debian. {QUESTION}")
    assert answer.verdict == "failed"
    assert answer.error is not None
    assert "the disk is full" in answer.error[1]
    assert await stored_nothing(store)


async def test_a_prompt_that_cannot_fit_fails_before_the_model_is_asked(
    store: SqliteStore,
) -> None:
    agent, writer, _ = agent_of(store, profile=narrow(500))
    answer = await agent.ask(QUESTION + " worker" * 900)
    assert answer.error is not None
    assert answer.error[0] == "E_MODEL_CONTEXT_OVERFLOW"
    assert writer.times == 0


async def test_a_model_that_acks_by_itself_cannot_go_round_the_gate(store: SqliteStore) -> None:
    model = AskModel(name="eager", executor=ScriptedModel([[Say("Trust me.")]]), profile=WIDE)
    answer = await AskAgent(library=Shelf(), model=model, store=store).ask(QUESTION)
    assert answer.verdict == "failed"
    assert answer.error is not None
    assert "before its answer was checked" in answer.error[1]
    assert "Trust me" not in repr(answer)
    assert await stored_nothing(store)


async def test_an_abort_before_the_turn_ends_it_at_once(store: SqliteStore) -> None:
    signal = AbortSignal()
    signal.abort("no longer wanted")
    agent, writer, shelf = agent_of(store, GOOD)
    answer = await agent.ask(QUESTION, abort_signal=signal)
    assert answer.verdict == "failed"
    assert answer.error is not None
    assert answer.error[0] == "E_ABORTED"
    assert (writer.times, shelf.searched) == (0, [])
    assert await stored_nothing(store)


@pytest.mark.parametrize("kind", ["history", "search", "evidence", "memories", "generate"])
async def test_an_abort_at_any_step_stores_nothing(store: SqliteStore, kind: str) -> None:
    signal = AbortSignal()

    def stop(event: AskEvent) -> None:
        if isinstance(event, Step) and event.kind == kind:
            signal.abort()

    agent, _, _ = agent_of(store, GOOD)
    answer = await agent.ask(f"I use Debian. {QUESTION}", abort_signal=signal, listener=stop)
    assert answer.error is not None
    assert answer.error[0] == "E_ABORTED"
    assert await stored_nothing(store)


async def test_an_abort_after_the_store_comes_too_late(store: SqliteStore) -> None:
    signal = AbortSignal()

    def stop(event: AskEvent) -> None:
        if isinstance(event, Step) and event.kind == "store":
            signal.abort()

    agent, _, _ = agent_of(store, GOOD)
    answer = await agent.ask(QUESTION, abort_signal=signal, listener=stop)
    assert answer.verdict == "answered"
    assert (await store.exchange(answer.id)).turn == answer.id


async def test_an_abort_while_the_model_writes_ends_the_turn(store: SqliteStore) -> None:
    signal = AbortSignal()
    writing = asyncio.Event()

    async def endless(ctx: DispatchContext, helpers: Helpers) -> None:
        now = ctx.clock.now()
        await ctx.store_message(
            Message(id="half", role="assistant", content="Half of", created_at=now)
        )
        writing.set()
        await ctx.abort_signal.guard(asyncio.sleep(60))

    model = AskModel(name="endless", executor=endless, profile=WIDE)
    agent = AskAgent(library=Shelf(), model=model, store=store)
    turn = asyncio.create_task(agent.ask(QUESTION, abort_signal=signal))
    await writing.wait()
    signal.abort()
    answer: Answer = await turn
    assert answer.error is not None
    assert answer.error[0] == "E_ABORTED"
    assert await stored_nothing(store)


async def test_an_abort_ends_a_model_that_does_not_look_at_the_signal(store: SqliteStore) -> None:
    signal = AbortSignal()
    ended = asyncio.Event()

    async def deaf(ctx: DispatchContext, helpers: Helpers) -> None:
        signal.abort()
        try:
            await asyncio.sleep(3_600)
        finally:
            ended.set()

    for model in (
        AskModel(name="deaf", executor=deaf, profile=WIDE),
        replace(model_of(Writer([GOOD])), helper=deaf),
    ):
        signal, ended = AbortSignal(), asyncio.Event()
        settings = AskSettings(hypothesis=True)
        agent = AskAgent(library=Shelf(), model=model, store=store, settings=settings)
        answer = await agent.ask(QUESTION, abort_signal=signal)
        assert answer.error is not None
        assert answer.error[0] == "E_ABORTED"
        assert ended.is_set()
    assert await stored_nothing(store)


async def test_a_conversation_that_did_not_begin_can_be_asked_for_again(store: SqliteStore) -> None:
    agent, _, _ = agent_of(store, RuntimeError("gone"), GOOD, RuntimeError("gone"))
    failed = await agent.ask(QUESTION)
    answer = await agent.ask(QUESTION, conversation=failed.conversation)
    assert (failed.verdict, answer.verdict) == ("failed", "answered")
    again = await agent.ask(QUESTION, conversation=answer.conversation)
    assert (again.verdict, again.conversation) == ("failed", answer.conversation)


async def test_what_was_written_before_a_failure_is_told_and_nowhere_else(
    store: SqliteStore,
) -> None:
    heard = Heard()

    async def broken(ctx: DispatchContext, helpers: Helpers) -> None:
        helpers.report_message("m", "Half of an ")
        helpers.report_message("m", "answer")
        raise ConnectionError("the line was cut")

    model = AskModel(name="broken", executor=broken, profile=WIDE)
    answer = await AskAgent(library=Shelf(), model=model, store=store).ask(
        f"I use Debian. {QUESTION}", listener=heard
    )
    assert "".join(it.delta for it in heard.provisional) == "Half of an answer"
    assert "the line was cut" in repr(answer.error)
    assert "Half" not in repr(answer)
    assert await stored_nothing(store)
