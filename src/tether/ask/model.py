"""The model of an agent: its executor, its style, and its limits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from tether.batteries.budget.profiles import ModelProfile
from tether.runtime.loop import Executor
from tether.trust.renderer import Renderer

if TYPE_CHECKING:
    from tether.runtime.dispatch_context import DispatchContext
    from tether.runtime.reports import Helpers

Style = Literal["quotes", "links", "claims", "tools"]
"""The form of its answers: quotations (extractive, without a prompt); prose with Markdown links;
JSON claims with sources from a list, from which code writes the links; prose and tool calls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskModel:
    """An executor with everything a turn has to know about it.

    `executor` writes answers and never acks by itself: the gate owns the signal. `helper` does the
    small jobs before the search (rewrite, hypothesis, variants), acks by itself and writes little;
    None without such a model. Both may share an engine: a turn uses one after the other, never
    both at once. `renderer` is the one the executor renders with, for counting. `stash_key` is
    where the executor looks for options of the turn ("" where it takes none).
    """

    name: str
    executor: Executor
    profile: ModelProfile
    style: Style = "links"
    helper: Executor | None = None
    renderer: Renderer = field(default_factory=Renderer)
    stash_key: str = ""


def abortable(executor: Executor) -> Executor:
    """Return an executor that ends on an abort, even if the given one ignores the signal."""

    async def guarded(ctx: DispatchContext, helpers: Helpers) -> None:
        await ctx.abort_signal.guard(executor(ctx, helpers))

    return guarded
