"""Finds passages that say the same in the same words."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
"""Scripts in which a sentence has no spaces: each character is taken for a word."""
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")
_RUN = 5
_MOST_HOLDERS = 20
_MOST_COMPARED = 10

Words = tuple[str, ...]
Likeness = Literal["same", "inside", "around"]
"""As much text as another passage, less of it, or more."""


class Match(NamedTuple):
    """An earlier passage, by its number, and how the new one is like it."""

    number: int
    likeness: Likeness


class Similar:
    """Remembers texts by their runs of five words, and finds those that a new one is like.

    A text is compared with the ten that share most of its runs with it, and a run leads to the
    first twenty that hold it: words that stand on every page find nothing new. So the work grows
    with the text and not with the square of the passages.
    """

    def __init__(self, similarity: float) -> None:
        self._similarity = similarity
        self._exact: dict[Words, list[int]] = {}
        self._runs: dict[int, frozenset[Words]] = {}
        self._holders: dict[Words, list[int]] = {}

    def matches(self, text: str) -> Iterator[Match]:
        """Yield the texts that this one is like, in the order in which they were added."""
        words = _words(text)
        for number in self._exact.get(words, ()):
            yield Match(number, "same")
        runs = _runs_of(words)
        holders = Counter(number for run in runs for number in self._holders.get(run, ()))
        likeliest = sorted(holders, key=lambda number: (-holders[number], number))
        for number in sorted(likeliest[:_MOST_COMPARED]):
            likeness = self._likeness(runs, self._runs[number])
            if likeness:
                yield Match(number, likeness)

    def add(self, number: int, text: str) -> None:
        """Remember a text under a number; a number that is known gets the text as well."""
        words = _words(text)
        known = self._runs.get(number, frozenset())
        runs = _runs_of(words)
        self._exact.setdefault(words, []).append(number)
        self._runs[number] = known | runs
        for run in runs - known:
            holders = self._holders.setdefault(run, [])
            if len(holders) < _MOST_HOLDERS:
                holders.append(number)

    def _likeness(self, new: frozenset[Words], old: frozenset[Words]) -> Likeness | None:
        shared = len(new & old)
        if shared >= self._similarity * (len(new) + len(old) - shared):
            return "same"
        if shared == len(new):
            return "inside"
        return "around" if shared == len(old) else None


def _words(text: str) -> Words:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return tuple(_WORD.findall(folded)) or (folded.strip(),)


def _runs_of(words: Words) -> frozenset[Words]:
    last = max(len(words) - _RUN, 0)
    return frozenset(words[at : at + _RUN] for at in range(last + 1))
