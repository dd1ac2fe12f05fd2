"""Selection under a budget: the best items that fit, and the earlier turns worth showing again.

Turns are given oldest first; each selection keeps their order and the newest turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from tether.batteries.budget.errors import InvalidBudget
from tether.core.checks import Checks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

T = TypeVar("T")

LOWEST_FLOOR = 0.125
HIGHEST_FLOOR = 0.43


class Packed(NamedTuple, Generic[T]):
    """The packed items in order, the others, and the tokens used."""

    kept: tuple[T, ...]
    left_out: tuple[T, ...]
    used: int


def pack(items: Iterable[T], budget: int, cost: Callable[[T], int]) -> Packed[T]:
    """Take items in order, the best first, until the next one would overflow the budget.

    Nothing after that one is taken, however small: the order is what counts. The first item is
    always taken, so `used` exceeds the budget only if the best item alone is larger. Items after
    the first one left out are not measured. Raises `InvalidBudget`.
    """
    _require_count("budget", budget)
    ranked = tuple(items)
    used = 0
    for position, item in enumerate(ranked):
        price = cost(item)
        if position > 0 and used + price > budget:
            return Packed(ranked[:position], ranked[position:], used)
        used += price
    return Packed(ranked, (), used)


def relevance_floor(age: float) -> float:
    """Return the least relevance of a turn to be kept, by its age from 0 (newest) to 1 (oldest).

    The floor rises from 0.125 to 0.43, slowly among the recent turns and faster among the old ones:
    a convex curve, so that the oldest turns are forgotten first. Other ages are clipped.
    """
    clipped = min(1.0, max(0.0, age))
    return LOWEST_FLOOR + (HIGHEST_FLOOR - LOWEST_FLOOR) * clipped * clipped


def relevant_turns(
    turns: Sequence[T], relevance: Callable[[T], float], *, always: int = 2
) -> tuple[T, ...]:
    """Return the turns that are relevant enough for their age, and always the last few.

    `relevance` is from 0 to 1; it is not called for the last `always` turns. Raises
    `InvalidBudget`.
    """
    _require_count("always", always)
    oldest = max(1, len(turns) - 1)
    recent = len(turns) - always
    return tuple(
        turn
        for position, turn in enumerate(turns)
        if position >= recent
        or relevance(turn) >= relevance_floor((len(turns) - 1 - position) / oldest)
    )


def newest_turns(turns: Sequence[T], budget: int, cost: Callable[[T], int]) -> tuple[T, ...]:
    """Return the newest turns that fit a budget, and always the newest one.

    Raises `InvalidBudget`.
    """
    return pack(reversed(turns), budget, cost).kept[::-1]


def least_relevant_first(
    relevance: Callable[[T], float], *, always: int = 2
) -> Callable[[Sequence[T]], Sequence[T]]:
    """Return an order for shedding turns: first those below their floor, then the others.

    In both groups the oldest goes first. Use it as the `turn_order` of a `SheddingPolicy`.
    """

    def order(turns: Sequence[T]) -> Sequence[T]:
        kept = {id(turn) for turn in relevant_turns(turns, relevance, always=always)}
        return sorted(turns, key=lambda turn: id(turn) in kept)

    return order


def _require_count(path: str, value: int) -> None:
    check = Checks()
    check.whole_number(path, value)
    check.done(InvalidBudget)
