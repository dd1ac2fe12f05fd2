"""Finds passages that say the same in the same words."""

from __future__ import annotations

import unicodedata
from collections import Counter
from typing import TYPE_CHECKING, Literal, NamedTuple

from tether.retrieval.assembly.wording import Words, facts_of, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_RUN = 5
_MOST_HOLDERS = 20
_MOST_COMPARED = 10

Likeness = Literal["same", "inside", "around"]
"""As much text as another passage, less of it, or more."""


class Match(NamedTuple):
    """An earlier passage, by its number, and how the new one is like it."""

    number: int
    likeness: Likeness


class _Known(NamedTuple):
    """What is remembered of a text: itself without its dress, its runs of words and its facts."""

    plain: str
    runs: frozenset[Words]
    facts: Words

    @classmethod
    def of(cls, text: str) -> _Known:
        plain = " ".join(unicodedata.normalize("NFC", text).casefold().split())
        return cls(plain, _runs_of(words_of(text)), facts_of(text))


class Similar:
    """Remembers texts by their runs of five words, and finds those that a new one is like.

    Texts that differ in a number, a sign, a name or a negation are never alike, however much else
    they share: `port 8080` and `port 8081` may be the right answer and the wrong one.

    A text is compared with the ten that share most of its runs with it, and a run leads to the
    first twenty that hold it: words that stand on every page find nothing new. So the work grows
    with the text and not with the square of the passages.
    """

    def __init__(self, similarity: float) -> None:
        self._similarity = similarity
        self._known: dict[int, _Known] = {}
        self._exact: dict[str, list[int]] = {}
        self._holders: dict[Words, list[int]] = {}

    def matches(self, text: str) -> Iterator[Match]:
        """Yield the texts that this one is like, in the order in which they were added."""
        new = _Known.of(text)
        for number in self._exact.get(new.plain, ()):
            if self._known[number].plain == new.plain:
                yield Match(number, "same")
        holders = Counter(number for run in new.runs for number in self._holders.get(run, ()))
        likeliest = sorted(holders, key=lambda number: (-holders[number], number))
        for number in sorted(likeliest[:_MOST_COMPARED]):
            likeness = self._likeness(new, self._known[number])
            if likeness:
                yield Match(number, likeness)

    def add(self, number: int, text: str) -> None:
        """Remember a text under a number; a number that is known has this text from now on."""
        new = _Known.of(text)
        before = self._known.get(number)
        self._known[number] = new
        self._exact.setdefault(new.plain, []).append(number)
        for run in new.runs - (before.runs if before else frozenset()):
            holders = self._holders.setdefault(run, [])
            if len(holders) < _MOST_HOLDERS:
                holders.append(number)

    def _likeness(self, new: _Known, old: _Known) -> Likeness | None:
        shared = len(new.runs & old.runs)
        if shared >= self._similarity * (len(new.runs) + len(old.runs) - shared):
            return "same" if new.facts == old.facts else _containment(new, old, shared)
        return _containment(new, old, shared)


def _containment(new: _Known, old: _Known, shared: int) -> Likeness | None:
    if shared == len(new.runs) and not Counter(new.facts) - Counter(old.facts):
        return "inside"
    if shared == len(old.runs) and not Counter(old.facts) - Counter(new.facts):
        return "around"
    return None


def _runs_of(words: Words) -> frozenset[Words]:
    last = max(len(words) - _RUN, 0)
    return frozenset(words[at : at + _RUN] for at in range(last + 1))
