"""The language of a text, recognised by its stop words: small, deterministic, often undecided."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import chain

from tether.text.stop_words import StopWords

_SAMPLE = 120
_LEAST_DIFFERENT = 2
_ONE_MORE_EVERY = 20
_MOST_DIFFERENT = 5
_LEAST_SHARE = 0.08
_LEAD = 1.25
_ALPHABETS = (
    ("\u0370-\u03ff", "el"),
    ("\u0400-\u04ff", "ru"),
    ("\u0530-\u058f", "hy"),
    ("\u0600-\u06ff", "ar"),
    ("\u0900-\u097f", "hi"),
    ("\u0b80-\u0bff", "ta"),
)
_ALPHABET = re.compile("|".join(f"(?P<{code}>[{letters}])" for letters, code in _ALPHABETS))


class LanguageDetector:
    """Recognises a language by counting the stop words of each; "" where the result is not clear.

    Clear means: at least two different stop words, one more for every twenty words read, up to
    five, not all of them single letters; at least one word in twelve; and a quarter more than the
    next language has. Code, tables and single words therefore have no language (the tags `<em>` and
    `<a>` are not Portuguese), and are left unstemmed rather than stemmed wrongly.
    """

    def __init__(self) -> None:
        self._languages: dict[str, tuple[str, ...]] = {}
        for code, words in StopWords().by_language.items():
            for word in words | {word.capitalize() for word in words}:
                self._languages[word] = (*self._languages.get(word, ()), code)

    def language(self, words: Sequence[str]) -> str:
        """Return the code of the language of these words, or ""."""
        sample = words[:_SAMPLE]
        known = self._languages
        found = [known[word] for word in sample if word in known]
        ranked = Counter(chain.from_iterable(found)).most_common(2)
        if not ranked:
            return ""
        code, most = ranked[0]
        clear = len(ranked) == 1 or most >= _LEAD * ranked[1][1]
        enough = most >= _LEAST_SHARE * len(sample) and self._is_varied(sample, code)
        return code if clear and enough else ""

    def _is_varied(self, sample: Sequence[str], code: str) -> bool:
        stops = {word.casefold() for word in sample if code in self._languages.get(word, ())}
        least = min(_LEAST_DIFFERENT + len(sample) // _ONE_MORE_EVERY, _MOST_DIFFERENT)
        return len(stops) >= least and any(len(word) > 1 for word in stops)


def language_of(words: Sequence[str]) -> str:
    """Return the language of a question, however short: English unless something tells another.

    Where the stop words are not clear, the first letter of another alphabet decides.
    """
    if detected := _detector().language(words):
        return detected
    letter = _ALPHABET.search(" ".join(words))
    return (letter and letter.lastgroup) or "en"


@cache
def _detector() -> LanguageDetector:
    return LanguageDetector()
