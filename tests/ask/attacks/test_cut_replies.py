"""Replies that a limit, a filter or a closed connection cut: never shown as if they were whole."""

from __future__ import annotations

import pytest

from ask.attacks.halyard import PAGES, credulous
from ask.bookshelf import Shelf, Writer, model_of
from tether.ask import AskAgent, AskSettings
from tether.ask.answer import Answer
from tether.batteries.models.scripted import Say
from tether.batteries.storage.sqlite import SqliteStore

pytestmark = pytest.mark.unmeasured

REASONS = (
    "length",
    "max_tokens",
    "max_output_tokens",
    "model_context_window_exceeded",
    "content_filter",
    "refusal",
    "closed",
    "pause_turn",
    "incomplete",
    "error",
    "SAFETY",
    "a word that nobody knows",
)
WHOLE = "Deleted files stay in the bin for 30 days."
CUTS = {
    "before the condition": (f"{WHOLE} A token expires after 180 days", "180 days"),
    "in a number": (f"{WHOLE} A single upload is limited to 5", "limited to 5"),
    "before the rest": (f"{WHOLE} Editors can change files", "Editors can"),
    "in a word": (f"{WHOLE} The janitor emp", "janitor emp"),
    "in a link": (f"{WHOLE} Owners can delete a project ([Acc", "Owners can"),
    "in a list": (f"{WHOLE}\n\n- Viewers can read files\n- Guests need a", "Guests need a"),
    "in code": (f"{WHOLE}\n\n```sh\nhalyard seal", "halyard seal"),
    "in a table": (f"{WHOLE}\n\n| tier | price |\n|---|---|\n| hot | 0.0", "0.0"),
    "after a full stop": (f"{WHOLE} The session lasts 8 hours. Passwords", "Passwords"),
    "at the first word": ("Deleted files stay", "Deleted files stay"),
    "after the opening": ("Yes, deleted files", "deleted files"),
    "in a quotation": ('The page says "Deleted files stay', "Deleted files stay"),
}
QUESTION = "How long do deleted files stay in the bin?"


async def answered(store: SqliteStore, *said: Say, retries: int = 2) -> tuple[Answer, Writer]:
    """Ask a model that plays a script, with a verifier that believes everything."""
    writer = Writer([[one] for one in said])
    agent = AskAgent(
        library=Shelf(pages=PAGES),
        model=model_of(writer),
        store=store,
        settings=AskSettings(retries=retries, address_check=False),
        verifier=credulous(),
    )
    return await agent.ask(QUESTION), writer


def words_of_model(answer: Answer) -> list[str]:
    """Return the statements of an answer in the model's words."""
    return [answer.text[one.start : one.end] for one in answer.statements if one.words == "model"]


@pytest.mark.parametrize("reason", REASONS)
async def test_a_cut_reply_is_written_again(store: SqliteStore, reason: str) -> None:
    cut = Say(f"{WHOLE} Backups are kept for", finish_reason=reason)
    answer, writer = await answered(store, cut, Say(WHOLE))
    assert writer.times == 2
    assert (answer.verdict, answer.attempts) == ("answered", 2)
    assert "Backups" not in answer.text
    assert WHOLE in answer.text


@pytest.mark.parametrize("reason", REASONS)
async def test_a_reply_that_is_always_cut_says_so(store: SqliteStore, reason: str) -> None:
    cut = Say(f"{WHOLE} Backups are kept for", finish_reason=reason)
    answer, _ = await answered(store, cut, cut, cut)
    assert answer.verdict == "answered"
    assert any("cut off" in note for note in answer.notes)
    assert "Backups are kept for [" not in answer.text
    assert words_of_model(answer) == []


@pytest.mark.parametrize("reason", ["length", "content_filter", "closed"])
@pytest.mark.parametrize("place", CUTS)
async def test_the_unfinished_end_is_not_shown(store: SqliteStore, place: str, reason: str) -> None:
    text, end = CUTS[place]
    answer, _ = await answered(store, Say(text, finish_reason=reason), retries=0)
    assert not any(end in said for said in words_of_model(answer))
    assert answer.verdict == "abstained" or answer.notes
