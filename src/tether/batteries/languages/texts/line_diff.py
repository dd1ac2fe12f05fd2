"""The smallest set of changed lines between two texts.

Myers, "An O(ND) Difference Algorithm and Its Variations" (1986), with a budget: the standard
library's matcher takes cubic time on texts made for it, and finds no smallest set.
"""

from __future__ import annotations

from array import array
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from tether.core.errors import LimitExceeded

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_CHANGES = 1_500
MOST_STEPS = 1_500_000
"""How far the search goes, and how many lines it compares on the way."""

Lines = list[int]
"""Lines as numbers, equal where the lines are: they are compared a million times."""

Pair = tuple[int, int]
"""A line of the first text and the equal line of the second that it is matched with."""


class Change(NamedTuple):
    """Lines of the first text that give way to lines of the second; one of them may be none."""

    before: range
    after: range


def changes(before: Sequence[str], after: Sequence[str]) -> list[Change]:
    """Return what turns `before` into `after` by the fewest removed and added lines, in order.

    Raises `LimitExceeded` where the two have too little in common to find that in time.
    """
    numbers: dict[str, int] = {}
    old = [numbers.setdefault(line, len(numbers)) for line in before]
    new = [numbers.setdefault(line, len(numbers)) for line in after]
    head = _common(old, new, min(len(old), len(new)))
    tail = _common(old[::-1], new[::-1], min(len(old), len(new)) - head)
    middle_of_old = range(head, len(old) - tail)
    middle_of_new = range(head, len(new) - tail)
    matched = _matched(old, new, middle_of_old, middle_of_new)
    ends = [(head - 1, head - 1), *matched, (middle_of_old.stop, middle_of_new.stop)]
    return [
        Change(range(i + 1, next_i), range(j + 1, next_j))
        for (i, j), (next_i, next_j) in pairwise(ends)
        if next_i - i > 1 or next_j - j > 1
    ]


def _common(before: Lines, after: Lines, most: int) -> int:
    """Count the equal lines at the start."""
    count = 0
    while count < most and before[count] == after[count]:
        count += 1
    return count


def _matched(before: Lines, after: Lines, in_before: range, in_after: range) -> list[Pair]:
    """Match equal lines of two ranges, as many as can be without crossing.

    A line that only one side has is matched with nothing: leaving it out changes no result.
    """
    shared = {before[i] for i in in_before} & {after[j] for j in in_after}
    kept_before = [i for i in in_before if before[i] in shared]
    kept_after = [j for j in in_after if after[j] in shared]
    found = _longest_match([before[i] for i in kept_before], [after[j] for j in kept_after])
    return [(kept_before[i], kept_after[j]) for i, j in found]


def _longest_match(before: Lines, after: Lines) -> list[Pair]:
    """Run Myers' greedy search: round `d` finds how far each diagonal gets with `d` changes.

    Diagonal `k` holds the places where `x - y == k`; those below zero count from the list's end.
    """
    goal = len(before) - len(after)
    most = min(len(before) + len(after), MOST_CHANGES)
    reached = [0] * (2 * most + 3)
    rounds: list[Sequence[int]] = []
    steps = 0
    for changed in range(most + 1):
        rounds.append(array("i", reached[: changed + 2] + reached[-changed - 1 :]))
        steps += _advance(reached, changed, before, after)
        if abs(goal) <= changed and reached[goal] >= len(before):
            return _trace(rounds, len(before), goal)
        if steps > MOST_STEPS:
            break
    raise LimitExceeded(
        f"the texts share {len(before):,} lines that moved about so much that finding the smallest "
        "difference takes too long: compare smaller parts of them"
    )


def _advance(reached: list[int], changed: int, before: Lines, after: Lines) -> int:
    """Carry every other diagonal one change further and return how many lines that compared."""
    width, height = len(before), len(after)
    steps = 0
    for diagonal in range(-changed, changed + 1, 2):
        start = x = _start(reached, changed, diagonal)
        y = x - diagonal
        while x < width and y < height and before[x] == after[y]:
            x += 1
            y += 1
        reached[diagonal] = x
        steps += 1 + x - start
    return steps


def _start(reached: Sequence[int], changed: int, diagonal: int) -> int:
    """Return where a round enters a diagonal: below a line added, or behind a line removed."""
    if _is_entered_from_above(reached, changed, diagonal):
        return reached[diagonal + 1]
    return reached[diagonal - 1] + 1


def _is_entered_from_above(reached: Sequence[int], changed: int, diagonal: int) -> bool:
    if abs(diagonal) == changed:
        return diagonal < 1
    return reached[diagonal - 1] < reached[diagonal + 1]


def _trace(rounds: list[Sequence[int]], x: int, diagonal: int) -> list[Pair]:
    """Walk back through the rounds and collect the matched lines."""
    pairs: list[Pair] = []
    for changed, reached in reversed(list(enumerate(rounds))):
        start = _start(reached, changed, diagonal)
        pairs.extend((i, i - diagonal) for i in range(x - 1, start - 1, -1))
        diagonal += 1 if _is_entered_from_above(reached, changed, diagonal) else -1
        x = reached[diagonal]
    return pairs[::-1]
