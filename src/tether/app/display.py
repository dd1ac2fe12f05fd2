"""Text on a terminal: characters that would control the terminal become escapes."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from tether.core.errors import TetherError

_KEPT = "\n\t\u200c\u200d"
"""Line breaks, tabs, and the joiners that some scripts need."""

_STEERING = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def shown(text: str) -> str:
    """Return a text that cannot move the cursor, change colours or the direction of reading."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(character) for character in text)


def one_line(text: str) -> str:
    """Return a text on one line, safe to print: it cannot pass for the entry below it."""
    return shown(" ".join(text.split()))


def error_line(error: TetherError) -> str:
    """Return an error for people: the message, the help, and the code."""
    text = f"{error.message.removesuffix('.')}. {error.help}" if error.help else error.message
    return shown(f"{text} [{error.code}]" if error.code else text)


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of cells as lines, the first column to the left and the others to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if place == 0 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def _shown(character: str) -> str:
    if character in _KEPT or unicodedata.category(character) not in _STEERING:
        return character
    return character.encode("unicode_escape").decode("ascii")
