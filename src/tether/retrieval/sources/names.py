"""Keys that a person can read, one for each name that a file can have.

A file's name is any bytes but NUL and the slash. A key goes into terminals, prompts and databases,
so what cannot be read, or would change how the rest is read, is written as an escape. Two names
never get the same key: the backslash itself is escaped too.
"""

from __future__ import annotations

import re
import unicodedata

_JOINERS = "\u200c\u200d"
"""Without these, names in some scripts fall apart; they change no order and break no line."""

_PLAIN = re.compile(r"[\w ./()+,@=~#-]*", re.ASCII)


def readable(name: bytes) -> str:
    """Return a name or a path as text: escapes stand for bytes, controls and marks of direction."""
    text = name.decode("utf-8", "surrogateescape")
    if _PLAIN.fullmatch(text):
        return text
    return "".join(_shown(character) for character in text)


def _shown(character: str) -> str:
    if character == "\\":
        return "\\\\"
    if unicodedata.category(character) == "Cs":
        return f"\\x{ord(character) - 0xDC00:02x}"
    if unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp") and character not in _JOINERS:
        return character.encode("unicode_escape").decode("ascii")
    return character
