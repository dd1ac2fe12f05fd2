"""The words of a text in the form in which they are compared: folded, cut to a stem, split."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from tether.batteries.languages.texts.words import extends_a_word, words_in
from tether.batteries.models.extractive.stop_words import (
    NAMES_TOO,
    STOP_BIGRAMS,
    STOP_WORDS,
    language_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST_WORD = 60

# Han, kana and Hangul; and Thai, Lao, Burmese and Khmer, which write no spaces between words.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff"
)
_RUN = re.compile(f"[{_UNSPACED}]+")
_TOKEN = re.compile(
    rf"[{_UNSPACED}]+|(?:[^\W{_UNSPACED}]|(?<=[^\W_])[.+#/:\-'\u2019](?=[^\W_]))+(?:\+\+|#)?"
)
_LETTERS = re.compile(r"[^\W\d_]+")
_PARTS = re.compile(r"[^\W\d_]+|\d+(?:[.,]\d+)*")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_POSSESSIVE = re.compile(r"['\u2019](?:s|t|re|ve|ll|d|m)?$")
_ACRONYMS = re.compile(r"(?<=^[A-Z][A-Z])s$|(?<=^[A-Z][A-Z][A-Z])s$|(?<=^[A-Z]{4})s$")
_SUFFIXES = (
    *("izations", "isations", "ization", "isation", "ational", "ations", "ements", "ation"),
    *("ement", "ments", "ences", "ances", "ities", "ables", "ment", "ence", "ance", "ions"),
    *("ally", "able", "ible", "ings", "ion", "ity", "ing", "ers", "ors", "ive", "ely"),
    *("ies", "ied", "ie", "ed", "er", "or", "al", "ly", "es", "e", "s", "y"),
)
_GERMAN_SUFFIXES = (*_SUFFIXES, "en", "em", "n")
_LEAST_STEM = {"er": 4, "or": 4, "ers": 4, "ors": 4, "al": 5, "ies": 2, "ied": 2, "ie": 2}
_CYRILLIC_ENDING = re.compile("[аеиоуыэюяйьмхв]+$")


class Vocabulary:
    """Makes terms in the language of a question, and remembers the stems it has cut.

    Words in code and in capitals are names, and never stop words. A question of nothing but stop
    words asks about those that name something too (`let`, `use`).
    """

    def __init__(self, question: str = "") -> None:
        words = [word.casefold() for word in words_in(question)]
        language = language_of(words)
        self._stops = STOP_WORDS[language]
        self._suffixes = _GERMAN_SUFFIXES if language == "de" else _SUFFIXES
        self._stems: dict[str, str] = {}
        if not self.terms_of(question):
            self._stops = self._stops - NAMES_TOO.intersection(words)

    def terms_of(self, text: str) -> list[str]:
        """Return the terms of a text, stop words left out.

        An identifier counts whole and in its parts, a run without spaces as its bigrams.
        """
        found: list[str] = []
        for token, is_name in _tokens(text):
            if token[0] >= "\u0e00" and _RUN.match(token):
                found += (pair for pair in _bigrams(token) if pair not in STOP_BIGRAMS)
            else:
                found += self._words(token[:LONGEST_WORD], is_name)
        return found

    def _words(self, token: str, is_name: bool) -> Iterator[str]:
        token = _ACRONYMS.sub("", _POSSESSIVE.sub("", token))
        folded = token.casefold()
        stops = frozenset[str]() if is_name else self._stops
        if folded.isalpha() and (token.islower() or token.istitle()):
            if folded not in stops:
                yield self._stem(folded)
            return
        parts = [part for whole in _PARTS.findall(token) for part in _CAMEL.findall(whole)]
        if len(parts) != 1 or parts[0] != token:
            yield folded
        if len(parts) == 1 or not folded.isalpha() or len(parts[0]) > 1:
            small = [part.casefold() for part in parts]
            yield from (self._stem(part) for part in small if part not in stops)

    def _stem(self, word: str) -> str:
        stem = self._stems.get(word)
        if stem is None:
            stem = self._stems[word] = self._cut(word)
        return stem

    def _cut(self, word: str) -> str:
        """Cut the ending that inflection or derivation gave a word; not to less than 3 letters."""
        if not word.isalpha() or len(word) < 4 or word.endswith(("ss", "us", "is")):
            return word
        if "\u0400" <= word[0] <= "\u04ff":
            return word[:3] + _CYRILLIC_ENDING.sub("", word[3:])
        if word.endswith("en") and len(word) > 5 and word[-3] == word[-4]:  # written, hidden
            return word[:-3]
        for suffix in self._suffixes:
            stem = word[: -len(suffix)]
            least = _LEAST_STEM.get(suffix) or max(3, min(4, len(suffix) + 1))
            if word.endswith(suffix) and len(stem) >= least:
                return self._without(stem, suffix)
        return word

    def _without(self, stem: str, suffix: str) -> str:
        """Undo a doubled consonant ("stopping"), and cut what stood before a plural's s.

        Whatever ends in y, ie, ies or ied ends in i: query and queries, cookie and cookies.
        """
        if suffix == "s":
            return self._cut(stem)
        if suffix in ("y", "ie", "ies", "ied"):
            return f"{stem}y" if stem[-1] in "aeiou" else f"{stem}i"
        if len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "aeiouls":
            return stem[:-1]
        return stem


def count_words(text: str) -> int:
    """Return how many words a reader reads; two characters of a script without spaces are one."""
    letters = 0 if text.isascii() else sum(map(len, _RUN.findall(text)))
    return len(text.split()) + letters // 2


def count_letters(text: str) -> int:
    """Return how many letters a text has, and marks on letters."""
    marks = 0 if text.isascii() else sum(map(extends_a_word, text))
    return sum(map(len, _LETTERS.findall(text))) + marks


def _tokens(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the words, and whether each is surely a name: in code, or in capitals."""
    if not text.isascii() and any(map(extends_a_word, text)) and not _RUN.search(text):
        yield from ((word, False) for word in words_in(text))
        return
    for match in _TOKEN.finditer(text):
        token = match[0]
        edges = text[match.start() - 1 : match.start()] + text[match.end() : match.end() + 1]
        yield token, "`" in edges or (token.isupper() and token not in ("I", "A"))


def _bigrams(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield run
    yield from map("".join, pairwise(run))
