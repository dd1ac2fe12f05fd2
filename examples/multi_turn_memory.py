"""Several turns of two people: each turn sees the earlier ones of its own session."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lifecycle import Trace
from tether import Message, TurnInput, TurnRunner
from tether.batteries.storage.memory import MemoryStorage

if TYPE_CHECKING:
    from tether import CallNext, Context, DispatchContext, Helpers, TurnContext


def session_of(ctx: Context) -> str:
    """Name the session that a turn belongs to."""
    name: str = ctx.stash.get("session.id")
    return name


async def take_input(ctx: TurnContext, call_next: CallNext) -> None:
    """Store what the person said, then load the whole session into the turn."""
    await ctx.store_message(Message.user(ctx.stash.get("input.text")))
    ctx.turn_messages.update(await ctx.fetch_messages())
    await call_next()


async def recall(ctx: DispatchContext, helpers: Helpers) -> None:
    """Answer with what this session has heard so far."""
    said = [str(message.content) for message in ctx.turn_messages if message.role == "user"]
    earlier = "; ".join(said[:-1]) or "nothing"
    reply = Message.assistant(f"You said: {said[-1]} Earlier I heard: {earlier}")
    helpers.report_message(reply.id, str(reply.content), is_complete=True)
    await ctx.store_message(reply)
    ctx.ack()


async def main() -> None:
    """Run two turns for Ada and one for Bob."""
    storage = MemoryStorage(session_of=session_of)
    runner = TurnRunner(storage=storage, executor=recall, turn_input_pipeline=[take_input])
    runner.on("message", lambda chunk: print(f"agent: {chunk.a_delta}"))
    trace = Trace(runner)
    turns = (
        ("ada", "My cat is called Turing."),
        ("ada", "What is my cat called?"),
        ("bob", "What is the cat called?"),
    )
    for session, text in turns:
        print(f"{session}:   {text}")
        stash = {"session": {"id": session}, "input": {"text": text}}
        await runner.run(TurnInput(system_prompt="You remember.", stash=stash))
        trace.show()
    print(f"Ada's session holds {len(storage.session('ada').messages)} messages.")


if __name__ == "__main__":
    asyncio.run(main())
