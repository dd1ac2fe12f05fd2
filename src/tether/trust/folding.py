"""Text as a careless reader sees it: full-width, mathematical and old letters as plain ones."""

from __future__ import annotations

import re
from functools import cache
from string import ascii_lowercase
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import normalize

if TYPE_CHECKING:
    from collections.abc import Iterable

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz_<>[]/|:")
# Where Unicode keeps the characters that fold to those: letters and signs of compatibility.
_RANGES = (
    range(0xAA, 0x200),
    range(0x2B0, 0x2E4),
    range(0x1D2C, 0x1DC0),
    range(0x1E9E, 0x1E9F),
    range(0x2070, 0x20A9),
    range(0x2100, 0x2180),
    range(0x2460, 0x2500),
    range(0x2C7C, 0x2C7E),
    range(0x3250, 0x3400),
    range(0xA7F1, 0xA7FA),
    range(0xAB5C, 0xAB6A),
    range(0xFB00, 0xFB07),
    range(0xFE10, 0xFE70),
    range(0xFF01, 0xFF5F),
    range(0x10780, 0x107BB),
    range(0x1CCD6, 0x1CCFA),
    range(0x1D400, 0x1D800),
    range(0x1F100, 0x1F1AE),
)


class _Table(NamedTuple):
    """What folds to one plain character, and what folds to several of them."""

    single: dict[int, str]
    several: dict[str, str]


def folded(text: str) -> str:
    """Return `text` in lower case, with each character that means a plain one replaced by it.

    Only characters that fold to one other are replaced, so that a position in the result is a
    position in `text`. Ampersands, digits and semicolons stay as they are: a reference must not
    appear where none was written.
    """
    return text.lower() if text.isascii() else text.translate(_table().single)


def folds(text: str) -> bool:
    """Say whether a character of `text` may mean a plain one, other than by its case."""
    return not text.isascii() and _foldable().search(text) is not None


def spelling(words: Iterable[str], *, ligatures: bool = False) -> str:
    """Return a pattern for any of these words, with ligatures for words in folded text.

    Words that begin alike share that part of the pattern: a text of nothing but beginnings is then
    dismissed quickly.
    """
    left = frozenset(words)
    ways = [
        first + spelling(rest, ligatures=ligatures)
        for first in sorted({word[0] for word in left if word})
        if (rest := _after(first, left))
    ]
    ways += [
        f"[{characters}]{spelling(rest, ligatures=True)}"
        for plain, characters in (_table().several if ligatures else {}).items()
        if (rest := _after(plain, left))
    ]
    pattern = ways[0] if len(ways) == 1 else f"(?:{'|'.join(ways)})"
    return f"(?:{pattern})?" if ways and "" in left else pattern if ways else ""


@cache
def _foldable() -> re.Pattern[str]:
    """One range for all that lies beyond the first plane: the engine tries those one by one."""
    table = _table()
    wide = {chr(code) for code in table.single if code > 0x7F}.union(*table.several.values())
    near = "".join(sorted(character for character in wide if character <= "\uffff"))
    return re.compile(f"[{near}\U00010780-\U0001f1ad]")


def _after(beginning: str, words: Iterable[str]) -> frozenset[str]:
    return frozenset(word.removeprefix(beginning) for word in words if word.startswith(beginning))


def fold(character: str) -> str:
    """Return what Unicode's compatibility folding makes of a character."""
    return normalize("NFKC", normalize("NFKC", character).casefold())


@cache
def _table() -> _Table:
    table = _Table({ord(letter.upper()): letter for letter in ascii_lowercase}, {})
    for code in (code for codes in _RANGES for code in codes):
        plain = fold(chr(code))
        if not _PLAIN.issuperset(plain):
            continue
        if len(plain) == 1:
            table.single[code] = plain
        else:
            table.several[plain] = table.several.get(plain, "") + chr(code)
    return table
