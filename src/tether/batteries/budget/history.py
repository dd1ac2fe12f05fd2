"""Which earlier turns are worth showing again.

Two choices over any kind of turn, oldest first. Both keep the order and the newest turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from tether.batteries.budget.amounts import checked_tokens
from tether.batteries.budget.packing import pack

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

T = TypeVar("T")

LOWEST_FLOOR = 0.125
HIGHEST_FLOOR = 0.43


def relevance_floor(age: float) -> float:
    """Return how relevant a turn has to be, by its age from 0 (newest) to 1 (oldest).

    The floor rises from 0.125 to 0.43, slowly among the recent turns and faster among the old ones:
    a convex curve, so that a conversation is forgotten from its far end. Ages beyond are clipped.
    """
    clipped = min(1.0, max(0.0, age))
    return LOWEST_FLOOR + (HIGHEST_FLOOR - LOWEST_FLOOR) * clipped * clipped


def relevant_turns(
    turns: Sequence[T], relevance: Callable[[T], float], *, always: int = 2
) -> tuple[T, ...]:
    """Return the turns that are relevant enough for their age, and always the last few.

    `relevance` lies in [0, 1], whatever it means. It is not asked about the last `always` turns.
    Raises `InvalidBudget`.
    """
    checked_tokens("always", always)
    oldest = max(1, len(turns) - 1)
    recent = len(turns) - always
    return tuple(
        turn
        for position, turn in enumerate(turns)
        if position >= recent
        or relevance(turn) >= relevance_floor((len(turns) - 1 - position) / oldest)
    )


def newest_turns(turns: Sequence[T], budget: int, cost: Callable[[T], int]) -> tuple[T, ...]:
    """Return the newest turns that fit a budget together, and always the newest one.

    Raises `InvalidBudget`.
    """
    return pack(reversed(turns), budget, cost).kept[::-1]


def least_relevant_first(
    relevance: Callable[[T], float], *, always: int = 2
) -> Callable[[Sequence[T]], Sequence[T]]:
    """Return an order in which to shed turns: first those below their floor, then the others.

    Within both parts the oldest goes first. This is how relevance reaches `SheddingPolicy`.
    """

    def order(turns: Sequence[T]) -> Sequence[T]:
        kept = {id(turn) for turn in relevant_turns(turns, relevance, always=always)}
        return sorted(turns, key=lambda turn: id(turn) in kept)

    return order
