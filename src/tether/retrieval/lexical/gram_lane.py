"""The lane of word parts: BM25 over the pieces that words are made of."""

from __future__ import annotations

from collections.abc import Sequence

from tether.retrieval.hit import LaneName
from tether.retrieval.lexical.analysis import Forms
from tether.retrieval.lexical.array_lane import ArrayLane
from tether.retrieval.lexical.language import LanguageDetector, known_language
from tether.retrieval.lexical.settings import GramSettings
from tether.retrieval.lexical.stop_words import StopWords
from tether.retrieval.lexical.word_parts import WordParts
from tether.retrieval.lexical.words import Words

_VERSION = 2


class GramLane(ArrayLane):
    """BM25 over sub-words and consonant skeletons, in no language.

    It errs differently than the lane of words: a slip of the pen, an inflection that no stemmer
    knows and the parts of a compound leave some parts of a word as they were. A handful of terms
    for a word, instead of one for every letter of it, keeps it as quick and as small.
    """

    name: LaneName = "grams"

    def __init__(self, settings: GramSettings | None = None) -> None:
        self._settings = settings or GramSettings()
        self._parts = WordParts()
        super().__init__(GramAnalysis(self._parts), self._settings)

    @property
    def fingerprint(self) -> str:
        """What the arrays depend on, the vocabulary of sub-words included."""
        return f"grams/{_VERSION} {self._settings.fingerprint} pieces={self._parts.fingerprint}"


class GramAnalysis:
    """Reads texts as parts of words."""

    def __init__(self, parts: WordParts) -> None:
        self._words = Words()
        self._parts = parts
        self._detector = LanguageDetector()
        self._stop_words = StopWords()

    def words(self, text: str) -> list[str]:
        """Return the words of a text in order."""
        return self._words.words(text)

    def language(self, declared: str, words: Sequence[str]) -> str:
        """Return "": parts of words are the same in every language."""
        return ""

    def terms(self, word: str, language: str) -> tuple[str, ...]:
        """Return the parts of a word."""
        return tuple(
            [part for piece in self._words.pieces(word) for part in self._parts.parts(piece)]
        )

    def question(self, text: str, languages: Sequence[str]) -> list[Forms]:
        """Return the parts of the telling words of a question."""
        words = self._words.words(text)
        spoken = (*map(known_language, languages), self._detector.language(words))
        telling = self._stop_words.telling(words, spoken)
        return [(part,) for word in telling for part in self.terms(word, "")]
