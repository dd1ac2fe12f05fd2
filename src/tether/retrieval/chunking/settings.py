"""How documents are cut, and the name of that way of cutting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from tether.core.checks import Checks
from tether.core.errors import InvalidRetrievalSettings

ChunkUnit = Literal["tokens", "characters"]

SIZES: dict[ChunkUnit, int] = {"tokens": 400, "characters": 600}
OVERLAPS: dict[ChunkUnit, int] = {"tokens": 40, "characters": 100}
SMALLEST_SIZE = 32
"""Below, one emoji that is made of several could be larger than a chunk."""

VERSION = 2
"""Counts the changes of the code that change what comes out for the same settings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkSettings:
    """The sizes and the places to cut at; raises `InvalidRetrievalSettings`.

    A chunk is at most `size` units long, and repeats up to `overlap` units of the chunk before it
    where a section had to be cut: by default 400 and 40 tokens, or 600 and 100 characters. Tokens
    are those of `encoding`, any name that `count_tokens` knows or that was registered with
    `register_estimator`. Headings of level 1 to `deepest_heading` begin a chunk. A section of less
    than `merge_below` units is put together with its neighbour under the same parent; 0 keeps every
    section apart.
    """

    unit: ChunkUnit = "tokens"
    size: int | None = None
    overlap: int | None = None
    encoding: str = "cl100k_base"
    deepest_heading: int = 3
    merge_below: int = 0

    def __post_init__(self) -> None:
        check = Checks()
        check.choice("unit", self.unit, tuple(SIZES))
        check.identifier("encoding", self.encoding)
        check.done(InvalidRetrievalSettings)
        _whole(check, "size", self.largest, SMALLEST_SIZE, 1_000_000)
        _whole(check, "overlap", self.repeated, 0, 500_000)
        _whole(check, "deepest_heading", self.deepest_heading, 0, 6)
        _whole(check, "merge_below", self.merge_below, 0, 1_000_000)
        check.done(InvalidRetrievalSettings)
        if self.repeated * 2 > self.largest:
            check.fail("overlap", f"must be at most half of the size, {self.largest // 2}")
        check.done(InvalidRetrievalSettings)

    @property
    def largest(self) -> int:
        """The size in force."""
        return SIZES[self.unit] if self.size is None else self.size

    @property
    def repeated(self) -> int:
        """The overlap in force; with a smaller size than usual, a tenth of it."""
        if self.overlap is not None:
            return self.overlap
        return min(OVERLAPS[self.unit], self.largest // 10 if self.size else self.largest)

    @property
    def fingerprint(self) -> str:
        """Everything that the chunks of a document depend on beside the document."""
        unit = self.encoding if self.unit == "tokens" else self.unit
        return (
            f"chunks-{VERSION};{unit};size={self.largest};overlap={self.repeated};"
            f"headings={self.deepest_heading};merge={self.merge_below}"
        )


def _whole(check: Checks, path: str, value: Any, least: int, most: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        check.refuse(path, value, f"a whole number from {least} to {most}")
