"""The marks that make a line part of a block (CommonMark 0.31), and code spans by their look."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

DEEPEST = 100
MARKS = frozenset("#`~>*-_+0123456789")
"""The characters a line begins with if it is not text."""

CODE_SPAN = re.compile(r"(?P<ticks>`+)[^`]+(?P=ticks)")
"""A code span that has no backtick in it, where the text around it need not be read."""

ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
"""A backslash, and the character that it makes text."""

LINE_CODE = re.compile(r"(?<!`)`[^`\n]+`(?!`)")
"""A code span between single backticks on one line, which no block can break."""

_HEADING = re.compile(r"(#{1,6})(?=[ \t]|$)")
_FENCE = re.compile(r"(`{3,}+)([^`]*)|(~{3,}+)(.*)")
_BULLET = re.compile(r"[-+*](?=[ \t]|$)")
_ORDINAL = re.compile(r"([0-9]{1,9})[.)](?=[ \t]|$)")
_DELIMITER_CELL = re.compile(r":?-+:?")
_PIPE = re.compile(r"(?<!\\)\|")
_FIELDS_OPEN = re.compile(r"(---|\+\+\+|;;;)[ \t]*(?:\r\n|\r|\n)")
_FORMATS: dict[str, Literal["yaml", "toml", "json"]] = {"---": "yaml", "+++": "toml", ";;;": "json"}
_LEADING = re.compile(r"\A(?:[\s>|]|[-=*_#+]+(?:\s|$)|\d{1,9}[.)](?:\s|$))+")


class Place(NamedTuple):
    """A place in a line: the character, and its column when tabs are expanded."""

    position: int = 0
    column: int = 0

    def skip(self, line: str) -> Place:
        """Return the place after the spaces and tabs that follow."""
        end = len(line) - len(line[self.position :].lstrip(" \t"))
        gap = line[self.position : end]
        if "\t" not in gap:
            return Place(end, self.column + len(gap))
        column = self.column
        for character in gap:
            column += 4 - column % 4 if character == "\t" else 1
        return Place(end, column)


class FrontMatterPlace(NamedTuple):
    """The format of front matter, where its fields begin and end, and where the text begins."""

    format: Literal["yaml", "toml", "json"]
    start: int
    close: int
    end: int


class Heading(NamedTuple):
    """A heading's depth, from 1 to 6, and its text."""

    depth: int
    text: str


class FenceMark(NamedTuple):
    """The line that opens fenced code: the fence, and the text after it."""

    mark: str
    info: str

    @property
    def lang(self) -> str | None:
        """The first word after the fence."""
        return next(iter(self.info.split(maxsplit=1)), None)


class ListMark(NamedTuple):
    """The marker of a list item.

    `style` is the same for the items of one list, `offset` the column that lines have to reach to
    belong to the item. Where `can_interrupt` is false, it is only one after a blank line or in a
    list: an empty item, and one that does not count from 1. A bullet has no `number`.
    """

    style: str
    content: Place
    offset: int
    can_interrupt: bool
    number: int | None


def find_front_matter(
    text: str, position: int = 0, *, dots: bool = False
) -> FrontMatterPlace | None:
    """Return the place of the front matter that opens at a position, if it is closed.

    The same line closes it that opens it; with `dots`, `...` closes YAML too.
    """
    opening = _FIELDS_OPEN.match(text, position)
    if opening is None:
        return None
    marks = re.escape(opening[1]) + (r"|\.\.\." if dots and opening[1] == "---" else "")
    closing = re.compile(rf"^(?:{marks})[ \t]*(?:\r\n|\r|\n|\Z)", re.MULTILINE)
    found = closing.search(text, opening.end())
    if found is None:
        return None
    return FrontMatterPlace(_FORMATS[opening[1]], opening.end(), found.start(), found.end())


def heading_of(content: str) -> Heading | None:
    """Return the heading on a line: one to six # signs, and a space or nothing after them."""
    found = _HEADING.match(content)
    if found is None:
        return None
    text = content[found.end() :].strip(" \t")
    without = text.rstrip("#")
    if not without or without[-1] in " \t":
        text = without.rstrip(" \t")
    return Heading(len(found[1]), text)


def fence_of(content: str) -> FenceMark | None:
    """Return the fence that a line opens."""
    found = _FENCE.fullmatch(content)
    if found is None:
        return None
    return FenceMark(found[1] or found[3], (found[2] or found[4] or "").strip())


def is_closing_fence(content: str, mark: str) -> bool:
    """Return whether a line closes a fence: the same character, at least as many times."""
    return len(content) >= len(mark) and not content.strip(mark[0])


def is_rule(content: str) -> bool:
    """Return whether a line is a thematic break: three or more of - or * or _, and spaces."""
    marks = content.replace(" ", "").replace("\t", "")
    return len(marks) >= 3 and marks[0] in "-*_" and not marks.strip(marks[0])


def list_mark_of(line: str, place: Place) -> ListMark | None:
    """Return the list marker at a place."""
    ordinal = _ORDINAL.match(line, place.position)
    found = ordinal or _BULLET.match(line, place.position)
    if found is None:
        return None
    after = Place(found.end(), place.column + len(found[0]))
    content = after.skip(line)
    is_empty = content.position == len(line)
    is_near = not is_empty and content.column - after.column <= 4
    offset = content.column if is_near else after.column + 1
    number = int(ordinal[1]) if ordinal else None
    can_interrupt = not is_empty and number in (None, 1)
    return ListMark(found[0][-1], content, offset, can_interrupt, number)


def unquoted(line: str, place: Place, levels: int = DEEPEST) -> Place:
    """Return the place after the > signs at a place, at most so many, and one space."""
    place = Place(place.position + 1, place.column + 1)
    for _ in range(1, levels):
        ahead = place.skip(line)
        if not line.startswith(">", ahead.position):
            break
        place = Place(ahead.position + 1, ahead.column + 1)
    is_spaced = line.startswith((" ", "\t"), place.position)
    return Place(place.position + 1, place.column + 1) if is_spaced else place


def leaf_place(line: str) -> Place:
    """Return the place after the indentation, the > signs and the list markers of a line."""
    place = Place().skip(line)
    for _ in range(DEEPEST):
        if line.startswith(">", place.position):
            place = unquoted(line, place).skip(line)
        elif (mark := list_mark_of(line, place)) and mark.content.position < len(line):
            place = mark.content
        else:
            break
    return place


def without_marks(text: str) -> str:
    """Return a text that starts no list, heading, quote or table where it starts a block."""
    return _LEADING.sub("", text)


def table_cells(content: str) -> list[str]:
    """Split a row of a table; the bars at its ends are optional."""
    cells = [cell.strip().replace("\\|", "|") for cell in _PIPE.split(content)]
    if not cells[0]:
        del cells[0]
    if cells and not cells[-1]:
        del cells[-1]
    return cells


def is_table_head(content: str, following: str | None) -> bool:
    """Return whether a line heads a table: the next one has dashes for as many cells."""
    if following is None or "|" not in content:
        return False
    place = Place().skip(following)
    if place.column > 3 or list_mark_of(following, place):
        return False
    return delimiter_cells(following.strip()) == len(table_cells(content)) > 0


def delimiter_cells(content: str) -> int:
    """Return how many cells of dashes a row has; 0 where it has other cells."""
    cells = table_cells(content)
    return len(cells) if all(map(_DELIMITER_CELL.fullmatch, cells)) else 0
