"""Declines by their meaning: in a model's own words, and told apart from what only denies."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ask.bookshelf import QUESTION, RESTARTS, Heard, Shelf, agent_of
from tether.ask import AskAgent, AskSettings
from tether.ask.declines.recognition import declines, is_decline
from tether.ask.quoting.executor import NOTHING_FOUND
from tether.ask.refusal import DECLINE
from tether.ask.verification.scripted import ScriptedVerifier
from tether.batteries.models.scripted import Say
from tether.batteries.storage.sqlite import SqliteStore

DATA = Path(__file__).parents[2] / "data" / "declines.tsv"
ROWS = [line.split("\t") for line in DATA.read_text(encoding="utf-8").splitlines()[1:]]

LEAST_HELD_OUT = 58
"""Of 60: the recognition was written with the other half in view."""


def sentences(side: str, kind: str) -> list[str]:
    return [text for its_side, its_kind, text in ROWS if (its_side, its_kind) == (side, kind)]


@pytest.mark.parametrize("text", sentences("built", "decline"))
def test_a_decline_is_known_in_the_models_own_words(text: str) -> None:
    assert declines(text)
    assert is_decline(f"Sure!\n\n**{text}**\n\nI hope this helps.")


@pytest.mark.parametrize("text", sentences("built", "statement"))
def test_a_statement_that_denies_something_is_not_a_decline(text: str) -> None:
    assert not declines(text)
    assert not is_decline(f"{DECLINE} {text}")


def test_so_are_those_that_it_was_not_made_for() -> None:
    known, others = sentences("held-out", "decline"), sentences("held-out", "statement")
    assert (len(known), len(others)) == (60, 60)
    assert sum(map(declines, known)) >= LEAST_HELD_OUT
    assert sum(not declines(text) for text in others) >= LEAST_HELD_OUT


@pytest.mark.parametrize(
    "text", [DECLINE, NOTHING_FOUND, f"  {DECLINE.upper()} \n", f"*{DECLINE}*"]
)
def test_the_requested_words_are_a_decline_whatever_is_around_them(text: str) -> None:
    assert is_decline(text)


@pytest.mark.parametrize("text", ["", " \n ", "Sure!", "No.", f"{DECLINE} But a worker flies."])
def test_nothing_and_anything_more_is_not(text: str) -> None:
    assert not is_decline(text)


def test_a_sentence_as_long_as_a_paragraph_is_not_a_decline() -> None:
    assert not declines(DECLINE.removesuffix(".") + " and so on" * 50)


WORDS = st.sampled_from([word for _, _, text in ROWS for word in text.split()])


@given(st.lists(WORDS, max_size=60).map(" ".join))
def test_a_condition_is_never_a_decline(text: str) -> None:
    assert not declines(f"If {text}")


async def test_a_decline_in_own_words_ends_the_turn_at_once(store: SqliteStore) -> None:
    heard = Heard()
    said = "I'm sorry, but the documentation provided doesn't mention a restart ([x](y.md))."
    agent, writer, _ = agent_of(store, f"{said} I hope this helps!")
    answer = await agent.ask(QUESTION, listener=heard)
    assert (answer.verdict, answer.reason, writer.times) == ("abstained", "not-supported", 1)
    assert "mention" not in answer.text
    assert heard.retracted[-1].reason == "the model finds no answer in the passages"


@pytest.mark.parametrize("decline_first", [True, False])
async def test_a_decline_beside_an_answer_is_left_out(
    store: SqliteStore, decline_first: bool
) -> None:
    shelf = Shelf()
    said = ["It is not specified.", shelf.cited(RESTARTS)]
    agent, writer, _ = agent_of(store, " ".join(said if decline_first else reversed(said)))
    answer = await agent.ask(QUESTION)
    assert (answer.verdict, writer.times) == ("answered", 1)
    assert answer.text == f"{RESTARTS} [1]"


async def test_what_no_passage_says_after_a_decline_is_not_an_answer(store: SqliteStore) -> None:
    said = f"{DECLINE} However, most workers restart whenever they are bored."
    agent, writer, _ = agent_of(store, said)
    answer = await agent.ask(QUESTION)
    assert (answer.verdict, answer.reason, writer.times) == ("abstained", "not-supported", 1)


async def test_a_decline_after_what_no_passage_says_is_asked_again(store: SqliteStore) -> None:
    said = f"Most workers restart whenever they are bored. {DECLINE}"
    agent, writer, _ = agent_of(store, said, Shelf().cited(RESTARTS))
    answer = await agent.ask(QUESTION)
    assert (answer.verdict, writer.times) == ("answered", 2)


async def test_a_document_that_says_so_is_not_a_model_that_declines(store: SqliteStore) -> None:
    silent = "The documentation does not say when a worker restarts."
    assert declines(silent)
    shelf = Shelf({"workers.md": f"# Workers\n\n{silent} Nobody knows the time.\n"})
    agent, _, _ = agent_of(store, shelf.cited(silent), shelf=shelf)
    answer = await agent.ask(QUESTION)
    assert (answer.verdict, answer.text) == ("answered", f"{silent} [1]")


async def test_a_decline_that_breaks_off_is_not_final(store: SqliteStore) -> None:
    shelf = Shelf()
    cut = [Say(f"{DECLINE} But", finish_reason="length")]
    agent, writer, _ = agent_of(store, cut, shelf.cited(RESTARTS), shelf=shelf)
    answer = await agent.ask(QUESTION)
    assert (answer.verdict, writer.times) == ("answered", 2)


async def test_the_example_of_the_prompt_is_never_shown(store: SqliteStore) -> None:
    """Not even to a verifier that believes everything."""
    shelf = Shelf()
    agent, writer, _ = agent_of(store, "", shelf=shelf)
    form = "\u2026 ([\u2026](\u2026))."
    writer.script[:] = [form, f"{form} {form}", f"- {form}"]
    believing = AskAgent(
        library=shelf,
        model=agent.model,
        store=store,
        settings=AskSettings(address_check=False),
        verifier=ScriptedVerifier(),
    )
    answer = await believing.ask(QUESTION)
    assert form in (await store.exchange(answer.id)).prompt
    assert "\u2026" not in answer.text
    assert all(one.words == "document" for one in answer.statements)
