"""The second opinion: what the model is asked, what counts as a yes, and what a no does."""

from __future__ import annotations

import pytest

from ask.bookshelf import QUESTION, RESTARTS, WIDE, Heard, Shelf, Writer, helper_of, quoting
from tether import AbortSignal, DispatchContext, Executor, Helpers
from tether.ask import AskAgent, AskModel, AskSettings
from tether.ask.errors import InvalidAskSettings
from tether.ask.gate import DOUBTED
from tether.ask.verification.port import Claim
from tether.ask.verification.scripted import ScriptedVerifier
from tether.ask.verification.second import (
    LONGEST_QUOTE,
    LONGEST_STATEMENT,
    SecondOpinion,
    question_of,
    reply_of,
)
from tether.batteries.storage.sqlite import SqliteStore
from tether.core.errors import Aborted

OWN = "Workers begin again when three checks have failed."
TERSE = "After three failures."


def agent(store: SqliteStore, helper: Executor | None, *script: str, retries: int = 0) -> AskAgent:
    """Return an agent whose verifier believes everything, and whose model is asked again."""
    writer = Writer(list(script))
    model = AskModel(name="scripted", executor=writer, profile=WIDE, helper=helper)
    settings = AskSettings(address_check=False, second_opinion=True, retries=retries, rewrite=False)
    return AskAgent(
        library=Shelf(),
        model=model,
        store=store,
        settings=settings,
        verifier=ScriptedVerifier(),
    )


class Listening:
    """A helper that says one thing for ever, and keeps what it was asked."""

    def __init__(self, said: str) -> None:
        self.said = said
        self.asked: list[str] = []

    async def __call__(self, ctx: DispatchContext, helpers: Helpers) -> None:
        self.asked += [str(message.content) for message in ctx.turn_messages]
        await helper_of([self.said])(ctx, helpers)


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("yes", "yes"),
        ("Yes, it does.", "yes"),
        ("**No**", "no"),
        ("Answer: no.", "no"),
        ("Final answer: yes", "yes"),
        ("", "unclear"),
        ("Nothing says so.", "unclear"),
        ("The quote says yes.", "unclear"),
        ("Yesterday it did.", "unclear"),
    ],
)
def test_only_a_yes_at_the_start_is_a_yes(said: str, reply: str) -> None:
    assert reply_of(said) == reply


def test_a_question_is_short_however_long_the_quote_is() -> None:
    asked = question_of(Claim("s" * 9_000, "q" * 90_000))
    assert asked.count("q") == LONGEST_QUOTE + 1  # and one in "the quote"
    assert len(asked) < LONGEST_QUOTE + LONGEST_STATEMENT + 100
    assert asked.endswith("Does the quote say this? Answer yes or no.")


async def test_a_claim_is_asked_about_once_in_a_turn() -> None:
    helper = Listening("yes")
    second = SecondOpinion(helper)
    claims = [Claim("A runs.", "A is running."), Claim("B runs.", ""), Claim("A runs.", "A stops.")]
    assert await second.replies(claims, abort_signal=None) == ["yes"] * 3
    assert await second.replies(claims[::-1], abort_signal=None) == ["yes"] * 3
    assert len(helper.asked) == 3
    assert helper.asked[0].startswith("Quote: A is running.\n\nStatement: A runs.\n\n")


async def test_a_helper_that_fails_says_nothing_clear() -> None:
    async def broken(ctx: DispatchContext, helpers: Helpers) -> None:
        raise RuntimeError("out of memory")

    second = SecondOpinion(broken)
    assert await second.replies([Claim("A.", "B.")], abort_signal=None) == ["unclear"]


async def test_an_abort_ends_the_questions() -> None:
    signal = AbortSignal()

    async def aborting(ctx: DispatchContext, helpers: Helpers) -> None:
        signal.abort("enough")
        await helper_of(["yes"])(ctx, helpers)

    with pytest.raises(Aborted):
        await SecondOpinion(aborting).replies([Claim("A.", "B.")] * 2, abort_signal=signal)


async def test_statements_that_the_model_confirms_are_shown(store: SqliteStore) -> None:
    heard, helper = Heard(), Listening("Yes.")
    answer = await agent(store, helper, f"{RESTARTS} {OWN}").ask(QUESTION, listener=heard)
    assert answer.verdict == "answered"
    assert [one.words for one in answer.statements] == ["document", "model"]
    (asked,) = helper.asked  # words of a document are not put to anybody
    assert f"Statement: {OWN}" in asked
    assert RESTARTS in asked
    (step,) = heard.of("opinion")
    assert step.label == "1 of 1 statements confirmed"
    assert [one["reply"] for one in step.detail["statements"]] == ["yes"]
    assert heard.kinds.index("opinion") < heard.kinds.index("verify")


@pytest.mark.parametrize("said", ["No.", "Hard to say.", ""])
async def test_a_statement_that_the_model_does_not_confirm_is_not_shown(
    store: SqliteStore, said: str
) -> None:
    heard = Heard()
    answer = await agent(store, Listening(said), OWN).ask(QUESTION, listener=heard)
    assert OWN not in answer.text
    (step,) = heard.of("verify")
    (told,) = step.detail["statements"]
    assert (told["standing"], told["fault"]) == ("unsupported", DOUBTED)
    assert answer.statements
    assert {one.words for one in answer.statements} == {"document"}
    assert answer.text.startswith("The document says: \u201c")


async def test_a_doubted_answer_is_written_again_with_the_doubt_named(store: SqliteStore) -> None:
    writer = Writer([OWN, RESTARTS])
    model = AskModel(name="scripted", executor=writer, profile=WIDE, helper=Listening("no"))
    settings = AskSettings(address_check=False, second_opinion=True, rewrite=False)
    asking = AskAgent(
        library=Shelf(), model=model, store=store, settings=settings, verifier=ScriptedVerifier()
    )
    answer = await asking.ask(QUESTION)
    assert (answer.text, answer.attempts) == (f"{RESTARTS} [1]", 2)
    assert f"- {OWN} ({DOUBTED})" in writer.shown[1][0]


async def test_a_terse_statement_is_read_after_its_question(store: SqliteStore) -> None:
    helper = Listening("yes")
    await agent(store, helper, TERSE).ask(QUESTION)
    assert f"Statement: {QUESTION} {TERSE}\n" in helper.asked[0]


async def test_nobody_is_asked_without_the_setting_or_without_a_statement(
    store: SqliteStore,
) -> None:
    helper = Listening("no")
    model = AskModel(name="scripted", executor=Writer([OWN]), profile=WIDE, helper=helper)
    settings = AskSettings(address_check=False, rewrite=False)
    alone = AskAgent(
        library=Shelf(), model=model, store=store, settings=settings, verifier=ScriptedVerifier()
    )
    assert [one.words for one in (await alone.ask(QUESTION)).statements] == ["model"]
    heard = Heard()
    assert (await agent(store, helper, RESTARTS).ask(QUESTION, listener=heard)).statements
    assert heard.of("opinion") == []
    assert helper.asked == []


async def test_a_model_without_a_helper_is_refused_and_quotation_needs_none(
    store: SqliteStore,
) -> None:
    with pytest.raises(InvalidAskSettings, match="second_opinion: needs a model with a helper"):
        agent(store, None, OWN)
    settings = AskSettings(second_opinion=True)
    quotes = AskAgent(library=Shelf(), model=quoting(), store=store, settings=settings)
    assert (await quotes.ask(QUESTION)).verdict == "answered"
