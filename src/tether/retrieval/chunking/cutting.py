"""Cuts what has no places to cut at: one sentence, row or line that is larger than a chunk."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tether.retrieval.chunking.graphemes import cut_before

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tether.retrieval.ports import Estimator

_TRIES = 6


class Cut(NamedTuple):
    """A span of the text, and what it costs."""

    start: int
    end: int
    cost: int


def cuts(text: str, size: int, estimate: Estimator) -> Iterator[Cut]:
    """Yield spans that cover the text, each of at most `size` by the estimate.

    A span ends after a word where it can, else between two whole characters. Only one character
    that costs more than the size by itself makes a larger span. Takes time in proportion to the
    text: each step guesses a length from the one before and looks at that much only.
    """
    start, length = 0, size
    while start < len(text):
        found = _fitting(text[start : start + 64 * size], length, size, estimate)
        yield Cut(start, start + found.end, found.cost)
        start, length = start + found.end, found.end


def _fitting(text: str, length: int, size: int, estimate: Estimator) -> Cut:
    """Return how much of the beginning of a text is close to the size, and not more than it."""
    best = Cut(0, 0, 0)
    for _ in range(_TRIES):
        length = min(max(length, 1), len(text))
        cost = estimate(text[:length])
        if best.end < length and cost <= size:
            best = Cut(0, length, cost)
        if length == best.end == len(text) or 0.8 * size <= cost <= size:
            break
        length = _next_guess(length, cost, size)
    return _trimmed(text, best if best.end else Cut(0, 1, estimate(text[0])), size, estimate)


def _next_guess(length: int, cost: int, size: int) -> int:
    """Return a length that should come out a little below the size, at most eight times longer."""
    return min(length * size * 9 // (10 * max(cost, 1)), 8 * length)


def _trimmed(text: str, found: Cut, size: int, estimate: Estimator) -> Cut:
    """Return the span up to the end of the last whole word, or character, that keeps the size."""
    end = cut_before(text, found.end)
    if end == found.end:
        return found
    while (cost := estimate(text[:end])) > size and end > 1:
        end = cut_before(text, end * 3 // 4)
    return Cut(0, end, cost)
