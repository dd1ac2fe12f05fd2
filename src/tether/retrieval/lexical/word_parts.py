"""Parts of words: what is left of a word when a letter is wrong or an ending differs."""

from __future__ import annotations

import re
from hashlib import blake2b
from importlib.resources import files

_SHORT = 4
_SKELETON = 5
_VOWELS = re.compile("[aeiouyαεηιουωаеёиоуыэюяіїє]+")  # noqa: RUF001 - three alphabets


class WordParts:
    """Cuts folded words into sub-words of a vocabulary, and adds how they sound.

    A word of the Latin alphabet is cut greedily into the longest known pieces (`sched`, `##uler`);
    the pieces of other alphabets are too small to tell anything, so such a word counts as its
    first and its last four letters. Words of five letters and more count as the first five letters
    of their consonant skeleton too (`~schdl`), which most slips of the pen leave as it was.
    `vocabulary` is the text of a WordPiece vocabulary; without it, that of the package's models.
    """

    def __init__(self, vocabulary: str | None = None) -> None:
        if vocabulary is None:
            vocabulary = files("tether.retrieval").joinpath("models/vocab.txt").read_text("utf-8")
        self._pieces = frozenset(vocabulary.split())
        self.fingerprint = blake2b(vocabulary.encode(), digest_size=8).hexdigest()
        """Which vocabulary it is."""

    def parts(self, word: str) -> tuple[str, ...]:
        """Return what a folded word is found by."""
        if not word.isascii():
            return _edges(word) if len(word) > _SHORT else (word,)
        pieces = self._greedy(word)
        return (*pieces, _skeleton(word)) if len(word) > _SHORT else tuple(pieces)

    def _greedy(self, word: str) -> list[str]:
        found: list[str] = []
        start = 0
        while start < len(word):
            piece = self._longest(word, start)
            found.append(piece)
            start += len(piece) - (2 if start else 0)
        return found

    def _longest(self, word: str, start: int) -> str:
        mark = "##" if start else ""
        for end in range(len(word), start, -1):
            if (piece := f"{mark}{word[start:end]}") in self._pieces:
                return piece
        return f"{mark}{word[start:]}"


def _edges(word: str) -> tuple[str, ...]:
    return (f"<{word[:_SHORT]}", f">{word[-_SHORT:]}", _skeleton(word))


def _skeleton(word: str) -> str:
    return f"~{word[0]}{_VOWELS.sub('', word[1:])}"[: _SKELETON + 1]
