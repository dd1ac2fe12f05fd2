"""Text of documents on a terminal: what would steer the terminal is written as an escape."""

from __future__ import annotations

import unicodedata

from tether.core.errors import TetherError

_KEPT = "\n\t\u200c\u200d"
"""Lines, columns, and the joiners without which some scripts fall apart."""

_STEERING = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def shown(text: str) -> str:
    """Return a text in which nothing moves the cursor, changes colours or turns the reading."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(character) for character in text)


def told(error: TetherError) -> str:
    """Return an error for people: what is wrong, what to do, and the code to look it up by."""
    text = f"{error.message.removesuffix('.')}. {error.help}" if error.help else error.message
    return shown(f"{text} [{error.code}]" if error.code else text)


def _shown(character: str) -> str:
    if character in _KEPT or unicodedata.category(character) not in _STEERING:
        return character
    return character.encode("unicode_escape").decode("ascii")
