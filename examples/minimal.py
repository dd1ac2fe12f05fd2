"""The smallest configuration: a storage that keeps nothing, and an executor."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lifecycle import Trace
from tether import NoopStorage, TurnInput, TurnRunner, new_id

if TYPE_CHECKING:
    from tether import DispatchContext, Helpers, MessageChunk


async def greet(ctx: DispatchContext, helpers: Helpers) -> None:
    """Say one thing and be done."""
    helpers.report_message(new_id(), "Hello from the smallest agent.", is_complete=True)
    ctx.ack()


def show(chunk: MessageChunk) -> None:
    """Print a piece of a message as it comes."""
    print(chunk.a_delta, end="\n\n" if chunk.is_complete else "", flush=True)


async def main() -> None:
    """Run one turn."""
    runner = TurnRunner(storage=NoopStorage(), executor=greet)
    runner.on("message", show)
    trace = Trace(runner)
    await runner.run(TurnInput(system_prompt="You greet people."))
    trace.show()


if __name__ == "__main__":
    asyncio.run(main())
