"""Turns that the executor answers from records."""

from __future__ import annotations

from typing import Any

from support.turns import TURN, Ran, message
from tether import CallNext, Message, Retrievable, TurnContext
from tether.ask.quoting.executor import Extractive

WHEN = "2026-01-01T12:00:00Z"
TEXT = "# Tides\n\nThe [tide](t.md) turns\nevery *six* hours.\n"


def passage(
    content: Any = TEXT, source: str | None = "docs/tides.md", id: str = "r1"
) -> Retrievable:
    return Retrievable(
        id=id, content=content, source=source, trust_tier="first-party", created_at=WHEN
    )


async def answered(
    question: Message | str,
    *records: Retrievable,
    executor: Any = None,
) -> Ran:
    """Run a turn with these records and this question."""

    async def prepare(ctx: TurnContext, call_next: CallNext) -> None:
        asked = message("q", question, role="user") if isinstance(question, str) else question
        ctx.turn_messages.add(asked)
        ctx.turn_retrievables.update(records)
        await call_next()

    run = Ran(executor or Extractive(auto_ack=True), turn_input_pipeline=[prepare])
    await run.runner.run(TURN)
    return run


def said(run: Ran) -> str:
    return run.recorder.text
