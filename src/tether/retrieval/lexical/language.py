"""Which language a text is in, told by its little words: small, deterministic, often silent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain

from tether.retrieval.lexical.stop_words import StopWords

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
"""Every answer there is, "" for unknown first; an index stores places in this tuple."""

_SAME = {"nb": "no", "nn": "no"}
_SAMPLE = 120
_LEAST_DIFFERENT = 2
_ONE_MORE_EVERY = 20
_MOST_DIFFERENT = 5
_LEAST_SHARE = 0.08
_LEAD = 1.25


def known_language(declared: str) -> str:
    """Return the code of a declared language ("en-GB", "pt_BR"), "" where no stemmer knows it."""
    code = declared.strip().casefold().replace("_", "-").partition("-")[0]
    code = _SAME.get(code, code)
    return code if code in ALGORITHMS else ""


class LanguageDetector:
    """Tells languages apart by counting the little words of each; "" where that is not clear.

    Clear means: at least two different ones, and one more for every twenty words that were read,
    up to five, not all of them single letters; at least one word in twelve; and a quarter more
    than the next language has. Code, tables and single words are therefore of no language (the
    tags `<em>` and `<a>` are not Portuguese), and are left unstemmed rather than stemmed wrongly.
    """

    def __init__(self) -> None:
        self._languages: dict[str, tuple[str, ...]] = {}
        for code, words in StopWords().by_language.items():
            for word in words | {word.capitalize() for word in words}:
                self._languages[word] = (*self._languages.get(word, ()), code)

    def language(self, words: Sequence[str]) -> str:
        """Return the code of the language that these words are in, or ""."""
        sample = words[:_SAMPLE]
        known = self._languages
        told = [known[word] for word in sample if word in known]
        ranked = Counter(chain.from_iterable(told)).most_common(2)
        if not ranked:
            return ""
        code, most = ranked[0]
        clear = len(ranked) == 1 or most >= _LEAD * ranked[1][1]
        enough = most >= _LEAST_SHARE * len(sample) and self._is_varied(sample, code)
        return code if clear and enough else ""

    def _is_varied(self, sample: Sequence[str], code: str) -> bool:
        little = {word.casefold() for word in sample if code in self._languages.get(word, ())}
        least = min(_LEAST_DIFFERENT + len(sample) // _ONE_MORE_EVERY, _MOST_DIFFERENT)
        return len(little) >= least and any(len(word) > 1 for word in little)
