"""The terms by which sentences are compared: the stems of their content words."""

from __future__ import annotations

import re
from functools import cached_property

from tether.text.language import language_of
from tether.text.stop_words import FAINT_WORDS, NAMES_TOO, STOP_BIGRAMS, STOP_WORDS
from tether.text.words import Words

_CODE_NAME = re.compile(r"`([^`\s]+)`")
_ABBREVIATION = re.compile(r"(?:[a-z]\.)+[a-z]")
_BASE_FORMS = {
    "forbidden": "forbid",
    "forgotten": "forget",
    "hidden": "hide",
    "overridden": "override",
    "overwritten": "overwrite",
    "rewritten": "rewrite",
    "written": "write",
}
"""English participles that Snowball does not lead back to their verb. Indexes have Snowball's stems
alone, so only comparisons of sentences use these."""


class Vocabulary:
    """Reads texts as terms in one language: the words and stems of `Words`, without stop words.

    The language is that of a question, if none is given. Words in code and in capitals are names,
    and never stop words. A question of nothing but stop words asks about those that are names too
    (`let`, `use`). `ignored` are further words to leave out. Not safe to share between threads.
    """

    def __init__(
        self, question: str = "", *, language: str = "", ignored: frozenset[str] = frozenset()
    ) -> None:
        self._words = Words()
        words = self._words.words(question)
        self._language = language or language_of(words)
        self._stops = STOP_WORDS.get(self._language, STOP_WORDS["en"]) | ignored
        self._terms: dict[tuple[str, bool], tuple[str, ...]] = {}
        if not self.terms_of(question):
            self._stops = self._stops - NAMES_TOO.intersection(word.casefold() for word in words)
            self._terms.clear()

    @cached_property
    def faint(self) -> frozenset[str]:
        """The terms that ask more than they name."""
        return frozenset(self.terms_of(FAINT_WORDS))

    def terms_of(self, text: str) -> list[str]:
        """Return the terms of a text in order. An identifier counts whole and in its parts."""
        found: list[str] = []
        for at, part in enumerate(_CODE_NAME.split(text)):
            for word in self._words.words(part):
                is_name = at % 2 == 1 or (word.isupper() and word not in ("I", "A"))
                found += self._terms_of_word(word, is_name)
        return found

    def plain_terms_of(self, text: str) -> list[str]:
        """Return the terms of a text in which capitals are emphasis: "MUST NOT" is "must not"."""
        return [term for word in self._words.words(text) for term in self._terms_of_word(word)]

    def _terms_of_word(self, word: str, is_name: bool = False) -> tuple[str, ...]:
        terms = self._terms.get((word, is_name))
        if terms is None:
            terms = self._terms[word, is_name] = self._read(word, is_name)
        return terms

    def _read(self, word: str, is_name: bool) -> tuple[str, ...]:
        folded = word.casefold()
        if not is_name and (folded in self._stops or _ABBREVIATION.fullmatch(word)):
            return ()
        if self._language == "en" and not is_name:
            word = _BASE_FORMS.get(folded, word)
        terms = self._words.question_terms(word, self._language)
        stops = frozenset[str]() if is_name else self._stops | STOP_BIGRAMS
        return tuple(term for term in terms if term not in stops)
