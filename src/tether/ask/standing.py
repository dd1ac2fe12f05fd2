"""The stage that puts the instructions in force that a person confirmed."""

from __future__ import annotations

from dataclasses import dataclass

from tether.ask.turn import AskTurn
from tether.batteries.storage.port import Store
from tether.core.text import Tokenizable
from tether.runtime.pipeline import CallNext
from tether.runtime.turn_context import TurnContext


@dataclass(frozen=True, slots=True)
class Stand:
    """Adds the owner's active standing instructions; proposed ones wait for a person."""

    turn: AskTurn
    store: Store

    async def __call__(self, ctx: TurnContext, call_next: CallNext) -> None:
        """Add them, and go on."""
        for instruction in await self.store.instructions(owner=self.turn.owner, state="active"):
            ctx.standing_instructions.add(Tokenizable(instruction.text))
        await call_next()
