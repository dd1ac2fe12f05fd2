"""Lines for a terminal that break between words, never inside a word, an address or a code span."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.cells import cell_len

ESCAPES = re.compile(r"\x1b\]8;;[^\x1b]*\x1b\\|\x1b\[[0-9;]*m")
"""Our own escape sequences, which take no room; text of others cannot contain any."""

_MARK = rf" (?:{ESCAPES.pattern})*\[\d+\](?:{ESCAPES.pattern})*"
_WORD = re.compile(rf"(?:{ESCAPES.pattern}|`[^`\n]+`|\S)+(?:{_MARK})*")
_SMALL_WORD = re.compile(rf"(?:{ESCAPES.pattern}|\S)+")


def wrapped(text: str, width: int, hang: str = "") -> str:
    """Return a text with line breaks at spaces, so that its lines fit where that is possible.

    A line keeps its indentation, and the lines that follow from it begin with the same and `hang`.
    A word that is wider than the terminal is left whole on a line of its own: an address can then
    be copied. With a width of 0 the text is unchanged.
    """
    if width <= 0:
        return text
    return "\n".join("\n".join(_lines(line, width, hang)) for line in text.split("\n"))


def _lines(line: str, width: int, hang: str) -> Iterator[str]:
    if room_of(line) <= width:
        yield line
        return
    indent = line[: len(line) - len(line.lstrip(" "))]
    before, current = indent, ""
    for word in _words(line, width - len(indent) - len(hang)):
        joined = f"{current} {word}" if current else word
        if current and room_of(before + joined) > width:
            yield before + current
            before, current = indent + hang, word
        else:
            current = joined
    yield before + current


def _words(line: str, room: int) -> Iterator[str]:
    """Yield what stays together: words with the marks after them, spans of code that fit a line."""
    for match in _WORD.finditer(line):
        if room_of(match[0]) <= room:
            yield match[0]
        else:
            yield from _SMALL_WORD.findall(match[0])


def room_of(text: str) -> int:
    """Return how many columns a text takes."""
    return cell_len(ESCAPES.sub("", text))
