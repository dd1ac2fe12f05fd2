"""The texts inside a list or a quote, whatever they are nested in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markdown_it.token import Token

from tether.retrieval.document import Piece
from tether.retrieval.readers.excerpt import excerpt
from tether.retrieval.readers.lines import Line
from tether.retrieval.readers.markdown_text import PageText, lines_of_token

DEEPEST = 40
TOO_DEEP = f"lists or quotes nested more than {DEEPEST // 2} deep were read as plain lines"

_MARKERS = re.compile(r"[\s>*+\-_=\d.)]*")


@dataclass(frozen=True, slots=True)
class Leaf:
    """A paragraph, some code or a table: its lines and its pieces."""

    first: int
    last: int
    pieces: tuple[Piece, ...]
    joint: str = " "

    @property
    def plain(self) -> str:
        """The text without markup, on lines where it is code or a table."""
        return self.joint.join(piece.plain for piece in self.pieces if piece.plain)


def leaves_of(
    page: PageText, tokens: Sequence[Token], lines: tuple[int, int], notes: list[str]
) -> list[Leaf]:
    """Return the leaves on these lines in order.

    Those that are nested too deep for the parser are read line by line, which is noted.
    """
    leaves = list(_parsed(page, tokens))
    taken = {number for leaf in leaves for number in range(leaf.first, leaf.last)}
    lost = [number for number in range(*lines) if number not in taken and _says(page, number)]
    if not lost:
        return leaves
    if TOO_DEEP not in notes:
        notes.append(TOO_DEEP)
    leaves.extend(_line(page, number) for number in lost)
    return sorted(leaves, key=lambda leaf: leaf.first)


def _parsed(page: PageText, tokens: Sequence[Token]) -> Iterator[Leaf]:
    for token in _outside_tables(tokens):
        lines = lines_of_token(token)
        if token.type == "inline":
            yield Leaf(*lines, page.prose(page.excerpt(token)))
        elif token.type in ("fence", "code_block"):
            yield Leaf(*lines, page.code(token), "\n")
        elif token.type == "table_open":
            yield Leaf(*lines, page.rows(token), "\n")
        elif token.type == "hr":
            yield Leaf(*lines, ())


def _outside_tables(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens without those inside a table; the one that opens it is outside."""
    inside = False
    for token in tokens:
        if not inside:
            yield token
        inside = token.type != "table_close" if inside else token.type == "table_open"


def _says(page: PageText, number: int) -> bool:
    """Return whether there is more on a line than the marks of lists and quotes."""
    return bool(_MARKERS.sub("", page.lines[number].text, count=1))


def _line(page: PageText, number: int) -> Leaf:
    start, end = page.extent(number, number + 1)
    return Leaf(number, number + 1, page.prose(excerpt(page.shown, [Line(start, end)])))
