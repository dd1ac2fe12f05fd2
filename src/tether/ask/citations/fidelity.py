"""The exact checks of a statement against its quote: what needs no judgement of meaning.

Numbers with their units, names of code, comparators, words in quotation marks, and a part of a
sentence without the rest that limits it. A check that fails says what is wrong, for the model and
for the trace.
"""

from __future__ import annotations

import re

from tether.ask.citations.comparison import Said, Written, written
from tether.ask.citations.passage import Window
from tether.ask.citations.quantities import bounds_oppositely, is_measured_as
from tether.text.sentences import sentences

QUOTED = re.compile(
    r"[\"\u201c\u201e\u00ab]([^\"\u201c\u201d\u201e\u00ab\u00bb]{2,2000})[\"\u201d\u201c\u00bb]"
)
_FEWEST_QUOTED = 2
_FEWEST_CUT = 4
_LIMITS = re.compile(
    r"\b(?:not|never|no longer|cannot|unless|until|except|only|if|when|before|after|without"
    r"|provided|but|although|though|rather|instead|unlike|while|whereas|as long as|in case|myth"
    r"|false|wrong|untrue|incorrect|formerly|previously)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
_APART = re.compile(r";\s")
_COUNTS = frozenset(map(str, range(2, 13)))
"""Numbers that a statement may count for itself, in words: "the two options"."""


def limits(text: str) -> bool:
    """Say whether a text denies, limits or conditions what it is joined to."""
    return _LIMITS.search(text) is not None


def fault_of(statement: str, said: Said, window: Window, quoted: Said) -> str:
    """Return what a statement has that its quote has not, "" where nothing is missing.

    `said` and `quoted` are the contents of the statement and of the quote with its headings.
    """
    source = _source_text(window)
    context = f"{window.premise}\n{window.passage.evidence.chunk.heading}"
    if missing := said.numbers - quoted.held - _counted(statement, quoted):
        return f"the quote does not have the number {min(missing)}"
    if not is_measured_as(statement, context):
        return "a number of the quote has another unit"
    if bounds_oppositely(statement, context):
        return "the quote bounds a number from the other side"
    spelled = f"{context}\n{source}".lower().replace("\\", "")
    if unknown := [name for name in said.codes | said.names if name not in spelled]:
        return f"the quote does not have the name {min(unknown)}"
    if not _are_quoted(statement, window):
        return "words in quotation marks are not in the quote as they are"
    return _cut_out(statement, window)


def _are_quoted(statement: str, window: Window) -> bool:
    """Say whether each text in quotation marks is one unbroken run of the quote."""
    texts = [one for one in QUOTED.findall(statement) if len(one.split()) >= _FEWEST_QUOTED]
    return all(
        _has(written(window.reading), written(one))
        or _has(written(_source_text(window)), written(one))
        for one in texts
    )


def _cut_out(statement: str, window: Window) -> str:
    """Return a fault where a statement is a part of a sentence whose rest limits or denies it."""
    wanted = written(statement)
    for unit in window.units:
        is_long = len(wanted.tokens) >= _FEWEST_CUT
        place = written(unit.text).find(wanted) if is_long else None
        if place is None:
            continue
        rest = f"{_same_sentence(unit.text, *place)} {unit.lead_text}"
        if limit := _LIMITS.search(rest):
            return f'the sentence goes on, and limits this ("{limit[0]}")'
        return ""
    return ""


def _same_sentence(text: str, start: int, end: int) -> str:
    """Return the rest of the sentences that a place is in."""
    around = [(a, b) for a, b in sentences(text) if a < end and start < b]
    before, after = text[around[0][0] : start], text[end : around[-1][1]]
    return f"{_APART.split(before)[-1]} {_APART.split(after)[0]}"


def _counted(statement: str, quoted: Said) -> frozenset[str]:
    """Return the small numbers in words, where the quote has no number that they could change."""
    digits = frozenset(re.findall(r"\d+", statement))
    return frozenset() if quoted.numbers else _COUNTS - digits


def _source_text(window: Window) -> str:
    passage = window.passage
    return f"{passage.source(*(window.lead or (0, 0)))}\n{passage.source(window.start, window.end)}"


def _has(text: Written, wanted: Written) -> bool:
    return not wanted.tokens or text.find(wanted) is not None
