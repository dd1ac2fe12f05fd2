"""Which of the stars, underscores and tildes in a text are emphasis.

A simplification of CommonMark's rule, with the same results on texts that people write: a run opens
where a word starts and closes where one ends, and openers are matched with closers from the inside.
Every run is looked at a bounded number of times.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from tether.retrieval.readers.fragments import Fragments


@dataclass(slots=True)
class Run:
    """A run of one delimiter: its fragment, and how many of its characters are still unmatched."""

    fragment: int
    mark: str
    count: int
    opens: bool
    closes: bool


def run_at(text: str, start: int, end: int, fragment: int) -> Run:
    """Return the run between two places, which opens and closes by what stands around it."""
    before = text[start - 1] if start else " "
    after = text[end] if end < len(text) else " "
    left = _flanks(after, before)
    right = _flanks(before, after)
    mark = text[start]
    opens, closes = left, right
    if mark == "_":
        opens = left and (not right or _is_punctuation(before))
        closes = right and (not left or _is_punctuation(after))
    return Run(fragment=fragment, mark=mark, count=end - start, opens=opens, closes=closes)


def take_off(runs: list[Run], fragments: Fragments) -> None:
    """Take the matched delimiters off their fragments."""
    openers: dict[str, list[Run]] = {}
    for run in runs:
        stack = openers.setdefault(run.mark, [])
        if run.closes:
            _close(run, stack, fragments)
        if run.opens and run.count:
            stack.append(run)


def _close(run: Run, stack: list[Run], fragments: Fragments) -> None:
    while run.count and stack:
        opener = stack[-1]
        if run.mark == "~" and (opener.count != run.count or run.count > 2):
            return
        matched = min(opener.count, run.count)
        fragments.cut(opener.fragment, back=matched)
        fragments.cut(run.fragment, front=matched)
        opener.count -= matched
        run.count -= matched
        if not opener.count:
            stack.pop()


def _flanks(near: str, far: str) -> bool:
    """Return whether a run touches text on one side: `near` is there, `far` on the other."""
    if near.isspace():
        return False
    return not _is_punctuation(near) or far.isspace() or _is_punctuation(far)


def _is_punctuation(letter: str) -> bool:
    return unicodedata.category(letter)[0] in "PS"
