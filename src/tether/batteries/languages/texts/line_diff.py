"""The smallest set of changed lines between two texts, and its unified diff.

Myers, "An O(ND) Difference Algorithm and Its Variations" (1986), with a budget: the standard
library's matcher takes cubic time on hostile texts, and does not find the smallest set.
"""

from __future__ import annotations

from array import array
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from tether.core.errors import LimitExceeded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

MOST_CHANGES = 1_500
MOST_STEPS = 1_500_000
"""The limits of the search: changed lines, and compared lines."""

Lines = list[int]
"""Lines as numbers that are equal where the lines are, because they are compared very often."""

Pair = tuple[int, int]
"""A line of the first text and the equal line of the second that it is matched with."""


class Change(NamedTuple):
    """Lines of the first text that are replaced by lines of the second; either may be empty."""

    before: range
    after: range


def changes(before: Sequence[str], after: Sequence[str]) -> list[Change]:
    """Return the changes from `before` to `after` with the fewest removed and added lines.

    Raises `LimitExceeded` where the two have too little in common to find them in time.
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
    """Return where a round enters a diagonal: below an added line, or after a removed one."""
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


class Names(NamedTuple):
    """The names of the two texts in the heading."""

    before: str
    after: str


def unified_diff(before: str, after: str, names: Names, context: int) -> str:
    """Return the unified diff of two texts, empty where they are equal.

    Lines end at LF, as they do for `patch`; a CR before it belongs to the line. A last line without
    a line end is marked as the format requires. Raises `LimitExceeded`.
    """
    old, new = _lines(before), _lines(after)
    hunks = _hunks(changes(old, new), context)
    if not hunks:
        return ""
    body = (part for hunk in hunks for part in _written(hunk, old, new, context))
    return "".join([f"--- {names.before}\n", f"+++ {names.after}\n", *body])


def _lines(text: str) -> list[str]:
    """Split after each LF; only the last line can be without one."""
    lines = [f"{line}\n" for line in text.split("\n")]
    last = lines.pop().removesuffix("\n")
    return [*lines, last] if last else lines


def _hunks(found: Iterable[Change], context: int) -> list[list[Change]]:
    """Group changes whose surrounding lines touch or overlap."""
    hunks: list[list[Change]] = []
    for change in found:
        if hunks and change.before.start - hunks[-1][-1].before.stop <= 2 * context:
            hunks[-1].append(change)
        else:
            hunks.append([change])
    return hunks


def _written(
    hunk: list[Change], old: Sequence[str], new: Sequence[str], context: int
) -> Iterator[str]:
    first, last = hunk[0], hunk[-1]
    lead = min(context, first.before.start)
    trail = min(context, len(old) - last.before.stop)
    before = range(first.before.start - lead, last.before.stop + trail)
    after = range(first.after.start - lead, last.after.stop + trail)
    yield f"@@ -{_span(before)} +{_span(after)} @@\n"
    position = before.start
    for change in hunk:
        yield from _marked(" ", old[position : change.before.start])
        yield from _marked("-", old[change.before.start : change.before.stop])
        yield from _marked("+", new[change.after.start : change.after.stop])
        position = change.before.stop
    yield from _marked(" ", old[position : before.stop])


def _span(lines: range) -> str:
    """Write a range of lines as the format does: from 1, and for no lines the one before them."""
    if len(lines) == 1:
        return f"{lines.start + 1}"
    return f"{lines.start + bool(lines)},{len(lines)}"


def _marked(mark: str, lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        yield mark + line
        if not line.endswith("\n"):
            yield "\n\\ No newline at end of file\n"
