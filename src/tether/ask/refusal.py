"""The words of a refusal: put together by code, never written by a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from tether.ask.answer import AbstainReason, Near
from tether.trust.visible import visible_text

DECLINE = "The passages do not answer this question."
"""The sentence a model has to write where it finds no answer."""

LONGEST_TITLE = 120

_LEADS: Mapping[AbstainReason, str] = MappingProxyType(
    {
        "not-a-question": "Ask a question, and the answer will quote the documents.",
        "index-empty": (
            "There is nothing to answer from: the index has no documents. Add some to it, and"
            " ask again."
        ),
        "nothing-found": "The documents say nothing about this: no passage was found.",
        "below-floor": (
            "The documents do not cover this: the passages found do not suffice for an answer."
        ),
        "not-supported": (
            "The documents do not answer this: something near it was found, and no passage that"
            " could be quoted is an answer."
        ),
    }
)


def refusal_text(reason: AbstainReason, nearest: Sequence[Near]) -> str:
    """Return the refusal: why there is no answer, and the titles of the pages that come nearest.

    It contains no link: the addresses of these pages are in `Answer.nearest`.
    """
    lead = _LEADS[reason]
    titles = [title for page in nearest if (title := _on_one_line(page.title or page.url))]
    if not titles:
        return lead
    listed = "\n".join(f"- {title}" for title in titles)
    return f"{lead}\n\nThe pages that come nearest:\n\n{listed}"


def _on_one_line(title: str) -> str:
    return " ".join(visible_text(title).text.split())[:LONGEST_TITLE]
