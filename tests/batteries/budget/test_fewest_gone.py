"""The search for the fewest items to remove."""

from __future__ import annotations

from itertools import accumulate

from hypothesis import given
from hypothesis import strategies as st

from tether.batteries.budget.assembly import GUESSES, fewest_gone

SIZES = st.lists(st.tuples(st.integers(0, 500), st.integers(0, 500)), max_size=60)


@given(SIZES, st.integers(-200, 3_000), st.integers(-100, 100))
async def test_just_as_many_as_have_to_go_however_wrong_the_sizes_are(
    things: list[tuple[int, int]], over: int, floor: int
) -> None:
    real = [size for size, _ in things]
    excesses = [sum(real) + floor - over - gone for gone in accumulate(real, initial=0)]
    asked: list[int] = []

    async def excess(count: int) -> int:
        asked.append(count)
        return excesses[count]

    found = await fewest_gone([rough for _, rough in things], excess, whole=excesses[0])
    fitting = [count for count, left in enumerate(excesses) if left <= 0]
    assert found == (fitting[0] if fitting else len(things))
    assert found in {0, *asked} or not things


async def test_with_sizes_that_mean_something_few_measurements_do() -> None:
    real = [100 + 7 * (number % 13) for number in range(10_000)]
    left = [sum(real) - gone - 6_000 for gone in accumulate(real, initial=0)]
    asked: list[int] = []

    async def excess(count: int) -> int:
        asked.append(count)
        return left[count]

    found = await fewest_gone([4 * size for size in real], excess, whole=left[0])
    assert left[found] <= 0 < left[found - 1]
    assert len(asked) < 10


async def test_sizes_that_mislead_cost_some_more_measurements_and_no_more() -> None:
    count = 10_000
    asked: list[int] = []

    async def excess(gone: int) -> int:
        asked.append(gone)
        return 1_000_000 if gone < count // 2 else 0

    assert await fewest_gone([1] * count, excess, whole=1_000_000) == count // 2
    assert len(asked) < GUESSES + 20
