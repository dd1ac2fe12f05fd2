"""Questions as people type them: repaired before the search; courtesies need no search."""

from __future__ import annotations

import pytest

from ask.bookshelf import RESTARTS, Heard, Shelf, agent_of, quoting
from tether.ask import Answer, AskAgent
from tether.ask.refusal import refusal_text
from tether.batteries.storage.sqlite import SqliteStore

TYPED = "When does a wroker restrat?"
MEANT = "When does a worker restart?"
NOTES = ('searched for "worker" instead of "wroker"', 'searched for "restart" instead of "restrat"')


async def test_a_misspelled_question_is_searched_as_it_was_meant(store: SqliteStore) -> None:
    heard = Heard()
    agent, writer, shelf = agent_of(store, Shelf().cited(RESTARTS))
    answer = await agent.ask(TYPED, listener=heard)
    assert [query.question for query in shelf.searched] == [MEANT]
    assert answer.verdict == "answered"
    assert (answer.question, answer.notes) == (TYPED, NOTES)
    (step,) = heard.of("spelling")
    assert step.detail["text"] == MEANT
    assert step.detail["repairs"][0] == {"typed": "wroker", "meant": "worker"}
    assert TYPED in writer.shown[0][-1]


async def test_quotation_reads_the_repaired_question(store: SqliteStore) -> None:
    agent = AskAgent(library=Shelf(), model=quoting(), store=store)
    answer = await agent.ask(TYPED)
    assert "three failed health checks" in answer.text
    assert answer.notes == NOTES


async def test_a_refusal_says_what_was_searched(store: SqliteStore) -> None:
    agent, _, _ = agent_of(store, shelf=Shelf(sufficient=False))
    answer = await agent.ask("How long does teh wroker wait?")
    assert answer.reason == "below-floor"
    assert answer.notes == NOTES[:1]


async def test_what_is_spelled_right_is_not_reported(store: SqliteStore) -> None:
    heard = Heard()
    agent, _, _ = agent_of(store, Shelf().cited(RESTARTS))
    answer = await agent.ask(MEANT, listener=heard)
    assert heard.of("spelling") == []
    assert answer.notes == ()


async def test_a_follow_up_is_resolved_as_it_was_meant(store: SqliteStore) -> None:
    agent, _, shelf = agent_of(store, Shelf().cited(RESTARTS), Shelf().cited(RESTARTS))
    first = await agent.ask(MEANT)
    await agent.ask("and its helath checks?", conversation=first.conversation)
    assert shelf.searched[1].question == "and its health checks?"
    assert shelf.searched[1].rewrite.split()[-2:] == ["health", "checks"]


@pytest.mark.parametrize("pages", [None, {}])
async def test_a_courtesy_gets_a_fixed_reply_without_a_search(
    store: SqliteStore, pages: dict[str, str] | None
) -> None:
    heard, shelf = Heard(), Shelf() if pages is None else Shelf(pages)
    agent, writer, _ = agent_of(store, shelf=shelf)
    answer = await agent.ask("Thanks a lot!", listener=heard)
    assert (answer.verdict, answer.reason) == ("abstained", "not-a-question")
    assert answer.text == refusal_text("not-a-question", ())
    assert (answer.citations, answer.consulted, answer.nearest) == ((), (), ())
    assert (writer.times, shelf.searched) == (0, [])
    assert heard.kinds == ["history", "refuse", "store"]
    (exchange,) = await store.exchanges(answer.conversation)
    assert Answer.from_json(exchange.details) == answer
