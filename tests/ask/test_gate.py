"""The citation gate: each failure, its end, and that nothing rejected is left anywhere."""

from __future__ import annotations

import pytest

from ask.bookshelf import PAGES, QUESTION, RESTARTS, WIDE, Heard, Play, Shelf, agent_of
from tether import DispatchContext, Helpers, Message
from tether.ask import Answer, AskAgent, AskModel, AskSettings
from tether.ask.gate import QUOTED_INSTEAD
from tether.ask.verification.scripted import ScriptedVerifier
from tether.batteries.models.scripted import Call, Say, Think
from tether.batteries.storage.sqlite import SqliteStore
from tether.core.byte_sources import BytesReader
from tether.core.media import Media

GOOD = Shelf().cited(RESTARTS)
FAR = "Penguins sing an aria in the opera house every evening."
WRONG = "A worker restarts after nine failed health checks."
CUT = "the model's reply was cut off, and its unfinished end was left out"
REASONS = ("length", "max_tokens", "content_filter", "refusal", "closed", "a word of tomorrow")

FAILURES: dict[str, Play] = {
    "empty": [Say("")],
    "cut": [Say("Workers are restarted when", finish_reason="length")],
    "code": f"{GOOD}\n\n```sh\nworker --restart\n```",
    "statement": f"{GOOD} {FAR}",
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
    assert [failure["kind"] for failure in first.detail["failures"]] == [kind]
    assert second.state == "done"
    assert (answer.verdict, answer.attempts, answer.notes) == ("answered", 2, ())
    assert [it.attempt for it in heard.retracted] == [1]
    live = writer.shown[1]
    assert len(live) == 1  # the attempt is gone from the turn
    assert live[0].startswith(f"{QUESTION}\n\n")  # and its fault is named
    assert len(shelf.searched) == 1
    exchange = await store.exchange(answer.id)
    assert exchange.prompt.count(live[0]) == 1  # the audit shows it, and no later turn reads that
    directive = live[0].removeprefix(QUESTION).strip()
    stored = repr((exchange.question, exchange.answer, exchange.details))
    assert directive not in stored
    rejected = [it.delta for it in heard.provisional if it.attempt == 1]
    for text in [*rejected, FAR, "worker --restart"]:
        assert text not in exchange.prompt.replace(live[0], "")
        assert text not in stored


async def test_the_statements_that_do_not_stand_are_named(store: SqliteStore) -> None:
    agent, writer, _ = agent_of(store, FAILURES["statement"], GOOD)
    await agent.ask(QUESTION)
    assert FAR in writer.shown[1][0]
    assert RESTARTS not in writer.shown[1][0]


async def test_only_the_last_directive_follows_the_question(store: SqliteStore) -> None:
    agent, writer, _ = agent_of(store, FAILURES["statement"], FAILURES["code"], GOOD)
    await agent.ask(QUESTION)
    _, second, third = writer.shown
    assert second != third
    assert second[0].removeprefix(QUESTION).strip() not in third[0]


async def test_what_does_not_stand_in_the_last_attempt_is_said_in_the_documents_words(
    store: SqliteStore,
) -> None:
    heard = Heard()
    lies = [f"{FAR} {WRONG} {at}" for at in ("One.", "Two.", "Three.")]
    agent, _, _ = agent_of(store, *lies)
    answer = await agent.ask(QUESTION, listener=heard)
    assert (answer.verdict, answer.attempts) == ("answered", 3)
    assert answer.text == f"The document says: \u201c{RESTARTS}\u201d [1]"
    assert {(it.words, it.probability) for it in answer.statements} == {("document", 1.0)}
    assert answer.notes == (
        "replaced by the document's own words, because no passage says it: 1 statement",
        "removed, because no passage says it: 2 statements",
    )
    assert [it.attempt for it in heard.retracted] == [1, 2, 3]
    stored = await store.exchange(answer.id)
    assert "Penguins" not in repr((stored.answer, stored.details))


@pytest.mark.parametrize("said", [FAR, "", "```sh\nworker --restart\n```", "# Workers"])
async def test_where_nothing_is_left_quotation_answers_and_says_so(
    store: SqliteStore, said: str
) -> None:
    heard = Heard()
    agent, writer, _ = agent_of(store, [Say(said)], [Say(said)])
    answer = await agent.ask(QUESTION, listener=heard)
    assert (answer.verdict, answer.attempts, writer.times) == ("answered", 2, 2)
    assert answer.notes[-1] == QUOTED_INSTEAD
    assert RESTARTS in answer.text
    assert {it.words for it in answer.statements} == {"document"}
    assert {it.document for it in answer.citations} == {"workers.md"}
    assert [it.attempt for it in heard.retracted] == [1, 2]
    stored = await store.exchange(answer.id)
    assert "Penguins" not in repr((stored.answer, stored.details))


async def test_where_quotation_finds_nothing_the_refusal_is_put_together_by_code(
    store: SqliteStore,
) -> None:
    heard = Heard()
    agent, writer, _ = agent_of(store, FAR, FAR)
    answer = await agent.ask("Which colour of paint does a volume like?", listener=heard)
    assert (answer.verdict, answer.reason) == ("abstained", "not-supported")
    assert (answer.statements, answer.citations) == ((), ())
    assert answer.nearest
    assert writer.times == 2
    assert [it.attempt for it in heard.retracted] == [1, 2]
    stored = await store.exchange(answer.id)
    assert str(stored.answer.content) == answer.text
    assert "Penguins" not in repr((answer, stored.answer, stored.details))


async def test_quotation_that_fails_is_not_tried_again(store: SqliteStore) -> None:
    agent, writer, _ = agent_of(store, FAR, FAR, style="quotes")
    answer = await agent.ask("Which worker paints the walls of the office?")
    assert (answer.verdict, answer.reason, writer.times) == ("abstained", "not-supported", 1)


async def test_quotation_quotes_whatever_its_executor_says(store: SqliteStore) -> None:
    agent, writer, _ = agent_of(store, FAR, FAR, style="quotes")
    answer = await agent.ask(QUESTION)
    assert (answer.verdict, writer.times, answer.attempts) == ("answered", 1, 1)
    assert RESTARTS in answer.text
    assert {one.words for one in answer.statements} == {"document"}


@pytest.mark.parametrize(
    ("script", "times"),
    [
        ((FAR, FAR), 2),  # the same answer again
        ((FAR, f"  {FAR}\n"), 2),
        (([Say("")], "# Workers"), 2),  # the same directive again
        ((FAR, f"{FAR} {WRONG}", f"{WRONG} Two."), 3),
        ((FAR, [Say("")], FAR), 3),
    ],
)
async def test_a_retry_differs_or_is_not_made(
    store: SqliteStore, script: tuple[Play, ...], times: int
) -> None:
    agent, writer, _ = agent_of(store, *script, GOOD)
    answer = await agent.ask(QUESTION)
    assert (writer.times, answer.attempts) == (times, times)
    prompts = [str(messages) for messages in writer.shown]
    assert len(set(prompts)) == len(prompts)


@pytest.mark.parametrize("reason", REASONS)
async def test_a_reply_that_was_cut_is_never_final(store: SqliteStore, reason: str) -> None:
    heard = Heard()
    fragment = f"{RESTARTS} Each restart takes"
    agent, writer, _ = agent_of(store, [Say(fragment, finish_reason=reason)], GOOD)
    answer = await agent.ask(QUESTION, listener=heard)
    assert (answer.text, answer.attempts, answer.notes) == (f"{RESTARTS} [1]", 2, ())
    first, second = heard.of("verify")
    assert (first.detail["cut"], second.detail["cut"]) == (reason, "")
    assert "fewer words" in writer.shown[1][0]


@pytest.mark.parametrize("reason", REASONS)
@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (f"{RESTARTS} Each restart takes thirty seconds.", f"{RESTARTS} [1]"),
        (f"{RESTARTS} Each restart takes", f"{RESTARTS} [1]"),
    ],
)
async def test_of_a_last_reply_that_was_cut_whole_statements_stay_and_a_note_says_it(
    store: SqliteStore, reason: str, said: str, shown: str
) -> None:
    settings = AskSettings(retries=0, address_check=False)
    agent, _, _ = agent_of(store, [Say(said, finish_reason=reason)], settings=settings)
    answer = await agent.ask(QUESTION)
    assert (answer.text, answer.notes) == (shown, (CUT,))


@pytest.mark.parametrize("said", ["", "A worker restarts", "The passages do not answer this"])
async def test_a_reply_of_which_nothing_is_whole_is_neither_an_answer_nor_a_decline(
    store: SqliteStore, said: str
) -> None:
    settings = AskSettings(retries=0, address_check=False)
    cut = Say(said, finish_reason="length")
    agent, _, _ = agent_of(store, [cut], settings=settings)
    answer = await agent.ask(QUESTION)
    assert answer.notes[-1] == QUOTED_INSTEAD


@pytest.mark.parametrize("reason", ["stop", "end_turn", "completed", "stop_sequence"])
async def test_a_reply_that_ended_by_itself_is_whole(store: SqliteStore, reason: str) -> None:
    agent, _, _ = agent_of(store, [Say(GOOD, finish_reason=reason)])
    answer = await agent.ask(QUESTION)
    assert (answer.attempts, answer.notes) == (1, ())


async def test_a_verdict_and_its_probability_are_told_for_each_statement(
    store: SqliteStore,
) -> None:
    heard = Heard()
    own = "Workers are restarted when three checks have failed."
    verifier = ScriptedVerifier(contradicts=["arias"])
    agent, _, _ = agent_of(
        store,
        f"{RESTARTS} {own} Workers restart while singing arias.",
        f"{RESTARTS} {own}",
        verifier=verifier,
    )
    answer = await agent.ask(QUESTION, listener=heard)
    first, second = (it.detail["statements"] for it in heard.of("verify"))
    assert [(it["standing"], it["words"], it["probability"]) for it in first] == [
        ("verbatim", "document", 1.0),
        ("supported", "model", 0.9),
        ("contradicted", "model", 0.05),
    ]
    assert first[2]["fault"] == "a passage says otherwise"
    assert second[1]["quote"] == RESTARTS
    assert [(it.words, it.probability) for it in answer.statements] == [
        ("document", 1.0),
        ("model", 0.9),
    ]
    stored = Answer.from_json((await store.exchange(answer.id)).details)
    assert stored.statements == answer.statements


async def test_without_a_verifier_only_words_of_the_documents_are_shown(
    store: SqliteStore,
) -> None:
    own = "Workers are restarted when three checks have failed."
    agent, _, _ = agent_of(store, f"{GOOD} {own}", f"{own} {GOOD}", f"{own} Yes. {GOOD}")
    answer = await agent.ask(QUESTION)
    assert own not in answer.text
    assert {it.words for it in answer.statements} == {"document"}


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
    agent, writer, _ = agent_of(store, FAR, settings=settings)
    answer = await agent.ask(QUESTION)
    assert answer.notes[-1] == QUOTED_INSTEAD
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
async def test_code_of_a_page_may_be_allowed(store: SqliteStore, code: str, attempts: int) -> None:
    settings = AskSettings(code=code, address_check=False)  # type: ignore[arg-type]  # of a list
    own = "```sh\nworker --restart\n```"
    page = PAGES["workers.md"] + f"\nRestart it by hand:\n\n{own}\n"
    agent, _, _ = agent_of(
        store,
        f"{RESTARTS}\n\n{own}",
        GOOD,
        settings=settings,
        shelf=Shelf({**PAGES, "workers.md": page}),
    )
    answer = await agent.ask(QUESTION)
    assert answer.attempts == attempts
    assert (own in answer.text) == (code == "allow")


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
    assert (answer.verdict, answer.notes[-1]) == ("answered", QUOTED_INSTEAD)
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
    assert answer.notes[-1] == QUOTED_INSTEAD
    assert [it["kind"] for it in heard.of("verify")[0].detail["failures"]] == ["empty"]
