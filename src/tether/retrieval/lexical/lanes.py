"""The lexical lanes: BM25 over words, and BM25 over parts of words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from importlib.resources import files
from typing import TYPE_CHECKING

import Stemmer

from tether.retrieval.hit import LaneName
from tether.retrieval.lexical.bm25 import (
    Analysis,
    Forms,
    GramSettings,
    LexicalSettings,
    WordSettings,
)
from tether.retrieval.lexical.build import Build
from tether.retrieval.lexical.searcher import ArraySearcher
from tether.text.language import LanguageDetector
from tether.text.stems import known_language
from tether.text.stop_words import StopWords
from tether.text.words import Words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tether.retrieval.chunk import Chunk

_WORDS_VERSION = 3
_GRAMS_VERSION = 3
_SHORT = 4
_SKELETON = 5
_VOWELS = re.compile("[aeiouyαεηιουωаеёиоуыэюяіїє]+")  # noqa: RUF001 - three alphabets


class ArrayLane:
    """BM25 over the terms of an analysis; a lane adds its name and its fingerprint."""

    def __init__(self, analysis: Analysis, settings: LexicalSettings) -> None:
        self._reads = analysis
        self._counts = settings

    def build(
        self,
        *,
        size: int,
        fresh: Iterable[tuple[int, Chunk]],
        previous: Mapping[str, NDArray[np.generic]] | None = None,
        kept: NDArray[np.int32] | None = None,
    ) -> dict[str, NDArray[np.generic]]:
        """Return the arrays of `size` rows; see `LexicalLane.build`."""
        build = Build(self._reads, self._counts, size)
        if previous is not None and kept is not None:
            build.carry(previous, kept)
        build.read(fresh)
        return build.arrays()

    def open(self, arrays: Mapping[str, NDArray[np.generic]]) -> ArraySearcher:
        """Return a searcher over the arrays."""
        return ArraySearcher(self._reads, self._counts, arrays)


class WordLane(ArrayLane):
    """BM25 over words. Texts in a known language are stemmed, others are not."""

    name: LaneName = "words"

    def __init__(self, settings: WordSettings | None = None) -> None:
        self._settings = settings or WordSettings()
        super().__init__(WordAnalysis(self._settings), self._settings)

    @property
    def fingerprint(self) -> str:
        """The settings and the version of Snowball, on which the arrays depend."""
        snowball = Stemmer.version() if self._settings.stemming else "none"
        return f"words/{_WORDS_VERSION} {self._settings.fingerprint} snowball={snowball}"


class WordAnalysis:
    """Reads texts as words, in their declared or detected language."""

    def __init__(self, settings: WordSettings) -> None:
        self._words = Words()
        self._detector = LanguageDetector()
        self._stop_words = StopWords()
        self._stemming = settings.stemming

    def words(self, text: str) -> list[str]:
        """Return the words of a text in order."""
        return self._words.words(text)

    def language(self, declared: str, words: Sequence[str]) -> str:
        """Return the declared language, else the detected one; "" if words are not stemmed."""
        if not self._stemming:
            return ""
        return known_language(declared) or self._detector.language(words)

    def terms(self, word: str, language: str) -> tuple[str, ...]:
        """Return the terms of a word of a passage."""
        return self._words.terms(word, language)

    def question(self, text: str, languages: Sequence[str]) -> list[Forms]:
        """Return the content words of a question, each as the index may spell it.

        Stop words are those of the language of the question, or of the first language of the index
        if that is not clear: `die` is a content word in English.
        """
        words = _small(self._words.words(text))
        spoken = self.language("", words)
        little = spoken or next(filter(None, languages), "")
        languages = tuple(dict.fromkeys((*languages, spoken) if spoken else languages)) or ("",)
        forms: list[Forms] = []
        for word in self._stop_words.telling(words, (little,)):
            spellings = [self._words.question_terms(word, language) for language in languages]
            forms += [tuple(dict.fromkeys(term)) for term in zip(*spellings, strict=True)]
        return forms


class GramLane(ArrayLane):
    """BM25 over sub-words and consonant skeletons, the same in every language.

    Its errors differ from those of the lane of words: a typing error, an inflection that no stemmer
    knows or a compound leaves some parts of a word unchanged. With a few terms for each word,
    instead of one for every letter, it is as fast and as small.
    """

    name: LaneName = "grams"

    def __init__(self, settings: GramSettings | None = None) -> None:
        self._settings = settings or GramSettings()
        self._parts = WordParts()
        super().__init__(GramAnalysis(self._parts), self._settings)

    @property
    def fingerprint(self) -> str:
        """The settings and the vocabulary of sub-words, on which the arrays depend."""
        return (
            f"grams/{_GRAMS_VERSION} {self._settings.fingerprint} pieces={self._parts.fingerprint}"
        )


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
        """Return the parts of a word, also of what its capitals divide (`MongoDB`, `mongodb`)."""
        pieces = self._words.pieces(word)
        if not word.islower():
            pieces += [
                piece for piece in self._words.pieces(word.casefold()) if piece not in pieces
            ]
        return tuple([part for piece in pieces for part in self._parts.parts(piece)])

    def question(self, text: str, languages: Sequence[str]) -> list[Forms]:
        """Return the parts of the content words of a question."""
        words = _small(self._words.words(text))
        spoken = (*map(known_language, languages), self._detector.language(words))
        telling = self._stop_words.telling(words, spoken)
        return [(part,) for word in telling for part in self.terms(word, "")]


def _small(words: Sequence[str]) -> list[str]:
    """Return the words of a question in small letters: what people type says nothing by its case.

    A passage is found by the whole of a compound and by its parts, so nothing is lost.
    """
    return [word.casefold() for word in words]


class WordParts:
    """Cuts folded words into sub-words of a vocabulary, and adds how they sound.

    A word of the Latin alphabet is cut greedily into the longest known pieces (`sched`, `##uler`);
    the pieces of other alphabets are too small to be useful, so such a word counts as its
    first and its last four letters. Words of five letters and more count as the first five letters
    of their consonant skeleton too (`~schdl`), which most typing errors leave unchanged.
    `vocabulary` is the text of a WordPiece vocabulary; without it, that of the package's models.
    """

    def __init__(self, vocabulary: str | None = None) -> None:
        if vocabulary is None:
            vocabulary = files("tether.retrieval").joinpath("models/vocab.txt").read_text("utf-8")
        self._pieces = frozenset(vocabulary.split())
        self.fingerprint = blake2b(vocabulary.encode(), digest_size=8).hexdigest()
        """The hash of the vocabulary."""

    def parts(self, word: str) -> tuple[str, ...]:
        """Return the parts of a folded word."""
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
