"""The citation gate: each failure, exhaustion, and that nothing rejected is left anywhere."""

from __future__ import annotations

import pytest

from ask.bookshelf import QUESTION, RESTARTS, WIDE, Heard, Play, Shelf, agent_of
from tether import DispatchContext, Helpers, Message
from tether.ask import AskAgent, AskModel, AskSettings
from tether.batteries.models.scripted import Call, Say, Think
from tether.batteries.storage.sqlite import SqliteStore
from tether.core.byte_sources import BytesReader
from tether.core.media import Media

GOOD = Shelf().cited(RESTARTS)
LINK = Shelf().chunk_with(RESTARTS).link

FAILURES: dict[str, Play] = {
    "empty": [Say("")],
    "code": f"{GOOD}\n\n```sh\nworker --restart\n```",
    "citation": "Workers restart when their checks fail.",
    "phantom": f"{GOOD} Workers can fly ([Flying](flying.md#up)).",
    "quote": f"A worker sings an aria in the opera house every evening ([Workers]({LINK})).",
    "unlinked": f"{GOOD} As described in the guide, penguins do.",
}


@pytest.mark.parametrize("kind", FAILURES)
async def test_a_failed_attempt_is_taken_back_and_the_next_one_stands(
    store: SqliteStore, kind: str
) -> None:
    heard, shelf = Heard(), Shelf()
    bad = FAILURES[kind]
    agent, writer, _ = agent_of(store, bad, GOOD, shelf=shelf)
    answer = await agent.ask(QUESTION, listener=heard)
    first, second = heard.of("verify")
    assert kind in [failure["kind"] for failure in first.detail["failures"]]
    assert second.state == "done"
    assert (answer.verdict, answer.attempts, answer.notes) == ("answered", 2, ())
    assert [it.attempt for it in heard.retracted] == [1]
    live = writer.shown[1]
    assert len(live) == 1  # the attempt is gone from the turn
    assert live[0].startswith(f"{QUESTION}\n\n")  # and its fault is named
    assert len(shelf.searched) == 1
    exchange = await store.exchange(answer.id)
    assert exchange.prompt.count(live[0]) == 1  # the audit shows it, and no later turn reads that
    stored = repr((exchange.question, exchange.answer, exchange.details))
    assert live[0].removeprefix(QUESTION).strip() not in stored
    if isinstance(bad, str):
        assert bad not in exchange.prompt
        assert bad not in stored


async def test_only_the_last_directive_follows_the_question(store: SqliteStore) -> None:
    agent, writer, _ = agent_of(store, FAILURES["citation"], FAILURES["code"], GOOD)
    await agent.ask(QUESTION)
    _, second, third = writer.shown
    assert second != third
    assert second[0].removeprefix(QUESTION).strip() not in third[0]


async def test_what_is_left_of_the_last_attempt_stands_and_says_so(store: SqliteStore) -> None:
    bad = FAILURES["phantom"]
    heard = Heard()
    agent, _, _ = agent_of(store, bad, bad, bad)
    answer = await agent.ask(QUESTION, listener=heard)
    assert answer.verdict == "answered"
    assert answer.attempts == 3
    assert answer.notes
    assert "flying.md" not in answer.text
    assert {it.document for it in answer.citations} == {"workers.md"}
    assert [it.attempt for it in heard.retracted] == [1, 2, 3]
    stored = await store.exchange(answer.id)
    assert "flying.md" not in repr(stored)


async def test_where_nothing_is_left_the_refusal_is_put_together_by_code(
    store: SqliteStore,
) -> None:
    bad = FAILURES["citation"]
    agent, writer, _ = agent_of(store, bad, bad, bad)
    answer = await agent.ask(QUESTION)
    assert (answer.verdict, answer.reason) == ("abstained", "not-supported")
    assert isinstance(bad, str)
    assert bad not in answer.text
    assert answer.citations == ()
    assert answer.nearest[0].title == "Workers"
    assert writer.times == 3
    stored = await store.exchange(answer.id)
    assert str(stored.answer.content) == answer.text
    assert bad not in repr(stored)


async def test_what_was_rejected_is_not_in_the_history_of_the_next_turn(
    store: SqliteStore,
) -> None:
    agent, writer, _ = agent_of(store, "A lie about workers.", GOOD, GOOD)
    first = await agent.ask(QUESTION)
    await agent.ask("When does a worker stop?", conversation=first.conversation)
    assert not any("A lie" in text for text in writer.shown[2])
    assert writer.shown[2][0] == QUESTION


async def test_the_budget_of_retries_is_a_setting(store: SqliteStore) -> None:
    settings = AskSettings(retries=0, address_check=False)
    agent, writer, _ = agent_of(store, "Nothing cited.", settings=settings)
    answer = await agent.ask(QUESTION)
    assert answer.verdict == "abstained"
    assert writer.times == 1


async def test_a_model_that_finds_no_answer_is_not_asked_again(store: SqliteStore) -> None:
    heard = Heard()
    agent, writer, _ = agent_of(store, "The passages do not answer this question")
    answer = await agent.ask(QUESTION, listener=heard)
    assert (answer.verdict, answer.reason) == ("abstained", "not-supported")
    assert writer.times == 1
    assert [it.attempt for it in heard.retracted] == [1]


async def test_thoughts_of_a_failed_attempt_go_with_it(store: SqliteStore) -> None:
    thinking: Play = [Think("I could invent something."), Say("Workers fly.")]
    agent, writer, _ = agent_of(store, thinking, GOOD)
    answer = await agent.ask(QUESTION)
    assert answer.verdict == "answered"
    prompt = (await store.exchange(answer.id)).prompt
    assert "invent something" not in prompt
    assert writer.times == 2


@pytest.mark.parametrize(("code", "attempts"), [("allow", 1), ("forbid", 2)])
async def test_code_may_be_allowed(store: SqliteStore, code: str, attempts: int) -> None:
    settings = AskSettings(code=code, address_check=False)  # type: ignore[arg-type]  # of a list
    agent, _, _ = agent_of(store, FAILURES["code"], GOOD, settings=settings)
    answer = await agent.ask(QUESTION)
    assert answer.attempts == attempts


async def test_an_iteration_that_calls_tools_is_no_attempt(store: SqliteStore) -> None:
    heard = Heard()
    shelf = Shelf()
    looking: Play = [Say("Let me look."), Call("retrieve", {"query": "retention of a queue"})]
    agent, writer, _ = agent_of(
        store,
        looking,
        shelf.cited("A queue drops its tasks after seven days."),
        shelf=shelf,
        style="tools",
    )
    answer = await agent.ask(QUESTION, listener=heard)
    assert (answer.verdict, answer.attempts) == ("answered", 1)
    assert "Let me look" not in answer.text
    assert "retrieve" in writer.offered[0]
    assert len(shelf.searched) == 2  # the turn's own, and the one that the model asked for
    assert [it.attempt for it in heard.retracted] == [1]
    assert heard.of("tool")


async def test_a_model_that_calls_tools_for_ever_is_stopped(store: SqliteStore) -> None:
    looking: Play = [Call("list_documents", {})]
    settings = AskSettings(rounds=2, retries=1, address_check=False)
    agent, writer, _ = agent_of(store, *[looking] * 9, settings=settings, style="tools")
    answer = await agent.ask(QUESTION)
    assert (answer.verdict, answer.reason) == ("abstained", "not-supported")
    assert writer.times == 4
    assert writer.offered[0]
    assert writer.offered[3] == []


async def test_calls_of_a_failed_attempt_go_with_it(store: SqliteStore) -> None:
    settings = AskSettings(rounds=1, address_check=False)
    agent, writer, _ = agent_of(
        store,
        [Call("retrieve", {"query": "worker"})],
        [Say("Workers fly."), Call("retrieve", {"query": "an invention"})],
        GOOD,
        settings=settings,
        style="tools",
    )
    answer = await agent.ask(QUESTION)
    assert (answer.verdict, answer.attempts, writer.times) == ("answered", 2, 3)
    prompt = (await store.exchange(answer.id)).prompt
    assert '{"query":"worker"}' in prompt
    assert "an invention" not in prompt


async def test_a_model_may_call_its_message_the_same_every_time(store: SqliteStore) -> None:
    script = ["Nothing cited.", GOOD]

    async def fixed(ctx: DispatchContext, helpers: Helpers) -> None:
        now = ctx.clock.now()
        said = Message(id="answer", role="assistant", content=script.pop(0), created_at=now)
        await ctx.store_message(said)

    model = AskModel(name="fixed", executor=fixed, profile=WIDE)
    settings = AskSettings(address_check=False)
    agent = AskAgent(library=Shelf(), model=model, store=store, settings=settings)
    answer = await agent.ask(QUESTION)
    assert (answer.verdict, answer.attempts) == ("answered", 2)


async def test_a_picture_says_nothing(store: SqliteStore) -> None:
    async def drawing(ctx: DispatchContext, helpers: Helpers) -> None:
        now = ctx.clock.now()
        picture = Media.tool_generated(
            kind="image", mime_type="image/gif", filename="a.gif", reader=BytesReader(b"GIF89a")
        )
        drawn = Message(id="p", role="assistant", attachments=[picture], created_at=now)
        await ctx.store_message(drawn)

    heard = Heard()
    model = AskModel(name="drawing", executor=drawing, profile=WIDE)
    settings = AskSettings(retries=0)
    agent = AskAgent(library=Shelf(), model=model, store=store, settings=settings)
    answer = await agent.ask(QUESTION, listener=heard)
    assert answer.verdict == "abstained"
    assert [it["kind"] for it in heard.of("verify")[0].detail["failures"]] == ["empty"]
