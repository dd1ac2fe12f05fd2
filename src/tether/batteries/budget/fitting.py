"""How many things have to go, found with few measurements."""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

GUESSES = 16
"""After so many the rest is halved: a guess may be far off for ever, a half never is."""


async def fewest_gone(
    sizes: Sequence[int], excess: Callable[[int], Awaitable[int]], *, whole: int
) -> int:
    """Return how many things have to go, from the first on, until nothing is in excess.

    That is all of them where even that does not help. `excess(count)` measures what is left when so
    many are gone, which is dear, and never rises with the count; `whole` is the excess with all of
    them there. `sizes` say roughly what the things weigh: they lead to good guesses and decide
    nothing.
    """
    low, high = 0, len(sizes)
    if whole <= 0 or high == 0 or (least := await excess(high)) > 0:
        return 0 if whole <= 0 else high
    sums = list(accumulate(sizes, initial=0))
    over, under = float(whole), float(-least)
    guesses = 0
    while high - low > 1:
        aim = sums[low] + (sums[high] - sums[low]) * over / (over + under)
        place = (low + high) // 2 if guesses > GUESSES else bisect_left(sums, aim)
        guesses += 1
        place = min(max(place, low + 1), high - 1)
        # The end that stays counts half, or guesses would creep up to it from one side.
        if (left := await excess(place)) > 0:
            low, over, under = place, float(left), under / 2
        else:
            high, over, under = place, over / 2, float(-left)
    return high
