"""Shows what two neighbouring chunks have in common once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tether.retrieval.passage import Passage


class Span(NamedTuple):
    """A range of characters of one document."""

    document: str
    start: int
    end: int


def span_of(passage: Passage) -> Span | None:
    """Return the range whose text the passage is, by its metadata `document`, `start` and `end`.

    None where it does not say, or says something that is not so long as its text.
    """
    said = dict(passage.metadata)
    start, end = said.get("start", ""), said.get("end", "")
    if "document" not in said or not (start.isdecimal() and end.isdecimal()):
        return None
    if int(end) - int(start) != len(passage.text):
        return None
    return Span(said["document"], int(start), int(end))


def without_overlap(passage: Passage, shown: Iterable[Span]) -> Passage:
    """Return the passage without a beginning or an end that is shown already.

    What is left is still a range of its document, and its metadata says which. A passage that
    lies inside what is shown, or around it, stays as it is.
    """
    span = span_of(passage)
    if span is None:
        return passage
    start, end = span.start, span.end
    for other in shown:
        if other.document != span.document:
            continue
        if other.start <= start < other.end < end:
            start = other.end
        elif start < other.start < end <= other.end:
            end = other.start
    text = passage.text[start - span.start : end - span.start]
    return _cut(passage, start, end) if text.strip() else passage


def _cut(passage: Passage, start: int, end: int) -> Passage:
    said = dict(passage.metadata)
    first = int(said["start"])
    places = {**said, "start": str(start), "end": str(end)}
    text = passage.text[start - first : end - first]
    return replace(passage, text=text, metadata=tuple(places.items()))
