"""The model of an agent: its executor, its style, and its limits."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from tether.batteries.budget.profiles import ModelProfile
from tether.batteries.models.progress import OnWork
from tether.core.errors import RunError
from tether.runtime.loop import Executor
from tether.trust.compact import compact_steps
from tether.trust.renderer import Renderer

if TYPE_CHECKING:
    from tether.runtime.dispatch_context import DispatchContext
    from tether.runtime.reports import Helpers

Style = Literal["quotes", "links", "points", "tools"]
"""The form of its answers: quotations (extractive, without a prompt); prose with Markdown links;
JSON with the numbers of the units that answer, which code quotes; prose and tool calls."""

Pace = Callable[[str, OnWork], Awaitable[float | None]]
"""Returns the tokens of a prompt that a model reads in a second; reads this text if need be, and
says how far it is."""

RENDERING: Mapping[str, Any] = MappingProxyType(
    {"question_buckets": ("retrievables",), "steps": compact_steps(sources=False)}
)
"""The prompt of an agent, as options of a renderer and of a model's executor: passages are beside
the question and never in a system message, in short tags. They name their sources themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskModel:
    """An executor with everything a turn has to know about it.

    `executor` writes answers and never acks by itself: the gate owns the signal. `helper` does the
    small jobs before the search (rewrite, hypothesis, variants), acks by itself and writes little;
    None without such a model. Both may share an engine: a turn uses one after the other, never
    both at once. `stash_key` is where the executor looks for options of the turn, by default the
    place that its class names ("" where it takes none). `renderer` is the one the executor renders
    with, for counting; both get the settings of `RENDERING`, the executor through the stash. `pace`
    measures how many tokens of a prompt the model reads in a second, by reading the beginning of
    one; None for a model whose speed nobody waits for, or is in its profile.
    """

    name: str
    executor: Executor
    profile: ModelProfile
    style: Style = "links"
    helper: Executor | None = None
    renderer: Renderer = field(default_factory=Renderer)
    stash_key: str = ""
    pace: Pace | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "renderer", self.renderer.replaced(**RENDERING))
        if not self.stash_key:
            object.__setattr__(self, "stash_key", getattr(self.executor, "STASH_KEY", ""))

    async def reading_speed(self, text: str, on_work: OnWork) -> float | None:
        """Return the tokens of a prompt that it reads in a second; None where nobody knows.

        A model that fails here will fail again when it answers, and say why.
        """
        if self.profile.reading_speed is not None or self.pace is None:
            return self.profile.reading_speed
        try:
            return await self.pace(text, on_work)
        except RunError:
            return None

    def prepare(self, ctx: DispatchContext) -> None:
        """Leave the executor its options of the turn that every prompt has."""
        if self.stash_key:
            for name, option in RENDERING.items():
                ctx.stash.set(f"{self.stash_key}.{name}", option)


def abortable(executor: Executor) -> Executor:
    """Return an executor that ends on an abort, even if the given one ignores the signal."""

    async def guarded(ctx: DispatchContext, helpers: Helpers) -> None:
        await ctx.abort_signal.guard(executor(ctx, helpers))

    return guarded
