"""Stems of words by Snowball, one algorithm for each language."""

from __future__ import annotations

from threading import Lock

from Stemmer import Stemmer

ALGORITHMS = {
    "ar": "arabic",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "eo": "esperanto",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "ne": "nepali",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}
"""The Snowball algorithm of each language that has one, by ISO 639-1 code."""

LANGUAGES = ("", *ALGORITHMS)
"""Every language, "" for an unknown one first; an index stores positions in this tuple."""

_SAME = {"nb": "no", "nn": "no"}


def known_language(declared: str) -> str:
    """Return the code of a declared language ("en-GB", "pt_BR"), "" where no stemmer knows it."""
    code = declared.strip().casefold().replace("_", "-").partition("-")[0]
    code = _SAME.get(code, code)
    return code if code in ALGORITHMS else ""


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
