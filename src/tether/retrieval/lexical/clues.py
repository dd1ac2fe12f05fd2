"""Clues: the words of a long text by which an index finds what the text is about."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tether.retrieval.errors import IndexDamaged
from tether.text.stop_words import STOP_WORDS
from tether.text.words import Words

if TYPE_CHECKING:
    from tether.retrieval.ports import Searchable

MOST_CLUES = 5
"""More of them would drown the question that the text accompanies."""

MOST_LOOKED_UP = 4_000
SHORTEST = 3
LARGEST_SHARE = 0.1
"""A word that more of the passages have says little."""

ALWAYS_FEW = 3
"""So many passages are few, however small the index is."""


def clues(index: Searchable, text: str) -> tuple[str, ...]:
    """Return the words of a text that some passages have and few, the rarest first.

    Among equally rare ones, the more frequent in the text comes first, then the earlier. A damaged
    index has none.
    """
    counts = Counter(word for word in Words().words(text) if _tells(word))
    words = list(counts)[:MOST_LOOKED_UP]
    try:
        holders = dict(zip(words, index.words.holders(words), strict=True))
    except IndexDamaged:
        return ()
    few = max(ALWAYS_FEW, LARGEST_SHARE * index.size)
    known = [word for word in words if 0 < holders[word] <= few]
    ranked = sorted(known, key=lambda word: (holders[word], -counts[word]))
    return tuple(_different(ranked))[:MOST_CLUES]


def _tells(word: str) -> bool:
    """Return whether a word can tell something: it has letters, and is not a small word."""
    is_long = len(word) >= SHORTEST and any(letter.isalpha() for letter in word)
    return is_long and word.casefold() not in STOP_WORDS["en"]


def _different(words: list[str]) -> list[str]:
    """Return the words without those that differ only in capitals from one before."""
    return list({word.casefold(): word for word in reversed(words)}.values())[::-1]
