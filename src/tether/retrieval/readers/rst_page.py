"""The blocks and links of a page of reStructuredText, with the anchors of docutils and Sphinx."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from tether.retrieval.document import Block, BlockKind, Link, Piece
from tether.retrieval.readers.lines import Excerpt, excerpt, sentence_pieces
from tether.retrieval.readers.rst_inline import InlineLink, Names, without_markup
from tether.retrieval.readers.rst_marks import RstLine, rest

# Letters that do not fall apart into a letter and a mark, as docutils spells them.
_SPELLED = str.maketrans(
    {
        "ß": "sz",
        "æ": "ae",
        "ø": "o",
        "đ": "d",
        "ħ": "h",
        "\u0131": "i",
        "ł": "l",
        "ŧ": "t",
        "œ": "oe",
    }
)
_GAP = re.compile(r"[^a-z0-9]+")
_LONGEST = 500
_LONG_ITEM = 1_000
Group = Sequence[RstLine]
"""Lines that are one paragraph."""


def section_anchor(title: str) -> str:
    """Return the anchor of a title; "" where no letter of it can be part of one."""
    letters = title[:_LONGEST].lower().translate(_SPELLED)
    plain = unicodedata.normalize("NFKD", letters).encode("ascii", "ignore").decode("ascii")
    return _GAP.sub("-", " ".join(plain.split())).lstrip("-0123456789").rstrip("-")


class SectionAnchors:
    """The anchors of one page, each given out once.

    A section whose own anchor is taken or impossible gets the label before it, where
    there is one: it works in every builder, while the numbers of repeated anchors differ.
    """

    def __init__(self) -> None:
        self._given: dict[str, int] = {}

    def give(self, title: str, label: str) -> str:
        """Return the anchor of a section."""
        anchor, spare = section_anchor(title), section_anchor(label)
        if anchor and anchor not in self._given:
            self._given[anchor] = 0
            return anchor
        return spare or self._numbered(anchor)

    def _numbered(self, anchor: str) -> str:
        if not anchor:
            return ""
        while True:
            self._given[anchor] += 1
            numbered = f"{anchor}-{self._given[anchor]}"
            if numbered not in self._given:
                self._given[numbered] = 0
                return numbered


class RstPage:
    """Collects the blocks and links of a page, and counts the parts left out."""

    def __init__(self, text: str, names: Names) -> None:
        self.text = text
        self.names = names
        self.blocks: list[Block] = []
        self.links: list[Link] = []
        self.left_out: Counter[str] = Counter()
        self.metadata: list[tuple[str, str]] = []
        self.labels: list[str] = []
        self.title = ""
        self._anchors = SectionAnchors()

    def heading(self, line: RstLine, end: int, level: int, label: str) -> None:
        """Add the title of a section; it reaches to the end of its underline."""
        plain = self._plain([line])
        if not plain:
            return
        anchor = self._anchors.give(plain, label)
        piece = Piece(start=line.start, end=line.end, plain=plain)
        self.title = self.title or plain
        self._add("heading", [piece], end=end, level=level, anchor=anchor)

    def prose(self, lines: Group, *, before: str = "") -> None:
        """Add a paragraph, sentence by sentence. `before` is what its directive says first."""
        taken = excerpt(self.text, (line.span for line in _without_double_colon(lines)))
        inline = without_markup(taken.text, self.names)
        self._link(taken, inline.links)
        pieces = list(sentence_pieces(taken, inline.plain))
        if pieces and before:
            first = pieces[0]
            plain = f"{before} {first.plain}"
            pieces[0] = Piece(start=first.start, end=first.end, plain=plain)
        self._add("paragraph", pieces)

    def line_block(self, lines: Group) -> None:
        """Add lines that stay lines: a poem, an address."""
        shown = [rest(line, 1) if line.words.startswith("|") else line for line in lines]
        pieces = [
            Piece(start=line.start, end=line.end, plain=self._plain([line]))
            for line in shown
            if line.words
        ]
        self._add("paragraph", pieces)

    def verbatim(self, lines: Group, kind: BlockKind = "code") -> None:
        """Add lines as they are, less the indentation that all of them have."""
        filled = [line for line in lines if not line.is_blank]
        margin = min((line.start - line.begin for line in filled), default=0)
        pieces = [
            Piece(
                start=line.begin + margin,
                end=line.end,
                plain=self.text[line.begin + margin : line.end],
            )
            for line in filled
        ]
        self._add(kind, pieces)

    def items(self, items: Sequence[tuple[int, Sequence[Group]]]) -> None:
        """Add a list. Each item is the place of its marker and its paragraphs.

        An item is one piece with its nested items in it, unless it is long.
        """
        pieces: list[Piece] = []
        for start, groups in items:
            parts = [
                Piece(start=group[0].start, end=group[-1].end, plain=self._plain(group))
                for group in groups
            ]
            length = sum(len(part.plain) for part in parts)
            pieces.extend(_from(start, parts) if length > _LONG_ITEM else _one(start, parts))
        self._add("list", pieces)

    def rows(self, rows: Sequence[Piece], header_end: int) -> None:
        """Add a table; its header, if it has one, ends at a place in the text."""
        start = rows[0].start if rows else 0
        header = self.text[start:header_end].rstrip() if header_end > start else ""
        self._add("table", list(rows), header=header)

    def cell(self, lines: Group) -> str:
        """Return the text of a table cell."""
        shown = [rest(line, 2) if line.words.startswith("| ") else line for line in lines]
        return self._plain(shown) if lines else ""

    def _plain(self, group: Group) -> str:
        taken = excerpt(self.text, (line.span for line in _without_double_colon(group)))
        inline = without_markup(taken.text, self.names)
        self._link(taken, inline.links)
        return " ".join(inline.plain.text.split())

    def _link(self, taken: Excerpt, links: Sequence[InlineLink]) -> None:
        self.links.extend(
            Link(target=link.target, text=link.text, start=taken.origin(link.place))
            for link in links
        )

    def _add(
        self,
        kind: BlockKind,
        pieces: Sequence[Piece],
        *,
        end: int = 0,
        level: int = 0,
        anchor: str = "",
        header: str = "",
    ) -> None:
        if not any(piece.plain for piece in pieces):
            return
        block = Block(
            kind=kind,
            start=pieces[0].start,
            end=max(end, pieces[-1].end),
            pieces=tuple(pieces),
            level=level,
            anchor=anchor,
            header=header,
        )
        self.blocks.append(block)


def _one(start: int, parts: Sequence[Piece]) -> list[Piece]:
    if not parts:
        return []
    plain = "\n".join(part.plain for part in parts if part.plain)
    return [Piece(start=start, end=parts[-1].end, plain=plain)]


def _from(start: int, parts: Sequence[Piece]) -> list[Piece]:
    """Return the parts of a long item, the first of them with the marker."""
    first = parts[0]
    return [Piece(start=start, end=first.end, plain=first.plain), *parts[1:]]


def _without_double_colon(lines: Group) -> Group:
    """Return a paragraph as it is shown: what announces code becomes a colon, or goes."""
    last = lines[-1]
    if not last.words.endswith("::"):
        return lines
    kept = last.words.removesuffix("::")
    words = f"{kept}:" if kept and not kept[-1].isspace() else kept.rstrip()
    return [*lines[:-1], last._replace(end=last.start + len(words), words=words)]
