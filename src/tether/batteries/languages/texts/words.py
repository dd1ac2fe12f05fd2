"""The words of a text in any script."""

from __future__ import annotations

import re
import unicodedata

_IDEOGRAPH = re.compile(
    "[\u2e80-\u2fdf\u3005\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9d\U00020000-\U0003ffff]"
)
"""Han and kana, which are written without spaces."""

_JOINERS = "'\u2019.-\u2010\u2011_"
_WORD = re.compile("[LN]+(?:J[LN]+|(?<=N),(?=N)[LN]+)*|I")


def words_in(text: str) -> list[str]:
    """Return the words of a text, in order.

    A word is a run of letters and digits with the marks on them. An apostrophe, a hyphen, a full
    stop or an underscore between two letters does not end it, nor does a comma between digits:
    "don't", "well-known", "3.14" and "1,000" are one word each. Each Han or kana character is a
    word of its own; scripts that write no spaces otherwise, such as Thai, count by runs.
    """
    shape = text.translate({ord(character): _kind(character) for character in set(text)})
    return [text[match.start() : match.end()] for match in _WORD.finditer(shape)]


def is_word_character(character: str) -> bool:
    """Say whether a character is a letter, a digit, or a mark on one."""
    return character.isalnum() or extends_a_word(character)


def extends_a_word(character: str) -> bool:
    """Say whether a character belongs to the letter before it: a mark, a joiner, a soft hyphen."""
    return unicodedata.category(character).startswith("M") or character in "\u200c\u200d\u00ad"


def _kind(character: str) -> str:
    """Return the letter by which `_WORD` knows a character."""
    if _IDEOGRAPH.match(character):
        return "I"
    if character.isdecimal():
        return "N"
    if is_word_character(character):
        return "L"
    if character in _JOINERS:
        return "J"
    return "," if character == "," else " "
