"""Stems of words by Snowball, one algorithm for each language."""

from __future__ import annotations

from threading import Lock

from Stemmer import Stemmer

from tether.retrieval.lexical.language import ALGORITHMS


class Stems:
    """Cuts words to their stems; safe to share between threads, which Snowball alone is not."""

    def __init__(self) -> None:
        self._stemmers: dict[str, Stemmer] = {}
        self._lock = Lock()

    def stem(self, word: str, language: str) -> str:
        """Return the stem of a casefolded word, or the word itself where `language` is ""."""
        if not language:
            return word
        with self._lock:
            stemmer = self._stemmers.get(language)
            if stemmer is None:
                stemmer = self._stemmers[language] = Stemmer(ALGORITHMS[language], 0)
            return stemmer.stemWord(word)
