"""A scripted model: the executor for tests, examples and documentation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tether.batteries.models.call_tool import call_tool
from tether.batteries.models.ending import Ending, leave_ending
from tether.core.ids import new_id
from tether.core.message import Message
from tether.core.thought import Thought

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tether.runtime.dispatch_context import DispatchContext
    from tether.runtime.reports import Helpers


class Step:
    """An action of a scripted model: `Say`, `Think` or `Call`."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Say(Step):
    """Say something: shown in chunks, then stored as an assistant message.

    `finish_reason` is a wire's word for the end: `length`, `content_filter`, `closed` and any word
    that is not known mean a reply that was cut.
    """

    text: str
    id: str | None = field(default=None, kw_only=True)
    finish_reason: str = field(default="stop", kw_only=True)


@dataclass(frozen=True, slots=True)
class Think(Step):
    """Reason about something: shown in chunks, then stored as a thought."""

    text: str
    id: str | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class Call(Step):
    """Call a tool: announced, run, reported and stored."""

    tool: str
    args: Mapping[str, Any] = field(default_factory=dict[str, Any])
    id: str | None = field(default=None, kw_only=True)


Script = Sequence[Sequence[Step]]
"""One list of steps per iteration."""


class ScriptedModel:
    """An executor that plays one list of steps in each iteration.

    An iteration that calls tools ends without a signal, so the loop goes on, as with a real model;
    any other one acks. A dispatch that outlives its script is nacked. The same script serves every
    turn; `conversation` gives each turn its own script.
    """

    def __init__(self, script: Script, *, chunk_size: int | None = None) -> None:
        if chunk_size is not None and chunk_size < 1:
            raise ValueError(f"chunk_size must be at least 1, not {chunk_size}")
        self._script = [_checked(steps) for steps in script]
        self._chunk_size = chunk_size

    @classmethod
    def conversation(cls, *scripts: Script, chunk_size: int | None = None) -> Conversation:
        """Return an executor that plays the first script in the first turn, and so on."""
        return Conversation([cls(script, chunk_size=chunk_size) for script in scripts])

    async def __call__(self, ctx: DispatchContext, helpers: Helpers) -> None:
        """Play the steps of the current iteration."""
        if ctx.iteration >= len(self._script):
            ctx.nack(f"the script has {len(self._script)} iterations and is over")
            return
        steps = self._script[ctx.iteration]
        for step in steps:
            ctx.abort_signal.raise_if_aborted()
            await self._play(ctx, helpers, step)
        if not any(isinstance(step, Call) for step in steps) and not ctx.is_signalled:
            ctx.ack()

    async def _play(self, ctx: DispatchContext, helpers: Helpers, step: Say | Think | Call) -> None:
        id = step.id or new_id()
        if isinstance(step, Call):
            await call_tool(ctx, helpers, id=id, name=step.tool, args=step.args)
            return
        text = step.text
        report = helpers.report_message if isinstance(step, Say) else helpers.report_thought
        for chunk, is_last in self._chunks(text):
            report(id, chunk, is_complete=is_last)
        if isinstance(step, Say):
            leave_ending(ctx, Ending.of_reason(step.finish_reason))
        now = ctx.clock.now()
        if text and isinstance(step, Say):
            await ctx.store_message(Message(id=id, role="assistant", content=text, created_at=now))
        elif text:
            await ctx.store_thought(Thought(id=id, content=text, created_at=now))

    def _chunks(self, text: str) -> Iterator[tuple[str, bool]]:
        size = self._chunk_size or max(1, len(text))
        for start in range(0, max(1, len(text)), size):
            yield text[start : start + size], start + size >= len(text)


def _checked(steps: Sequence[Step]) -> list[Say | Think | Call]:
    is_list = isinstance(steps, (list, tuple))
    found = [s for s in steps if isinstance(s, (Say, Think, Call))] if is_list else []
    if not is_list or len(found) < len(steps):
        wanted = "a script is a list of iterations, each a list of Say, Think and Call"
        raise TypeError(f"{wanted}, not {steps!r}")
    return found


class Conversation:
    """Scripted models for successive turns; a turn after the last one is nacked."""

    def __init__(self, models: Sequence[ScriptedModel]) -> None:
        self._models = list(models)
        self._playing: dict[str, ScriptedModel] = {}

    async def __call__(self, ctx: DispatchContext, helpers: Helpers) -> None:
        """Play the script of this turn."""
        if ctx.turn_id not in self._playing:
            if not self._models:
                ctx.nack("the conversation has no script for another turn")
                return
            self._playing[ctx.turn_id] = self._models.pop(0)
        await self._playing[ctx.turn_id](ctx, helpers)
