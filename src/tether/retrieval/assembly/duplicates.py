"""Passages with the same or nearly the same text, grouped before they are admitted."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from typing import TYPE_CHECKING, Literal, NamedTuple

from tether.core.tiers import lower_tier
from tether.retrieval.assembly.assembly import Citation
from tether.text.words import UNSPACED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tether.retrieval.chunk import Passage

Group = tuple["Passage", ...]
"""Passages with one text: the one to show first, then the others in rank order."""

_RUN = 5
_MOST_HOLDERS = 20
_MOST_COMPARED = 10
_WORD = re.compile(rf"[{UNSPACED}]|[^\W{UNSPACED}]+")
_SPACED = re.compile(rf"[^\s{UNSPACED}]+")
_PUNCTUATION = (
    ".,;:!?\"'()[]{}*_`|\u2026\u2013\u2014\u201c\u201d\u2018\u2019\u00ab\u00bb\u3001\u3002"
    "\uff0c\uff0e\uff01\uff1f\uff1a\uff1b\uff08\uff09\u300c\u300d\u300e\u300f"
)
_NEGATIONS = frozenset(("no", "not", "never", "none", "nor", "neither", "without", "cannot"))


def grouped(passages: Iterable[Passage], similarity: float) -> list[Group]:
    """Return groups in the rank order of their first members.

    The passage to show is the first, unless a later one contains it, or has the same text and a
    higher trust tier. A passage that is longer or shorter than one of another tier stays separate:
    the additional text would borrow the authority of the other.
    """
    groups: list[list[Passage]] = []
    similar = Similar(similarity)
    for passage in passages:
        matches = similar.matches(passage.text)
        found = next((match for match in matches if _may_join(passage, match, groups)), None)
        if found is None:
            similar.add(len(groups), passage.text)
            groups.append([passage])
            continue
        group = groups[found.number]
        leads = found.likeness == "around" or _outranks(passage, group[0])
        group.insert(0 if leads else len(group), passage)
        if leads:
            similar.add(found.number, passage.text)
    return [tuple(group) for group in groups]


def citations(passages: Iterable[Passage]) -> tuple[Citation, ...]:
    """Return the citations of these passages."""
    return tuple(
        Citation(id=passage.id, label=passage.label, identifier=passage.identifier)
        for passage in passages
    )


def _may_join(passage: Passage, match: Match, groups: list[list[Passage]]) -> bool:
    return match.likeness == "same" or passage.trust_tier == groups[match.number][0].trust_tier


def _outranks(one: Passage, other: Passage) -> bool:
    tiers = one.trust_tier, other.trust_tier
    return tiers[0] != tiers[1] and lower_tier(*tiers) == other.trust_tier


Likeness = Literal["same", "inside", "around"]
"""The same text as another passage, a part of it, or more."""


class Match(NamedTuple):
    """An earlier passage, by its number, and how the new one relates to it."""

    number: int
    likeness: Likeness


class _Known(NamedTuple):
    """A text in normal form, its runs of words, and its facts."""

    plain: str
    runs: frozenset[Words]
    facts: Words

    @classmethod
    def of(cls, text: str) -> _Known:
        plain = " ".join(unicodedata.normalize("NFC", text).casefold().split())
        return cls(plain, _runs_of(words_of(text)), facts_of(text))


class Similar:
    """Stores texts by their runs of five words, and finds those that a new one resembles.

    Texts that differ in a number, a sign, a name or a negation are never similar, however much else
    they share: `port 8080` may be the right answer and `port 8081` the wrong one.

    A text is compared with the ten that share most runs with it, and a run leads to the first
    twenty texts that contain it. So the work grows with the text and not with the square of the
    passages.
    """

    def __init__(self, similarity: float) -> None:
        self._similarity = similarity
        self._known: dict[int, _Known] = {}
        self._exact: dict[str, list[int]] = {}
        self._holders: dict[Words, list[int]] = {}

    def matches(self, text: str) -> Iterator[Match]:
        """Yield the texts that this one resembles, in the order in which they were added."""
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
        """Store a text under a number, in place of an earlier text of that number."""
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


Words = tuple[str, ...]


def words_of(text: str) -> Words:
    """Return the words without punctuation; a text without words is one word.

    In scripts without spaces, each character counts as a word.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    return tuple(_WORD.findall(folded)) or (folded.strip(),)


def facts_of(text: str) -> Words:
    """Return in order the words that tell two nearly equal texts apart.

    These are all words that are not only letters inside punctuation (numbers, versions, signs,
    operators, paths, names such as `max_size` and `C++`), and the English negations.
    """
    folded = unicodedata.normalize("NFC", text).casefold()
    found = (word.strip(_PUNCTUATION) for word in _SPACED.findall(folded))
    return tuple(word for word in found if _decides(word))


def _decides(word: str) -> bool:
    if word.isalpha():
        return word in _NEGATIONS
    return bool(word.strip("-#"))  # else a bullet, a rule or the marks of a heading
