"""An input pipeline that redacts e-mail addresses and phone numbers before the model sees them."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from lifecycle import Trace
from tether import Message, Tokenizable, TurnInput, TurnRunner
from tether.batteries.storage.memory import MemoryStorage

if TYPE_CHECKING:
    from tether import CallNext, DispatchContext, Helpers, TurnContext

QUESTION = "Please call me on +44 20 7946 0018, or write to ada@example.org."
EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
PHONE = re.compile(r"\+?\d[\d ()/-]{6,}\d")


def redact(text: str) -> str:
    """Return the text with placeholders; two simple patterns, not a privacy programme."""
    return PHONE.sub("[PHONE]", EMAIL.sub("[EMAIL]", text))


async def load_history(ctx: TurnContext, call_next: CallNext) -> None:
    """Load the dialogue into the turn."""
    ctx.turn_messages.update(await ctx.fetch_messages())
    await call_next()


async def redact_last_user_message(ctx: TurnContext, call_next: CallNext) -> None:
    """Put a redacted copy in the place of the last thing the user said.

    Messages are immutable, so this makes a new one; the turn's collection is changed in place.
    """
    spoken = [message for message in ctx.turn_messages if message.role == "user"]
    if spoken:
        last = spoken[-1]
        clean = replace(last, content=Tokenizable(redact(str(last.content))))
        ctx.turn_messages.replace_where(lambda held: held is last, clean)
    await call_next()


async def repeat(ctx: DispatchContext, helpers: Helpers) -> None:
    """Say what arrived here, where a model would be called."""
    seen = list(ctx.turn_messages)[-1].content
    reply = Message.assistant(f"I was given: {seen}")
    helpers.report_message(reply.id, str(reply.content), is_complete=True)
    await ctx.store_message(reply)
    ctx.ack()


async def main() -> None:
    """Run one turn."""
    storage = MemoryStorage(messages=[Message.user(QUESTION)])
    pipeline = [load_history, redact_last_user_message]  # in this order: first load, then redact
    runner = TurnRunner(storage=storage, executor=repeat, turn_input_pipeline=pipeline)
    runner.on("message", lambda chunk: print(f"agent: {chunk.full}", end="\n\n"))
    trace = Trace(runner)
    print(f"user:  {QUESTION}")
    await runner.run(TurnInput(system_prompt="You repeat what you hear."))
    trace.show()


if __name__ == "__main__":
    asyncio.run(main())
