"""The lane of words: BM25 over Unicode words, stems and identifiers."""

from __future__ import annotations

from collections.abc import Sequence

import Stemmer

from tether.retrieval.hit import LaneName
from tether.retrieval.lexical.analysis import Forms
from tether.retrieval.lexical.array_lane import ArrayLane
from tether.retrieval.lexical.language import LanguageDetector, known_language
from tether.retrieval.lexical.settings import WordSettings
from tether.retrieval.lexical.stop_words import StopWords
from tether.retrieval.lexical.words import Words

_VERSION = 2


class WordLane(ArrayLane):
    """BM25 over words. Texts in a known language are stemmed, others are taken as they are."""

    name: LaneName = "words"

    def __init__(self, settings: WordSettings | None = None) -> None:
        self._settings = settings or WordSettings()
        super().__init__(WordAnalysis(self._settings), self._settings)

    @property
    def fingerprint(self) -> str:
        """What the arrays depend on, Snowball's version included."""
        snowball = Stemmer.version() if self._settings.stemming else "none"
        return f"words/{_VERSION} {self._settings.fingerprint} snowball={snowball}"


class WordAnalysis:
    """Reads texts as words, in the language that they declare or seem to be in."""

    def __init__(self, settings: WordSettings) -> None:
        self._words = Words()
        self._detector = LanguageDetector()
        self._stop_words = StopWords()
        self._stemming = settings.stemming

    def words(self, text: str) -> list[str]:
        """Return the words of a text in order."""
        return self._words.words(text)

    def language(self, declared: str, words: Sequence[str]) -> str:
        """Return the declared language, else the detected one, "" where words stay unstemmed."""
        if not self._stemming:
            return ""
        return known_language(declared) or self._detector.language(words)

    def terms(self, word: str, language: str) -> tuple[str, ...]:
        """Return what a word of a passage is found by."""
        return self._words.terms(word, language)

    def question(self, text: str, languages: Sequence[str]) -> list[Forms]:
        """Return the telling words of a question, each as the index may spell it.

        Little words are those of the language that the question is in, or of the first of the
        index where that is not clear: `die` tells something among English words.
        """
        words = self._words.words(text)
        spoken = self.language("", words)
        little = spoken or next(filter(None, languages), "")
        languages = tuple(dict.fromkeys((*languages, spoken) if spoken else languages)) or ("",)
        forms: list[Forms] = []
        for word in self._stop_words.telling(words, (little,)):
            spellings = [self._words.question_terms(word, language) for language in languages]
            forms += [tuple(dict.fromkeys(term)) for term in zip(*spellings, strict=True)]
        return forms
