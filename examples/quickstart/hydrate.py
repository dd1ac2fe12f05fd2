"""A middleware that loads the stored dialogue into the turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tether import CallNext, TurnContext


async def load_history(ctx: TurnContext, call_next: CallNext) -> None:
    """Fill `ctx.turn_messages`, which starts empty: the runner reads nothing by itself."""
    ctx.turn_messages.update(await ctx.fetch_messages())
    await call_next()
