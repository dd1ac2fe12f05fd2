"""Prose taken out of its lines: a text that still knows where each character came from."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

from tether.retrieval.readers.lines import Line


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """Parts of source lines joined by newlines: a paragraph without its quote marks or indentation.

    `starts` are the places of the lines in `text`, `origins` those in the source.
    """

    text: str
    starts: tuple[int, ...]
    origins: tuple[int, ...]

    def origin(self, position: int) -> int:
        """Return the place in the source of a place in `text`; its end maps to the last line's."""
        line = bisect_right(self.starts, position) - 1
        return self.origins[line] + position - self.starts[line]


def excerpt(source: str, lines: Iterable[Line]) -> Excerpt:
    """Return the lines as one text. There must be at least one."""
    parts: list[str] = []
    starts: list[int] = []
    origins: list[int] = []
    length = 0
    for line in lines:
        starts.append(length)
        origins.append(line.start)
        parts.append(line.of(source))
        length += line.end - line.start + 1
    return Excerpt(text="\n".join(parts), starts=tuple(starts), origins=tuple(origins))
