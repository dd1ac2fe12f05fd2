"""The marks by which Markdown's blocks are known at the beginning of a line (CommonMark 0.31)."""

from __future__ import annotations

import re
from typing import NamedTuple

DEEPEST = 100
MARKS = frozenset("#`~>*-_+0123456789")
"""What a line can begin with to be something else than text."""

_HEADING = re.compile(r"(#{1,6})(?=[ \t]|$)")
_FENCE = re.compile(r"(`{3,}+)([^`]*)|(~{3,}+)(.*)")
_BULLET = re.compile(r"[-+*](?=[ \t]|$)")
_ORDINAL = re.compile(r"([0-9]{1,9})[.)](?=[ \t]|$)")
_DELIMITER_CELL = re.compile(r":?-+:?")
_PIPE = re.compile(r"(?<!\\)\|")


class Place(NamedTuple):
    """A place in a line: the character, and the column it stands in when tabs are spread out."""

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


class Heading(NamedTuple):
    """A heading's depth, from 1 to 6, and its text."""

    depth: int
    text: str


class FenceMark(NamedTuple):
    """The line that opens fenced code; `lang` is the first word after it."""

    mark: str
    lang: str | None


class ListMark(NamedTuple):
    """The marker of a list item.

    `style` is the same for the items of one list, `offset` the column that lines have to reach to
    belong to the item. Where `can_interrupt` is false, it is only one after a blank line or in a
    list: an empty item, and one that does not count from 1.
    """

    style: str
    content: Place
    offset: int
    can_interrupt: bool


def heading_of(content: str) -> Heading | None:
    """Return the heading that a line is: one to six # and a space, or nothing else."""
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
    words = (found[2] or found[4] or "").split(maxsplit=1)
    return FenceMark(found[1] or found[3], words[0] if words else None)


def is_closing_fence(content: str, mark: str) -> bool:
    """Say whether a line closes a fence: the same character, and at least as many of it."""
    return len(content) >= len(mark) and not content.strip(mark[0])


def is_rule(content: str) -> bool:
    """Say whether a line is a thematic break: three or more of - or * or _, and spaces."""
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
    counts_on = ordinal is not None and int(ordinal[1]) != 1
    return ListMark(found[0][-1], content, offset, not is_empty and not counts_on)


def unquoted(line: str, place: Place) -> Place:
    """Return the place after the > signs that stand at a place, and one space."""
    for _ in range(DEEPEST):
        place = Place(place.position + 1, place.column + 1)
        ahead = place.skip(line)
        if not line.startswith(">", ahead.position):
            break
        place = ahead
    is_spaced = line.startswith((" ", "\t"), place.position)
    return Place(place.position + 1, place.column + 1) if is_spaced else place


def table_cells(content: str) -> list[str]:
    """Split a row of a table; the bars at its ends are optional."""
    cells = [cell.strip().replace("\\|", "|") for cell in _PIPE.split(content)]
    if not cells[0]:
        del cells[0]
    if cells and not cells[-1]:
        del cells[-1]
    return cells


def is_table_head(content: str, following: str | None) -> bool:
    """Say whether a line heads a table: the next one has dashes for as many cells."""
    if following is None or "|" not in content:
        return False
    place = Place().skip(following)
    dashes = table_cells(following.strip())
    if place.column > 3 or list_mark_of(following, place) or not all(map(_is_dashes, dashes)):
        return False
    return len(dashes) == len(table_cells(content)) > 0


def _is_dashes(cell: str) -> bool:
    return _DELIMITER_CELL.fullmatch(cell) is not None
