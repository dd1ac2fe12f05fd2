"""The stage that holds a model to the form of an answer that points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tether.ask.citations.phrases import asks_yes_or_no
from tether.ask.pointing.form import response_format

if TYPE_CHECKING:
    from tether.ask.evidence import Citable
    from tether.ask.pointing.numbered import Numbering
    from tether.ask.values import Shown
    from tether.ask.way import Slot
    from tether.runtime.dispatch_context import DispatchContext
    from tether.runtime.pipeline import CallNext


MOST_CHOICES = 500
"""How many numbers a schema has: endpoints refuse longer ones. The best passages come first."""


@dataclass(frozen=True, slots=True)
class HoldToPoints:
    """Leaves the model the schema of the numbers that it is shown, and no others.

    The option lies in the stash, where the model's executor looks for it (`AskModel.stash_key`). An
    executor that looks nowhere is only asked in words.
    """

    numbering: Numbering
    citable: Citable
    shown: Slot[Shown]
    stash_key: str
    code: bool

    async def __call__(self, ctx: DispatchContext, call_next: CallNext) -> None:
        """Request the form, and continue."""
        if self.stash_key:
            ids = {record.id for record in ctx.turn_retrievables}
            evidence = [item for item in self.citable.passages if item.chunk.id in ids]
            choices = list(self.numbering.choices(evidence, code=self.code))[:MOST_CHOICES]
            is_polar = asks_yes_or_no(self.shown.value().resolved)
            form = response_format(choices, yes_or_no=is_polar)
            ctx.stash.set(f"{self.stash_key}.response_format", form)
        await call_next()
