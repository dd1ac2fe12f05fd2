"""The lines of a text as places in it, and prose taken from them that keeps its places."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from tether.retrieval.document import Piece
from tether.text.fragments import Plain
from tether.text.sentences import Span, sentences

_LINE = re.compile(r"[^\r\n]*+(?:\r\n|\r|\n)?")


class Line(NamedTuple):
    """Where a line lies, without its newline."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """Return the text of the line."""
        return text[self.start : self.end]


def lines_of(text: str, start: int = 0, end: int | None = None) -> list[Line]:
    """Return the lines from `start` to `end`; a newline is LF, CR LF or CR and nothing else."""
    stop = len(text) if end is None else end
    if text.find("\r", start, stop) < 0:
        return _split(text, start, stop)
    found = _LINE.finditer(text, start, stop)
    return [
        Line(match.start(), match.start() + len(match[0].rstrip("\r\n")))
        for match in found
        if match[0]
    ]


def _split(text: str, start: int, stop: int) -> list[Line]:
    """Return the lines of a text without CR, which most have: this takes a third of the time."""
    bodies = text[start:stop].split("\n")
    if not bodies[-1]:
        bodies.pop()
    lines: list[Line] = []
    for body in bodies:
        end = start + len(body)
        lines.append(Line(start, end))
        start = end + 1
    return lines


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """Parts of source lines joined by newlines: a paragraph without its quote marks or indentation.

    `starts` are the places of the lines in `text`, `origins` those in the source.
    """

    text: str
    starts: tuple[int, ...]
    origins: tuple[int, ...]

    def origin(self, position: int) -> int:
        """Return the place in the source of a place in `text`; its end maps to the last line's."""
        line = bisect_right(self.starts, position) - 1
        return self.origins[line] + position - self.starts[line]


def excerpt(source: str, lines: Iterable[Line]) -> Excerpt:
    """Return the lines as one text. There must be at least one."""
    parts: list[str] = []
    starts: list[int] = []
    origins: list[int] = []
    length = 0
    for line in lines:
        starts.append(length)
        origins.append(line.start)
        parts.append(line.of(source))
        length += line.end - line.start + 1
    return Excerpt(text="\n".join(parts), starts=tuple(starts), origins=tuple(origins))


def unmarked(excerpt: Excerpt) -> Plain:
    """Return an excerpt that has no markup as it is."""
    return Plain(text=excerpt.text, starts=(0,), places=(0,), exact=(True,))


def sentence_pieces(excerpt: Excerpt, plain: Plain) -> tuple[Piece, ...]:
    """Return the sentences with their places in the source, which leave out only white space.

    Markup between two sentences goes with the one that it touches: the cut is at the white space.
    Nothing comes of an excerpt that has no plain text.
    """
    spans = sentences(plain.text, plain.whole)
    if not spans:
        return ()
    inner = [plain.place(end) for _, end in spans[:-1]]
    cuts = [0, *inner, len(excerpt.text)]
    pieces: list[Piece] = []
    for number, (start, end) in enumerate(spans):
        begin, finish = _trimmed(excerpt.text, cuts[number], cuts[number + 1])
        words = " ".join(plain.text[start:end].split())
        pieces.append(Piece(start=excerpt.origin(begin), end=excerpt.origin(finish), plain=words))
    return tuple(pieces)


def _trimmed(text: str, begin: int, end: int) -> Span:
    while begin < end and text[begin].isspace():
        begin += 1
    while begin < end and text[end - 1].isspace():
        end -= 1
    return begin, end
