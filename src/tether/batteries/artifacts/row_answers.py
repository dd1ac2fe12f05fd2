"""What an answer about a table holds: a page of its rows, or a sample of them."""

from __future__ import annotations

from random import Random
from typing import Any

from tether.core.errors import LimitExceeded

PAGE_CHARACTERS = 80_000
"""About how much one page holds: one that would be cut when shown is shorter instead."""

SAMPLE_CHARACTERS = 4_000_000


class Page:
    """What one answer holds: so many items, or as much text as can be shown, whatever is less."""

    __slots__ = ("_characters", "_most", "items")

    def __init__(self, most: int) -> None:
        self._most = most
        self._characters = 0
        self.items: list[Any] = []

    def add(self, item: dict[str, Any]) -> bool:
        """Add an item and say so, or say that the page is full; one item always fits."""
        self._characters += len(repr(item))
        full = len(self.items) == self._most or self._characters > PAGE_CHARACTERS
        if full and self.items:
            return False
        self.items.append(item)
        return True


class Reservoir:
    """A sample of a stream of unknown length, each item as likely (Vitter's algorithm R)."""

    __slots__ = ("_characters", "_random", "_size", "drawn")

    def __init__(self, size: int, seed: int) -> None:
        self._random = Random(seed)  # noqa: S311  # a sample that can be drawn again, no secret
        self._size = size
        self._characters = 0
        self.drawn: list[tuple[int, list[str]]] = []

    def offer(self, number: int, row: list[str]) -> None:
        """Draw the row, or not."""
        place = number if number < self._size else self._random.randrange(number + 1)
        if place >= self._size:
            return
        if place == len(self.drawn):
            self.drawn.append((number, row))
        else:
            self._characters -= _length(self.drawn[place][1])
            self.drawn[place] = (number, row)
        self._characters += _length(row)
        if self._characters > SAMPLE_CHARACTERS:
            raise LimitExceeded(f"{self._size} rows of this table are too long; draw fewer")


def _length(row: list[str]) -> int:
    return sum(map(len, row))
