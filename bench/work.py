"""The work that every runtime is given: the same tool, reply, chunks and middlewares.

Sharing them is what makes the comparison fair: whatever differs between two figures is the runtime
around this work and not the work itself. Nothing here imports Tether, so peers can use it too.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

SYSTEM_PROMPT = "You are a helpful assistant."
REPLY = "It is 21 degrees and sunny in Paris, for the next three days."
TOOL = "forecast"
CALL_ID = "call_1"
MESSAGE_ID = "message_1"
ARGUMENTS = '{"city": "Paris", "days": 3}'
"""What a provider sends: JSON text. Every runtime has to decode it."""

CHUNKS = tuple(f"ab{number:03}" for number in range(200))
"""A streamed reply: 200 pieces of 5 characters."""

CONCURRENT_TURNS = 200
MIDDLEWARES_PER_PIPELINE = 5


async def forecast(city: str, days: int) -> str:
    """Tell the weather of a city for some days."""
    return f"{city}: sunny, 21 degrees, {days} days"


class Tally:
    """What the middlewares count: the cheapest work that cannot be left out."""

    __slots__ = ("on_the_way_in", "on_the_way_out")

    def __init__(self) -> None:
        self.on_the_way_in = 0
        self.on_the_way_out = 0


CallNext = Callable[[], Awaitable[None]]
Middleware = Callable[[object, CallNext], Awaitable[None]]


def middlewares(tally: Tally) -> list[Middleware]:
    """Return five middlewares for one pipeline, each with one line before and one after."""
    return [_middleware(tally) for _ in range(MIDDLEWARES_PER_PIPELINE)]


def _middleware(tally: Tally) -> Middleware:
    async def count(ctx: object, call_next: CallNext) -> None:
        tally.on_the_way_in += 1
        await call_next()
        tally.on_the_way_out += 1

    return count


def ignore(event: object) -> None:
    """Listen to an event and do nothing with it."""
