"""What becomes of each character before words are looked up: the rules of uncased BERT models."""

from __future__ import annotations

import unicodedata
from string import punctuation

MOST_REMEMBERED = 1 << 16
"""Characters that are worked out once; a text with more different ones is read more slowly."""

IDEOGRAPHS = (
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0x2F800, 0x2FA1F),
)
"""Each of these is a word of its own. The ranges are those the models were trained with."""

INVISIBLE = frozenset(("Cc", "Cf", "Co", "Cs"))


class UncasedCharacters(dict[int, str]):
    """A table for `str.translate`: small letters without accents, and spaces around words.

    Control characters vanish, every white space becomes a space, and punctuation and ideographs
    get spaces around them, so that splitting the translated text gives the words.
    """

    __slots__ = ()

    def __missing__(self, code: int) -> str:
        plain = _plain(chr(code))
        if len(self) < MOST_REMEMBERED:
            self[code] = plain
        return plain


def _plain(character: str) -> str:
    if character in "\t\n\r":
        return " "
    if character == "\ufffd" or unicodedata.category(character) in INVISIBLE:
        return ""
    if character.isspace():
        return " "
    letters = "".join(map(_letter, unicodedata.normalize("NFD", character)))
    return f" {letters} " if _is_ideograph(ord(character)) else letters


def _letter(part: str) -> str:
    category = unicodedata.category(part)
    if category == "Mn":
        return ""
    return f" {part} " if category.startswith("P") or part in punctuation else part.lower()


def _is_ideograph(code: int) -> bool:
    return any(first <= code <= last for first, last in IDEOGRAPHS)
