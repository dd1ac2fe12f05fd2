"""Passages to cite, and the answers that drafts become."""

from __future__ import annotations

from tether.ask.answer import Answer
from tether.ask.citations.draft import Draft
from tether.ask.citations.review import Review, ReviewRules, review
from tether.ask.evidence import Evidence
from tether.retrieval.chunk import Chunk

RETRIES = (
    "A client retries a failed request **three** times. The [delay](delays.md) doubles after each"
    " attempt. It does not retry requests that were refused."
)
DELAYS = (
    "The `max_delay` setting bounds the delay at 30 seconds by default.\n\n"
    "- Set it in the settings file.\n- Restart the server.\n"
)
LOGGING = (
    "Logs go to standard error. Each line holds the time, the level and a message. Rotation is"
    " left to the operating system."
)


def passage(
    number: int,
    text: str,
    document: str,
    *,
    title: str = "",
    url: str = "",
    anchor: str = "",
    headings: tuple[str, ...] = (),
    language: str = "",
) -> Evidence:
    """Return a passage that starts at a place of its document that is not 0."""
    start = 1_000 * number
    chunk = Chunk(
        id=f"{document}-{number}",
        document=document,
        number=number,
        title=title,
        heading_path=headings or ((title,) if title else ()),
        anchor=anchor,
        url=url,
        start=start,
        end=start + len(text),
        text=text,
        plain=text,
        tokens=len(text) // 4,
        language=language,
    )
    return Evidence(number=number, chunk=chunk, version="v7")


EVIDENCE = (
    passage(1, RETRIES, "guide/retries.md", title="Retries", anchor="limits"),
    passage(2, DELAYS, "guide/delays.md", title="Delays", url="https://docs.example/guide/delays"),
    passage(3, LOGGING, "operations/logging.html", title="Logging"),
)


def reviewed(text: str, *, code: bool = False) -> Review:
    """Return the review of an answer on the three passages."""
    return review(text, EVIDENCE, "How are requests retried?", ReviewRules(code=code))


def kinds(found: Review) -> list[str]:
    """Return what failed, the most severe first."""
    return [failure.kind for failure in found.failures]


def answer_of(draft: Draft) -> Answer:
    """Return the answer that a draft becomes."""
    return Answer(
        id="turn",
        conversation="talk",
        question="How are requests retried?",
        text=draft.text,
        verdict="answered",
        citations=draft.citations,
    )
