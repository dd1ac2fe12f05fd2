"""Paragraphs of text that has no markup: what stands between blank lines."""

from __future__ import annotations

from collections.abc import Iterable

from tether.retrieval.document import Block
from tether.retrieval.readers.excerpt import excerpt
from tether.retrieval.readers.lines import Line, lines_of
from tether.retrieval.readers.plain import sentence_pieces, unmarked

MOST_LINES = 200


def paragraphs(text: str, start: int = 0, end: int | None = None) -> list[Block]:
    """Return the paragraphs from `start` to `end`; very long ones are parted after some lines."""
    blocks: list[Block] = []
    waiting: list[Line] = []
    for line in lines_of(text, start, end):
        if line.of(text).strip():
            waiting.append(line)
        if waiting and (len(waiting) >= MOST_LINES or not line.of(text).strip()):
            blocks.append(paragraph(text, waiting))
            waiting = []
    if waiting:
        blocks.append(paragraph(text, waiting))
    return blocks


def paragraph(text: str, lines: Iterable[Line]) -> Block:
    """Return lines, of which at least one is not blank, as one paragraph of sentences."""
    prose = excerpt(text, [trimmed(text, line) for line in lines])
    pieces = sentence_pieces(prose, unmarked(prose))
    return Block(kind="paragraph", start=pieces[0].start, end=pieces[-1].end, pieces=pieces)


def trimmed(text: str, line: Line) -> Line:
    """Return the line without the white space around it."""
    body = line.of(text)
    front = len(body) - len(body.lstrip())
    return Line(line.start + front, line.start + max(front, len(body.rstrip())))
