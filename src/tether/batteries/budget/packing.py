"""As much as fits, best first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from tether.batteries.budget.amounts import checked_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

T = TypeVar("T")


class Packed(NamedTuple, Generic[T]):
    """What was packed, in order, what was left out, and the tokens used."""

    kept: tuple[T, ...]
    left_out: tuple[T, ...]
    used: int


def pack(items: Iterable[T], budget: int, cost: Callable[[T], int]) -> Packed[T]:
    """Take items in the order given, the best first, until the next one would overflow the budget.

    Nothing after that one is taken, even if it were small: the order is the meaning. The first item
    is always taken, so `used` exceeds the budget only where the very best is larger than it. Items
    behind the first that is left out are not measured. Raises `InvalidBudget`.
    """
    checked_tokens("budget", budget)
    ranked = tuple(items)
    used = 0
    for position, item in enumerate(ranked):
        price = cost(item)
        if position > 0 and used + price > budget:
            return Packed(ranked[:position], ranked[position:], used)
        used += price
    return Packed(ranked, (), used)
