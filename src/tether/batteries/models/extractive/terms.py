"""The words of a text in the form in which they are compared: folded, cut to a stem, split."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from tether.batteries.models.extractive.stop_words import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST_WORD = 60

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_TOKEN = re.compile(rf"[{_CJK}]+|(?:[^\W{_CJK}]|(?<=[^\W_])[.+#/:\-'\u2019](?=[^\W_]))+(?:\+\+|#)?")
_PARTS = re.compile(r"[^\W\d_]+|\d+(?:[.,]\d+)*")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_POSSESSIVE = re.compile(r"['\u2019](?:s|t|re|ve|ll|d|m)?$")
_ACRONYMS = re.compile(r"(?<=^[A-Z][A-Z])s$|(?<=^[A-Z][A-Z][A-Z])s$|(?<=^[A-Z]{4})s$")
_SUFFIXES = (
    *("izations", "isations", "ization", "isation", "ational", "ations", "ements", "ation"),
    *("ement", "ments", "ences", "ances", "ities", "ables", "ment", "ence", "ance", "ions"),
    *("ally", "able", "ible", "ings", "ion", "ity", "ing", "ers", "ors", "ive", "ies", "ely"),
    *("ed", "er", "or", "al", "ly", "es", "en", "em", "e", "s", "y", "n"),
)
_CYRILLIC_ENDING = re.compile("[аеиоуыэюяйьмхв]+$")


def terms_of(text: str, stems: dict[str, str]) -> list[str]:
    """Return the terms of a text, stop words left out; `stems` remembers what was cut before.

    An identifier counts whole and in its parts, a run of CJK characters as its bigrams.
    """
    found: list[str] = []
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token[0] >= "\u3040" and _is_cjk(token[0]):
            found += (pair for pair in _bigrams(token) if pair not in STOP_WORDS)
        else:
            found += _words(token[:LONGEST_WORD], stems)
    return found


def count_words(text: str) -> int:
    """Return how many words a reader reads; two CJK characters count as one."""
    letters = sum(_is_cjk(character) for character in text if character >= "\u3040")
    return len(text.split()) + letters // 2


def _words(token: str, stems: dict[str, str]) -> Iterator[str]:
    token = _ACRONYMS.sub("", _POSSESSIVE.sub("", token))
    folded = token.casefold()
    if folded.isalpha() and (token.islower() or token.istitle()):
        if folded not in STOP_WORDS:
            yield _stem(folded, stems)
        return
    parts = [piece for part in _PARTS.findall(token) for piece in _CAMEL.findall(part) or [part]]
    if len(parts) != 1 or parts[0] != token:
        yield folded
    if len(parts) == 1 or not folded.isalpha() or len(parts[0]) > 1:
        small = [part.casefold() for part in parts]
        yield from (_stem(part, stems) for part in small if part not in STOP_WORDS)


def _stem(word: str, stems: dict[str, str]) -> str:
    stem = stems.get(word)
    if stem is None:
        stem = stems[word] = _cut(word)
    return stem


def _cut(word: str) -> str:
    """Cut the ending that inflection or derivation gave a word; never to less than 3 letters."""
    if not word.isalpha() or len(word) < 4 or word.endswith(("ss", "us", "is")):
        return word
    if "\u0400" <= word[0] <= "\u04ff":
        return word[:3] + _CYRILLIC_ENDING.sub("", word[3:])
    for suffix in _SUFFIXES:
        stem = word[: -len(suffix)]
        if word.endswith(suffix) and len(stem) >= max(3, min(4, len(suffix) + 1)):
            return _cut_plural(stem, suffix)
    return word


def _cut_plural(stem: str, suffix: str) -> str:
    """Undo a doubled consonant ("stopping"), and cut what stood before a plural's s."""
    if suffix == "s":
        return _cut(stem)
    if len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "aeiouls":
        return stem[:-1]
    return stem


def _is_cjk(character: str) -> bool:
    return (
        "\u3040" <= character <= "\u30ff"
        or "\u3400" <= character <= "\u9fff"
        or "\uac00" <= character <= "\ud7af"
        or "\uf900" <= character <= "\ufaff"
    )


def _bigrams(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield run
    yield from map("".join, pairwise(run))
