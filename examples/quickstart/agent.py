"""The smallest whole agent: a storage, a middleware, an executor. No key, no network.

Run it with `make quickstart`, or with `python examples/quickstart/agent.py`.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from hydrate import load_history
from storage import MessageStorage

from tether import (
    DispatchEnd,
    DispatchStart,
    ErrorRaised,
    IterationStart,
    Message,
    MessageChunk,
    TurnEnd,
    TurnInput,
    TurnRunner,
    TurnStart,
    event_name,
    new_id,
)

if TYPE_CHECKING:
    from tether import DispatchContext, Event, Helpers

QUESTION = "What happens in a turn?"


async def answer(ctx: DispatchContext, helpers: Helpers) -> None:
    """Stand where a model would be called: show a reply in pieces, store it, call it done."""
    question = list(ctx.turn_messages)[-1].content
    pieces = (
        f"You asked: {question} ",
        "A middleware loaded your question, ",
        "and I, a hand-written executor, stream this reply. ",
        "Then I store it and acknowledge, and the turn ends.",
    )
    id = new_id()
    for piece in pieces:
        helpers.report_message(id, piece, is_complete=piece is pieces[-1])
        await asyncio.sleep(0.15)  # so that it looks like a model writing
    reply = Message(id=id, role="assistant", content="".join(pieces), created_at=ctx.clock.now())
    await ctx.store_message(reply)
    ctx.ack()


def describe(event: Event) -> str:
    """Return one line about an event; ids are cut to their last six characters."""
    match event:
        case TurnStart():
            detail = f"id …{event.turn_id[-6:]}"
        case DispatchStart():
            detail = f"id …{event.dispatch_id[-6:]}"
        case IterationStart():
            detail = f"number {event.iteration}"
        case MessageChunk():
            detail = f"{event.a_delta!r}" + (" (complete)" if event.is_complete else "")
        case DispatchEnd():
            detail = event.status
        case TurnEnd():
            detail = f"after {event.duration_ms:.0f} ms"
        case ErrorRaised():
            detail = str(event.error)
        case _:
            detail = ""
    return f"  {event_name(event):<15}  {detail}".rstrip()


async def main() -> None:
    """Run one turn, show the reply while it comes, then the events in their order."""
    storage = MessageStorage(Message.user(QUESTION))
    runner = TurnRunner(storage=storage, executor=answer, turn_input_pipeline=[load_history])

    print(f"You:     {QUESTION}\nTether:  ", end="", flush=True)
    events: list[Event] = []
    async for event in runner.stream(TurnInput(system_prompt="You are a friendly guide.")):
        events.append(event)
        if isinstance(event, MessageChunk):
            print(event.a_delta, end="", flush=True)

    print("\n\nThe turn, event by event:")
    print("\n".join(describe(event) for event in events))
    print(f"\nThe storage holds {len(storage.messages)} messages: your question and the reply.\n")
    print("Next, change `answer` in examples/quickstart/agent.py and run `make quickstart` again,")
    print("or see an agent use tools: .venv/bin/python examples/tool_use.py")


if __name__ == "__main__":
    asyncio.run(main())
