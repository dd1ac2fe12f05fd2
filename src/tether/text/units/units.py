"""The units of a passage: whole sentences, items, rows, definitions and code, with their places."""

# No `from __future__ import annotations` here: NamedTuple compiles every annotation that is a
# string, which would make this slow to import.
import re
from collections.abc import Iterator
from itertools import chain, islice, pairwise
from typing import Literal, NamedTuple, TypeGuard

from tether.text.sentences import Span, is_ended, sentences_in
from tether.text.units.block_state import Block
from tether.text.units.blocks import blocks_of
from tether.text.units.code import code_of
from tether.text.units.inlines import readable
from tether.text.units.lines import with_plain_breaks
from tether.text.units.prose import (
    closed_shortcodes,
    has_gap,
    is_code,
    is_cut,
    leads,
    says_something,
)
from tether.text.units.struck import Struck, is_struck_title
from tether.text.units.tables import header_above, row_text, table_of

MOST_UNITS, MOST_LINES = 5_000, 50_000
"""How many units and lines of a passage are read; the rest is not."""

LONGEST_BLOCK = 200_000
"""How many characters of one paragraph are read."""

LONGEST_UNIT = 8_000
"""In characters of the passage. A longer one is a dump, and is not a unit."""

_MARKED_CODE = re.compile(r"[`~<]|\.\.|>>> |(?:In|Out) ?\[")
_ENDS_APART = re.compile(r"[ \t]*(?:\n[ \t>]*(?:\n|\Z)|</|\Z)")
_WORD = re.compile(r"\w")
_ITEM_MARK = re.compile(r"\n[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\Z")

Kind = Literal["sentence", "item", "row", "definition", "code"]


class Unit(NamedTuple):
    """A whole part of a passage, which may be quoted.

    `passage[start:end]` is the unit as the document writes it: an item without its mark, a row with
    its bars, code with its fences. `lead` is the place of the text that it belongs to: the sentence
    that leads to the list, the header of the table, the term of the definition, the sentence above
    the code. Of a list in a list it goes from the outermost lead-in to the nearest, and `lead_text`
    has the lead-ins without what is between them. `path` are the headings above it in the passage,
    outermost first. Units of one paragraph, list or table share the number `block`. `text` and
    `lead_text` are readable: without markup but for the backticks around code. The header of a row
    is in its `text`, cell by cell.
    """

    kind: Kind
    start: int
    end: int
    lead: Span | None
    path: tuple[str, ...]
    block: int
    text: str
    lead_text: str


def units_of(text: str, *, header: str = "", within: Span | None = None) -> tuple[Unit, ...]:
    """Return the units of a passage in their order; none overlap.

    With `within`, only those in that part of it: they are the same, and the text around them is
    read only as far as they need it.

    A sentence, a row or code that the passage cuts is not a unit, nor is a heading, a line that
    leads to something else, a comment or a mark for the machine. Nor is text with a part that is
    struck out or hidden, in itself or in its lead: without the part it would not be what the
    document says, and with it neither. The paragraphs of an item after its first are sentences.
    `header` is the header of a table whose rows the passage begins with.
    """
    above = header_above(header, text)
    start, end = within or (0, len(text))
    place = (len(above) + start, len(above) + end)
    found = _Reading(with_plain_breaks(above + text), place).units()
    said = (unit for unit in found if unit.kind == "code" or _WORD.search(unit.text))
    return tuple(islice(_shifted(said, len(above)), MOST_UNITS))


def _shifted(units: Iterator[Unit], offset: int) -> Iterator[Unit]:
    """Yield units with the places that they have without the first `offset` characters."""
    for unit in units:
        start, end = unit.lead or (-1, -1)
        lead = (start - offset, end - offset) if start >= offset else None
        yield unit._replace(start=unit.start - offset, end=unit.end - offset, lead=lead)


Leads = tuple[Span, ...]
"""The places of what leads to a list: of a list in a list, the outermost first."""


class _Above(NamedTuple):
    """The text above a block: its last sentence, and what of it leads to a list, if it does."""

    sentence: Span
    lead: Span | None


class _Reading:
    """The state of reading one passage, of which the units at one place are wanted."""

    def __init__(self, text: str, place: Span) -> None:
        self._text = text
        self._place = place
        self._first = len(text) - len(text.lstrip())
        self._closed = closed_shortcodes(text)
        self._count = 0
        self._lists: dict[int, tuple[int, Leads]] = {}
        self._above: _Above | None = None
        self._said: dict[str, str] = {}

    def units(self) -> Iterator[Unit]:
        """Yield the units at the place that have no struck or hidden part."""
        blocks = list(islice(blocks_of(self._text, MOST_LINES), MOST_UNITS))
        struck = Struck(self._text, blocks)
        first, last = self._place
        for unit in self._units(blocks):
            is_wanted = first <= unit.start and unit.end <= last
            is_struck = struck.meets((unit.start, unit.end)) or struck.meets(unit.lead or (0, 0))
            if is_wanted and not is_struck:
                yield unit

    def _units(self, blocks: list[Block]) -> Iterator[Unit]:
        """Yield the units of the needed blocks.

        The block after another tells whether that leads to it.
        """
        needed = self._needed(blocks)
        for at, (block, after) in enumerate(pairwise(chain(blocks, (None,)))):
            above, self._above = self._above, None
            if at not in needed or block is None:
                continue
            if block.kind == "heading" or any(map(is_struck_title, block.path)):
                continue
            if block.kind == "table":
                yield from self._rows(block)
            elif block.kind == "code":
                yield from self._code(block, above)
            else:
                yield from self._prose(block, above, after)

    def _needed(self, blocks: list[Block]) -> set[int]:
        """Return the numbers of the blocks at the place, and of those that lead to them.

        A list is led to by what stands above its first item, and by the lists around it.
        """
        here = {at for at, block in enumerate(blocks) if self._is_here(block.start, block.end)}
        firsts, around = dict[int, int](), dict[int, int]()
        for at, block in enumerate(blocks):
            firsts.setdefault(block.list, at)
            around.setdefault(block.list, block.outer_list)
        lists = {blocks[at].list for at in here}
        while new := {around.get(one, 0) for one in lists} - lists:
            lists |= new
        wanted = here | {firsts[one] for one in lists - {0}}
        return wanted | {above for at in wanted for above in self._above_block(blocks, at)}

    def _above_block(self, blocks: list[Block], at: int) -> Iterator[int]:
        """Yield the number of the block above another, and on through those of colons alone."""
        for above in range(at - 1, -1, -1):
            yield above
            if not self._is_bare(blocks[above]):
                return

    def _is_bare(self, block: Block) -> bool:
        return not self._text[block.start : min(block.end, block.start + LONGEST_BLOCK)].strip(": ")

    def _is_here(self, start: int, end: int) -> bool:
        """Say whether anything between two points is wanted."""
        return start < self._place[1] and self._place[0] < end

    def _rows(self, block: Block) -> Iterator[Unit]:
        table, number = table_of(self._text, block), self._next()
        names = [self._read(name).rstrip(": ") for name in table.names]
        for row in table.rows:
            if self._is_here(row.start, row.end) and self._may_be_unit(row.start, row.end):
                text = row_text([readable(cell) for cell in row.cells], names)
                path = self._path(block)
                yield Unit("row", row.start, row.end, table.lead, path, number, text, "")

    def _code(self, block: Block, above: _Above | None) -> Iterator[Unit]:
        """Yield code; where a passage begins with indented code, there may have been more."""
        span = block.start, block.end
        is_cut = span[0] == self._first and _MARKED_CODE.match(self._text, span[0]) is None
        code = self._code_in(block)
        if code and not is_cut:
            lead, lead_text = self._lead((above.sentence,) if self._leads_to(above, block) else ())
            yield Unit("code", *span, lead, self._path(block), self._next(), code, lead_text)

    def _leads_to(self, above: _Above | None, block: Block) -> TypeGuard[_Above]:
        """Say whether there is a sentence above code, which is not in the item before its own."""
        if above is None:
            return False
        return _ITEM_MARK.search(self._text, above.sentence[1], block.start) is None

    def _code_in(self, block: Block) -> str:
        is_short = block.end - block.start <= LONGEST_UNIT
        return code_of(self._text, block) if is_short else ""

    def _prose(self, block: Block, above: _Above | None, after: Block | None) -> Iterator[Unit]:
        end = min(block.end, block.start + LONGEST_BLOCK)
        spans = list(islice(sentences_in(self._text, block.start, end), MOST_UNITS))
        is_whole = end == block.end and len(spans) < MOST_UNITS
        spans = spans if is_whole else spans[:-1]
        if not spans or self._is_bare(block):
            self._above = above
            return
        whole, last = (spans[0][0], spans[-1][1]), spans[-1]
        leads_on = self._leads(block, last, after)
        self._above = _Above(last, (whole if block.list else last) if leads_on else None)
        if block.kind == "paragraph":
            yield from self._sentences(block, spans, after)
            return
        term = (block.term,) if block.term else ()
        number, above_it = self._list(block, above) if block.list else (self._next(), term)
        if is_whole and not (leads_on and len(spans) == 1):
            yield from self._whole(block, whole, above_it, number)

    def _whole(self, block: Block, span: Span, above: Leads, number: int) -> Iterator[Unit]:
        """Yield an item or a definition."""
        start, end = span
        source = self._text[start:end]
        term = self._text[slice(*block.term)] if block.term else ""
        is_said = block.list > 0 or is_ended(source) or not (is_code(source) or is_code(term))
        if is_said and self._may_be_unit(start, end):
            kind: Kind = "item" if block.list else "definition"
            lead, lead_text = self._lead(above)
            path, text = self._path(block), readable(source)
            yield Unit(kind, start, end, lead, path, number, text, lead_text)

    def _leads(self, block: Block, sentence: Span, after: Block | None) -> bool:
        """Say whether a sentence leads to the next block: with a colon, or right above a list."""
        source = self._text[slice(*sentence)]
        if leads(source) or block.kind != "paragraph" or after is None or after.kind != "item":
            return leads(source)
        return not is_ended(source) and self._text.count("\n", sentence[1], after.start) == 1

    def _list(self, block: Block, above: _Above | None) -> tuple[int, Leads]:
        """Return the number of a list and its leads: those around it, and what was above it."""
        if block.list not in self._lists:
            _, outer = self._lists.get(block.outer_list, (0, ()))
            own = (above.lead,) if above and above.lead else ()
            self._lists[block.list] = self._next(), outer + own
        return self._lists[block.list]

    def _sentences(self, block: Block, spans: list[Span], after: Block | None) -> Iterator[Unit]:
        number, path = self._next(), self._path(block)
        for start, end in spans:
            source = self._text[start:end]
            is_middle = start == block.start and is_cut(source, is_first=start == self._first)
            if is_middle or not self._is_here(start, end) or not self._may_be_unit(start, end):
                continue
            text = readable(source)
            is_alone = is_ended(source) or self._stands_alone(end, after)
            if is_alone and (is_ended(source) or says_something(source, text)):
                yield Unit("sentence", start, end, None, path, number, text, "")

    def _stands_alone(self, end: int, after: Block | None) -> bool:
        """Say whether a sentence without a stop ends its paragraph, and leads to nothing."""
        if after is not None and after.kind in ("item", "table", "code"):
            return after.kind == "code" and not self._code_in(after)
        return _ENDS_APART.match(self._text, end) is not None

    def _may_be_unit(self, start: int, end: int) -> bool:
        return end - start <= LONGEST_UNIT and not has_gap(self._text[start:end], self._closed)

    def _lead(self, leads: Leads) -> tuple[Span | None, str]:
        """Return the place of leads, and their readable form without the second of two colons.

        Where they are far apart, it is the place of the nearest.
        """
        if not leads or any(end - start > LONGEST_UNIT for start, end in leads):
            return None, ""
        start, end = leads[0][0], leads[-1][1]
        text = ": ".join(self._read(self._text[slice(*one)]).rstrip(": ") for one in leads[:-1])
        last = self._read(self._text[slice(*leads[-1])])
        if last.endswith("::"):
            last = last[:-2].rstrip() if last.endswith(" ::") else last[:-1]
        place = (start, end) if end - start <= LONGEST_UNIT else leads[-1]
        return place, f"{text}: {last}" if text else last

    def _path(self, block: Block) -> tuple[str, ...]:
        return tuple(map(self._read, block.path))

    def _next(self) -> int:
        self._count += 1
        return self._count

    def _read(self, source: str) -> str:
        """Return a text that many units share in readable form."""
        if source not in self._said:
            self._said[source] = readable(source)
        return self._said[source]
