"""The recognition of declines, by their wording.

A decline is about the passages, about the question or about the one who answers. A sentence that
denies something else ("The client does not retry") is a statement, and so is one with a condition.
Common forms of four languages are known; any other is a statement that no passage supports. Where a
document says the same words, it is a statement too: look for that first.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from tether.ask.citations.phrases import is_courtesy
from tether.ask.declines.english import ENGLISH
from tether.ask.declines.languages import FRENCH, GERMAN, SPANISH
from tether.text.sentences import sentences_of
from tether.text.units.inlines import readable

LONGEST_DECLINE = 400
"""In characters; a longer sentence says more than that."""

_LANGUAGES = (ENGLISH, GERMAN, FRENCH, SPANISH)
_MARKS = re.compile(r"[*_\"\u201c\u201d\u201e\u00ab\u00bb()\[\]]+|\s+")
_WRITTEN_OUT: Mapping[str, str] = MappingProxyType(
    {
        "\u2019": "'",
        "can't": "can not",
        "cannot": "can not",
        "n't": " not",
        "i'm": "i am",
        "i've": "i have",
        "it's": "it is",
        "that's": "that is",
        "there's": "there is",
    }
)


def declines(sentence: str) -> bool:
    """Say whether a sentence only says that an answer is not there, or not known."""
    text = _plain(sentence)
    if not text or len(text) > LONGEST_DECLINE:
        return False
    return any(language.has_form_of(text) for language in _LANGUAGES)


def is_decline(text: str) -> bool:
    """Say whether a text declines and states nothing else; small talk states nothing."""
    lines = [readable(line) for line in text.splitlines()]
    sentences = [one for line in lines for one in sentences_of(line)]
    stating = [one for one in sentences if one.strip() and not is_courtesy(one)]
    return bool(stating) and all(map(declines, stating))


def _plain(sentence: str) -> str:
    """Return a sentence in small letters and on one line, without marks and short forms."""
    text = sentence.casefold()
    for short, long in _WRITTEN_OUT.items():
        text = text.replace(short, long)
    return _MARKS.sub(" ", text).strip(" .!:;,-\u2026")
