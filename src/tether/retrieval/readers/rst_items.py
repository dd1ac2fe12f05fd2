"""The items of a list in reStructuredText: bullets, numbers, fields, options."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from tether.retrieval.readers.rst_lines import RstLine, rest
from tether.retrieval.readers.rst_marks import bullet, enumerator, field_name, interrupts, is_option

MarkerLength = Callable[[Sequence[RstLine], int], int]
"""How many characters of a line are the mark of an item; below 0 where it begins none."""


class Items(NamedTuple):
    """Items as places and paragraphs, the line after them, and whether code has to follow."""

    items: list[tuple[int, list[list[RstLine]]]]
    end: int
    announces_code: bool


def bullet_length(lines: Sequence[RstLine], at: int) -> int:
    """Measure the mark of a bullet list."""
    return bullet(lines[at]) or -1


def enumerator_length(lines: Sequence[RstLine], at: int) -> int:
    """Measure the number of an item."""
    following = lines[at + 1] if at + 1 < len(lines) else None
    return enumerator(lines[at], following) or -1


def field_length(lines: Sequence[RstLine], at: int) -> int:
    """Take a field for an item without a mark: its name is a part of what it says."""
    return 0 if field_name(lines[at]) else -1


def option_length(lines: Sequence[RstLine], at: int) -> int:
    """Take an option for an item without a mark."""
    return 0 if is_option(lines[at]) else -1


MARKERS: tuple[MarkerLength, ...] = (
    bullet_length,
    enumerator_length,
    field_length,
    option_length,
)


def items_at(lines: Sequence[RstLine], begin: int, marker: MarkerLength) -> Items:
    """Return the items from a line on that have marks of one kind in the same column.

    They end before a line to the left of them, before a directive, a table or an example inside an
    item, and after a paragraph that announces code.
    """
    column = lines[begin].column
    items: list[tuple[int, list[list[RstLine]]]] = []
    end, is_new = begin, True
    for at in range(begin, len(lines)):
        line = lines[at]
        if line.is_blank:
            if items and announces_code(items[-1][1]):
                return Items(items, end, announces_code=True)
            is_new = True
            continue
        if line.column < column or interrupts(line):
            break
        length = marker(lines, at) if line.column == column else -1
        if line.column == column and length < 0:
            break
        if length >= 0:
            items.append((line.start, [[rest(line, length)]]))
        elif is_new or _begins_nested(lines, at):
            items[-1][1].append([line])
        else:
            items[-1][1][-1].append(line)
        is_new, end = False, at + 1
    return Items([(at, _filled(groups)) for at, groups in items], end, announces_code=False)


def announces_code(groups: Sequence[Sequence[RstLine]]) -> bool:
    """Return whether the last paragraph ends in a double colon."""
    return bool(groups) and bool(groups[-1]) and groups[-1][-1].words.endswith("::")


def _filled(groups: list[list[RstLine]]) -> list[list[RstLine]]:
    return [kept for group in groups if (kept := [line for line in group if line.words])]


def _begins_nested(lines: Sequence[RstLine], at: int) -> bool:
    return any(marker(lines, at) >= 0 for marker in MARKERS[:3])
