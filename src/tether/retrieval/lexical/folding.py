"""One spelling for what people type in several: accents, ligatures, invisible characters."""

from __future__ import annotations

import re
from unicodedata import category, normalize

_MARKS = re.compile("[\u0300-\u036f\u05b0-\u05c7\u0640\u064b-\u065f\u0670]+")
_VARIATIONS = re.compile("[\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_MOST_REMEMBERED = 1 << 16
_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "\u0131": "i"})


def without_accents(word: str) -> str:
    """Return a casefolded word without accents and vowel points; other scripts' marks stay."""
    if word.isascii():
        return word
    bare = _MARKS.sub("", normalize("NFD", word))
    return normalize("NFC", bare).translate(_LETTERS) or word


class WordCharacters(dict[int, str]):
    """A table for `str.translate` that leaves only words in a text outside ASCII.

    Letters, marks and numbers stay as they are; format characters vanish (soft hyphens, joiners,
    byte order marks), and so do the marks that make emoji of characters; everything else becomes a
    space. ASCII stays, because its punctuation joins identifiers. Filled as characters are met, up
    to a size.
    """

    def __missing__(self, code: int) -> str:
        kept = _kept(chr(code))
        if len(self) < _MOST_REMEMBERED:
            self[code] = kept
        return kept


def _kept(character: str) -> str:
    kind = category(character)
    if kind in ("Cf", "Me") or _VARIATIONS.match(character):
        return ""
    return character if character.isascii() or kind[0] in "LMN" else " "
