"""Where there is nothing to answer from, no model is asked, and the refusal is stored."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ask.bookshelf import QUESTION, RESTARTS, Heard, Shelf, agent_of, narrow
from tether.ask import AbstainReason, Near
from tether.ask.refusal import refusal_text
from tether.batteries.storage.sqlite import SqliteStore

REASONS: tuple[AbstainReason, ...] = (
    "not-a-question",
    "index-empty",
    "nothing-found",
    "below-floor",
    "not-supported",
)


async def test_an_empty_index_is_not_searched(store: SqliteStore) -> None:
    shelf, heard = Shelf({}), Heard()
    agent, writer, _ = agent_of(store, shelf=shelf)
    answer = await agent.ask(QUESTION, listener=heard)
    assert (answer.verdict, answer.reason) == ("abstained", "index-empty")
    assert (writer.times, shelf.searched, answer.attempts) == (0, [], 0)
    assert heard.kinds == ["history", "refuse", "store"]


async def test_nothing_found_is_told_apart(store: SqliteStore) -> None:
    agent, writer, shelf = agent_of(store)
    answer = await agent.ask("qqqq zzzz xxxx?")
    assert (answer.verdict, answer.reason) == ("abstained", "nothing-found")
    assert writer.times == 0
    assert len(shelf.searched) == 1
    assert answer.nearest == ()


async def test_below_the_floor_the_nearest_pages_are_named(store: SqliteStore) -> None:
    heard = Heard()
    agent, writer, _ = agent_of(store, shelf=Shelf(sufficient=False))
    answer = await agent.ask(QUESTION, listener=heard)
    assert (answer.verdict, answer.reason) == ("abstained", "below-floor")
    assert writer.times == 0
    assert answer.nearest[0] == Near(title="Workers", url="workers.md")
    assert "- Workers" in answer.text
    assert answer.consulted == ()
    assert heard.provisional == []
    assert heard.of("floor")[0].detail["sufficient"] is False


async def test_an_abstention_is_stored_and_the_conversation_goes_on(store: SqliteStore) -> None:
    shelf = Shelf(sufficient=False)
    agent, writer, _ = agent_of(store, shelf.cited(RESTARTS), shelf=shelf)
    first = await agent.ask(QUESTION)
    (exchange,) = await store.exchanges(first.conversation)
    assert str(exchange.answer.content) == first.text
    assert exchange.prompt == ""
    shelf.sufficient = True
    second = await agent.ask(QUESTION, conversation=first.conversation)
    assert second.verdict == "answered"
    assert writer.shown[0][:2] == [QUESTION, first.text]


async def test_a_window_without_room_for_a_passage_is_said(store: SqliteStore) -> None:
    long = "# Workers\n\n" + "A worker restarts after three failed health checks. " * 80
    agent, writer, _ = agent_of(store, shelf=Shelf({"workers.md": long}), profile=narrow(800))
    answer = await agent.ask(QUESTION)
    assert (answer.verdict, answer.reason) == ("abstained", "not-supported")
    assert answer.notes == ("no passage fits the window of the model",)
    assert writer.times == 0


@pytest.mark.parametrize("reason", REASONS)
def test_every_reason_has_words_of_its_own(reason: AbstainReason) -> None:
    others = {refusal_text(other, ()) for other in REASONS if other != reason}
    assert refusal_text(reason, ()) not in others


@given(st.lists(st.builds(Near, title=st.text(), url=st.text()), max_size=3))
def test_titles_stay_on_their_lines(nearest: list[Near]) -> None:
    lead = refusal_text("below-floor", ())
    text = refusal_text("below-floor", nearest)
    assert text.startswith(lead)
    listed = [line for line in text.removeprefix(lead).splitlines() if line.startswith("- ")]
    assert len(listed) <= len(nearest)
    assert len(text.splitlines()) <= len(lead.splitlines()) + 4 + len(nearest)
