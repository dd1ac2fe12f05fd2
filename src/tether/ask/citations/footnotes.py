"""The footnotes of a quote that limit it: what a document says in a note belongs to its sentence.

"10 requests per second.[^1]" may mean only paying customers. A note that only adds something, such
as a source, is left where it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tether.ask.citations.passage import Passage, Window, commands_assistants
from tether.text.units.units import units_of

MOST_MARKS, MOST_SENTENCES = 4, 3
LONGEST_NOTE = 600
"""In characters of the document; a longer note is a text of its own."""

_MARK = re.compile(r"\[\^([^\[\]\s]{1,100})\](?!:)")
_MARKS_BEHIND = re.compile(r"(?:\s?\[\^[^\[\]\s]{1,100}\](?!:))+")
_LIMITS = re.compile(
    r"\b(?:only|unless|except|excluding|without|not|never|no|cannot|until|before|after|up to"
    r"|at most|at least|limited|limits?|if|deprecated|removed|requires?)\b|n['\u2019]t\b",
    re.IGNORECASE,
)


def footnotes_of(window: Window) -> Iterator[Window]:
    """Yield the notes that the text of a quote refers to and that limit it."""
    passage = window.passage
    behind = passage.source(window.end, window.end + LONGEST_NOTE)
    marks = _MARKS_BEHIND.match(behind)
    source = passage.source(window.start, window.end) + (marks[0] if marks else "")
    for label in list(dict.fromkeys(_MARK.findall(source)))[:MOST_MARKS]:
        note = _note(passage, label)
        if note is not None and _LIMITS.search(note.text):
            yield note


def _note(passage: Passage, label: str) -> Window | None:
    """Return the sentences of a note, if the document has it near the passage."""
    page = passage.evidence.page
    text, above = (page, passage.evidence.chunk.start) if page else (passage.text, 0)
    begins = re.search(rf"^[ \t>]*\[\^{re.escape(label)}\]:[ \t]*(?=\S)", text, re.MULTILINE)
    if begins is None:
        return None
    start = begins.end()
    ends = re.compile(r"\n\s*\n|\n[ \t>]*\[\^").search(text, start, start + LONGEST_NOTE)
    end = ends.start() if ends else min(len(text), start + LONGEST_NOTE)
    offset = start - above
    units = [
        unit._replace(start=unit.start + offset, end=unit.end + offset)
        for unit in units_of(text[start:end])
        if unit.kind == "sentence"
    ]
    if not units or commands_assistants(text[start:end]):
        return None
    return Window(passage, tuple(units[:MOST_SENTENCES]))
