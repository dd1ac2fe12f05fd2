"""Passages to cite, and the answers that drafts become."""

from __future__ import annotations

from collections.abc import Sequence

from tether.ask.answer import Answer
from tether.ask.citations.draft import Draft
from tether.ask.citations.review import Review, ReviewRules, review
from tether.ask.evidence import Evidence
from tether.ask.verification.port import Verifier
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
QUESTION = "How are requests retried?"


def passage(
    number: int,
    text: str,
    document: str = "a.md",
    *,
    title: str = "",
    url: str = "",
    anchor: str = "",
    headings: tuple[str, ...] = (),
    language: str = "",
    header: str = "",
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
        header=header,
    )
    return Evidence(number=number, chunk=chunk, version="v7")


EVIDENCE = (
    passage(1, RETRIES, "guide/retries.md", title="Retries", anchor="limits"),
    passage(2, DELAYS, "guide/delays.md", title="Delays", url="https://docs.example/guide/delays"),
    passage(3, LOGGING, "operations/logging.html", title="Logging"),
)


def reviewed(
    text: str,
    *,
    verifier: Verifier | None = None,
    evidence: Sequence[Evidence] = EVIDENCE,
    question: str = QUESTION,
    code: bool = False,
    is_cut: bool = False,
) -> Review:
    """Return the review of an answer, by default on the three passages and without a verifier."""
    rules = ReviewRules(code=code, verifier=verifier)
    return review(text, evidence, question, rules, is_cut=is_cut)


def kinds(found: Review) -> list[str]:
    """Return what failed, the most severe first."""
    return [failure.kind for failure in found.failures]


def answer_of(draft: Draft) -> Answer:
    """Return the answer that a draft becomes."""
    return Answer(
        id="turn",
        conversation="talk",
        question=QUESTION,
        text=draft.text,
        verdict="answered",
        statements=draft.statements,
        citations=draft.citations,
    )
