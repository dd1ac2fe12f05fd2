"""Plain text: paragraphs between blank lines, and headings that are underlined or in capitals."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tether.retrieval.document import Block, Document, Piece
from tether.retrieval.errors import DocumentUnreadable
from tether.retrieval.readers.anchors import Anchors
from tether.retrieval.readers.decoding import decode
from tether.retrieval.readers.lines import Line, excerpt, lines_of, sentence_pieces, unmarked
from tether.retrieval.readers.names import title_from
from tether.text.charsets import Decoded

MOST_LINES = 200
LONGEST_HEADING = 100
KINDS = (
    "Readable: Markdown, MDX, reStructuredText, HTML, manual pages, notebooks, PDF, source code and"
    " plain text"
)
_UNDERLINE = re.compile(r"[ \t]*(=|-|~|\^|#|\*)\1{2,}[ \t]*")
_LEVELS = {"=": 1, "#": 1, "*": 1, "-": 2, "~": 3, "^": 3}
_CAPITALS = re.compile(r"[A-Z0-9][A-Z0-9 ,:&/()'.-]{3,}")


def read_text(*, key: str, name: str, data: bytes, url: str = "", title: str = "") -> Document:
    """Return plain text: `text` is the decoded file. Raises `DocumentUnreadable` for binary data.

    A heading is a short line between blank lines that is underlined as long as itself, or that is
    written in capitals and has at least two words; everything else is prose.
    """
    decoded = _decoded(data)
    blocks = text_blocks(decoded.text)
    own = next((block.plain for block in blocks if block.level == 1), "")
    return Document(
        key=key,
        title=own or title or title_from(key or name),
        text=decoded.text,
        blocks=tuple(blocks),
        kind="text",
        url=url,
        notes=decoded.notes,
    )


def text_blocks(text: str) -> list[Block]:
    """Return the headings and paragraphs of a text."""
    lines = lines_of(text)
    anchors = Anchors()
    blocks: list[Block] = []
    begin = 0
    for number in range(len(lines)):
        level = _heading_level(text, lines, number)
        if level:
            last = lines[number + 1] if level < 0 else lines[number]
            blocks.extend(paragraphs(text, begin, lines[number].start))
            blocks.append(_heading(text, lines[number], last, anchors, abs(level)))
            begin = last.end
    return [*blocks, *paragraphs(text, begin)]


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


def _decoded(data: bytes) -> Decoded:
    """Return the text; the error for other data names the formats that can be read."""
    try:
        return decode(data)
    except DocumentUnreadable as error:
        raise DocumentUnreadable(f"{error.message}. {KINDS}") from None


def _heading_level(text: str, lines: Sequence[Line], number: int) -> int:
    """Return the level of the heading on a line, below 0 where it has an underline, else 0."""
    line = lines[number]
    if line.end - line.start > LONGEST_HEADING:
        return 0
    words = line.of(text).strip()
    if not words or (number and lines[number - 1].of(text).strip()) or _UNDERLINE.fullmatch(words):
        return 0
    below = lines[number + 1].of(text) if number + 1 < len(lines) else ""
    if (mark := _UNDERLINE.fullmatch(below[: LONGEST_HEADING * 2])) and below.strip():
        long_enough = len(below.strip()) >= min(len(words), LONGEST_HEADING) - 1
        return -_LEVELS[mark[1]] if long_enough else 0
    capitals = _CAPITALS.fullmatch(words) and not below.strip() and " " in words
    return 2 if capitals and any(letter.isalpha() for letter in words) else 0


def _heading(text: str, line: Line, last: Line, anchors: Anchors, level: int) -> Block:
    place = trimmed(text, line)
    words = " ".join(place.of(text).split())
    end = trimmed(text, last).end
    piece = Piece(start=place.start, end=end, plain=words)
    anchor = anchors.give(words)
    return Block(
        kind="heading", start=place.start, end=end, pieces=(piece,), level=level, anchor=anchor
    )
