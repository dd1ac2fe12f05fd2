"""Spelling: a word of a question that no document has, repaired to one that the documents use.

Only the index and a list of English words decide, so that the same question is repaired the same
way every time. Identifiers, numbers, names in capitals and words in code marks or quotation marks
are left alone.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from tether.retrieval.errors import IndexDamaged
from tether.retrieval.lexical.edits import SLIP, WRONG, one_edit, two_slips
from tether.text.stems import Stems
from tether.text.stop_words import STOP_WORDS
from tether.text.words import Words

if TYPE_CHECKING:
    from tether.retrieval.ports import LexicalSearcher, Searchable

MOST_REPAIRED = 8
"""Words of one question that are looked at: one with more is not misspelled, but foreign."""

LEAST_HOLDERS = {1: 3, 2: 8}
"""How many passages have to have a word, by the edits that lead to it."""

RARE, FAR_MORE = 2, 50
"""A word of so few passages may be a typing error of the documents, if another has far more."""

LONG_ENOUGH = {1: 6, 2: 9}
"""The letters of a word that any edit, or two, may repair: a shorter one may be another word."""

SHORTEST = 4
"""The letters of a word that may lack one; in a shorter one only letters are swapped."""

TRIED, READ = 3, 8
"""How many words are looked for in the documents, and in how many passages each."""

_WORD = re.compile(r"(?<![\w$@#/\\.=\-'\u2019])[^\W\d_]{3,40}(?![\w(=/\\@'\u2019]|[-.:+]\w|\+\+|#)")
_KEPT = re.compile(r"`[^`]*`|\"[^\"\n]*\"|\u201c[^\u201d\n]*\u201d")
_CONTRACTED = re.compile(
    r"(?:ca|do|does|did|is|are|was|were|wo|would|could|should|has|have|had)nt", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """A word as it was typed, and the word of the documents in its place.

    `tells` is false where that is one of the small words that a search leaves out.
    """

    typed: str
    meant: str
    tells: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Repaired:
    """A question with its spelling repaired, and the repairs in order."""

    text: str
    repairs: tuple[Repair, ...] = ()

    @property
    def notes(self) -> list[str]:
        """What people have to know: the repairs of words that the search is about."""
        told = (one for one in self.repairs if one.tells)
        return [f'searched for "{one.meant}" instead of "{one.typed}"' for one in told]


def repaired(index: Searchable, question: str) -> Repaired:
    """Return a question in the spelling of an index; as it is where the index is damaged."""
    try:
        found = dict(_repairs(index, question))
    except IndexDamaged:
        return Repaired(text=question)
    text, after = "", 0
    for (start, end), repair in found.items():
        text, after = f"{text}{question[after:start]}{repair.meant}", end
    return Repaired(text=text + question[after:], repairs=tuple(found.values()))


def _repairs(index: Searchable, question: str) -> Iterator[tuple[tuple[int, int], Repair]]:
    for match, holders in _strange(index.words, question):
        typed = match[0]
        if _CONTRACTED.fullmatch(typed):
            meant = f"{typed[:-1]}'t"
        else:
            is_name = typed[0].isupper() and bool(question[: match.start()].strip())
            meant = _meant(index, typed.casefold(), holders, is_sure=not holders and not is_name)
        if meant:
            tells = meant not in STOP_WORDS["en"] and "'" not in meant
            yield match.span(), Repair(typed=typed, meant=meant, tells=tells)


def _strange(words: LexicalSearcher, question: str) -> list[tuple[re.Match[str], int]]:
    """Return the plain words that next to no document has, and contractions without their mark."""
    kept = [match.span() for match in _KEPT.finditer(question)]
    plain = [
        match
        for match in _WORD.finditer(question)
        if not any(start <= match.start() < end for start, end in kept) and _is_plain(match[0])
    ]
    holders = words.holders([match[0] for match in plain])
    strange = [
        (match, known)
        for match, known in zip(plain, holders, strict=True)
        if known <= RARE or _CONTRACTED.fullmatch(match[0])
    ]
    return strange if len(strange) <= MOST_REPAIRED else []


def _is_plain(word: str) -> bool:
    """Say whether a word is of small Latin letters, apart from the first."""
    return word.isascii() and (word.islower() or word[1:].islower())


def _meant(index: Searchable, word: str, holders: int, *, is_sure: bool) -> str:
    """Return the word of the documents that a folded word stands for; "" without one.

    A word that may be right, as a name or because a document has it, is repaired where it is a slip
    away from a far more frequent one.
    """
    if Stems().stem(word, "en") in _english():
        return ""
    for edits, near in ((1, _near), (2, _far)):
        others = near(word)
        allowed = {it: cost for it, cost in others.items() if is_sure or cost == SLIP}
        least = holders * FAR_MORE or LEAST_HOLDERS[edits]
        for other in _likely(index.words, allowed, least):
            if meant := _written(index, other, allowed):
                return meant
    return ""


def _far(word: str) -> dict[str, int]:
    return two_slips(word) if len(word) >= LONG_ENOUGH[2] else {}


def _near(word: str) -> dict[str, int]:
    """Return the words one edit away; of a short word, those with a slip or one letter more."""
    found = one_edit(word)
    if len(word) >= LONG_ENOUGH[1]:
        return found
    longer = len(word) + 1 if len(word) >= SHORTEST else 0
    return {it: cost for it, cost in found.items() if cost == SLIP or len(it) == longer}


def _likely(words: LexicalSearcher, others: Mapping[str, int], least: int) -> list[str]:
    """Return a word for each of the likeliest stems that enough passages have."""
    listed = sorted(others)
    weights = {
        other: math.log(holders) - 2 * others[other]
        for other, holders in zip(listed, words.holders(listed), strict=True)
        if holders >= least or (holders and least < FAR_MORE and _is_sure(other, others[other]))
    }
    by_stem: dict[tuple[str, ...], str] = {}
    for other in sorted(weights, key=lambda it: (-weights[it], it not in _english(), it)):
        by_stem.setdefault(words.terms(other)[:1], other)
    return list(by_stem.values())[:TRIED]


def _is_sure(other: str, cost: int) -> bool:
    """Say whether one passage is enough for a word: it is English, and only a slip away."""
    return cost < WRONG and other in _english()


def _written(index: Searchable, other: str, allowed: Mapping[str, int]) -> str:
    """Return the best of the allowed words in the passages that have `other` in any form.

    A stem holds for many words, among them some that nobody writes: "" where only those do.
    """
    if other in _english():
        return other
    rows = index.words.search(other, limit=READ).rows.tolist()
    reader = Words()
    seen = Counter(
        piece
        for chunk in index.chunks(rows)
        for written in reader.words(chunk.indexed)
        for piece in reader.pieces(written)
        if piece in allowed
    )
    return min(seen, key=lambda piece: (allowed[piece], -seen[piece], piece), default="")


@cache
def _english() -> frozenset[str]:
    """The English words that are no slips, and their stems, whether the documents have them."""
    listed = files("tether.retrieval").joinpath("models/vocab.txt").read_text("utf-8").split()
    words = [word for word in listed if word.isalpha() and word.isascii() and len(word) > 2]
    stems = Stems()
    return frozenset(words).union(stems.stem(word, "en") for word in words)
