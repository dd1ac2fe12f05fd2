"""A text as words, and the words among them that no other word can stand for."""

from __future__ import annotations

import re
import unicodedata

Words = tuple[str, ...]

_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
"""Scripts in which a sentence has no spaces: each character is taken for a word."""
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")
_SPACED = re.compile(rf"[^\s{_UNSPACED}]+")
_PUNCTUATION = (
    ".,;:!?\"'()[]{}*_`|\u2026\u2013\u2014\u201c\u201d\u2018\u2019\u00ab\u00bb\u3001\u3002"
    "\uff0c\uff0e\uff01\uff1f\uff1a\uff1b\uff08\uff09\u300c\u300d\u300e\u300f"
)
_NEGATIONS = frozenset(("no", "not", "never", "none", "nor", "neither", "without", "cannot"))


def words_of(text: str) -> Words:
    """Return the words without their marks; a text without any is one word."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return tuple(_WORD.findall(folded)) or (folded.strip(),)


def facts_of(text: str) -> Words:
    """Return, in order, what decides between two texts that are nearly the same.

    That is everything between spaces that is not only letters inside punctuation: numbers,
    versions, signs, operators, paths, names such as `max_size` and `C++`; and the English words
    that deny.
    """
    folded = unicodedata.normalize("NFC", text).casefold()
    found = (word.strip(_PUNCTUATION) for word in _SPACED.findall(folded))
    return tuple(word for word in found if _decides(word))


def _decides(word: str) -> bool:
    if word.isalpha():
        return word in _NEGATIONS
    return bool(word.strip("-#"))  # else a bullet, a rule or the marks of a heading
