"""The smallest assembly with a real model: one question in, one streamed answer out.

It needs an endpoint that speaks chat completions, and three environment variables:

    OPENAI_BASE_URL   where it is; without it, the provider's own address
    OPENAI_API_KEY    the key; a server of one's own mostly needs none
    OPENAI_MODEL      the model's name there
"""

from __future__ import annotations

import asyncio
import os
import sys
from typing import TYPE_CHECKING

from tether import Message, NoopStorage, TurnInput, TurnRunner
from tether.batteries.models.chat_completions import ChatCompletions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tether import CallNext, Context, ErrorRaised, MessageChunk, TurnContext

MISSING = "Set OPENAI_MODEL, and OPENAI_API_KEY or OPENAI_BASE_URL: see the top of this file."


async def hydrate(ctx: TurnContext, call_next: CallNext) -> None:
    """Load the dialogue into the turn: the runner reads nothing by itself."""
    ctx.turn_messages.update(await ctx.fetch_messages())
    await call_next()


def model_from_environment() -> ChatCompletions:
    """Return the model that the environment names, or end the program with what is missing."""
    name, key = os.environ.get("OPENAI_MODEL"), os.environ.get("OPENAI_API_KEY")
    base_url = os.environ.get("OPENAI_BASE_URL")
    if not name or not (key or base_url):
        sys.exit(MISSING)
    # auto_ack: a reply without tool calls ends the turn; without it a middleware has to say so.
    return ChatCompletions(model=name, api_key=key, base_url=base_url or None, auto_ack=True)


def show(chunk: MessageChunk) -> None:
    """Print a piece of the answer as it comes."""
    print(chunk.a_delta, end="\n" if chunk.is_complete else "", flush=True)


def complain(event: ErrorRaised) -> None:
    """Print what went wrong."""
    print(event.error, file=sys.stderr)


async def main(question: str = "Hello") -> None:
    """Ask one question."""
    asked = Message.user(question)

    async def fetch_messages(ctx: Context) -> Sequence[Message]:
        return [asked]

    async with model_from_environment() as model:
        runner = TurnRunner(
            storage=NoopStorage(),
            fetch_messages=fetch_messages,
            turn_input_pipeline=[hydrate],
            executor=model,
        )
        runner.on("message", show)
        runner.observe("error", complain)
        await runner.run(TurnInput(system_prompt="You are a helpful assistant."))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:2]))
