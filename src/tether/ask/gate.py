"""The citation gate: it reads a whole answer before anybody does, and owns the signal."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tether.ask.citations.draft import Draft
from tether.ask.citations.review import Review, ReviewRules, review
from tether.ask.evidence import Citable
from tether.ask.refusal import is_decline
from tether.ask.reporter import Reporter
from tether.ask.values import Accepted, Outcome, Refusal, Shown
from tether.ask.way import Slot
from tether.core.message import Message
from tether.core.tokenizable import Tokenizable
from tether.runtime.dispatch_context import DispatchContext
from tether.runtime.pipeline import CallNext
from tether.runtime.storage import StorageCallbacks

if TYPE_CHECKING:
    from tether.core.thought import Thought
    from tether.core.tool_call import ToolCall
    from tether.runtime.context import Context


class Buffer:
    """Takes the place of the store while the gate has not decided.

    Messages are held here; thoughts and tool calls belong to attempts and go with them. So a
    rejected attempt leaves no trace, and an accepted one is stored by `Persist`.
    """

    __slots__ = ("messages",)

    def __init__(self) -> None:
        self.messages: dict[str, Message] = {}

    def callbacks(self) -> StorageCallbacks:
        """Return the operations that replace those of the store."""
        return StorageCallbacks(
            store_message=self._hold,
            mutate_message=self._hold,
            delete_message=self._let_go,
            store_thought=_no_thought,
            mutate_thought=_no_thought,
            delete_thought=_no_deletion,
            store_tool_call=_no_call,
            mutate_tool_call=_no_call,
            delete_tool_call=_no_deletion,
        )

    async def _hold(self, ctx: Context, message: Message) -> None:
        self.messages[message.id] = message

    async def _let_go(self, ctx: Context, id: str) -> None:
        self.messages.pop(id, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRules:
    """How an answer is checked, how often it may be written again, how many tool rounds count."""

    review: ReviewRules
    retries: int
    rounds: int


@dataclass(slots=True, kw_only=True, eq=False)
class CitationGate:
    """Lets an answer stand, requests another one, or ends the turn without one.

    A failed attempt is deleted from the live turn, its fault is named after the live question, and
    the loop goes on with the same passages. Neither is ever stored. All failures share the budget
    of retries; the last attempt ends as its repaired draft or as a refusal. An iteration that
    called tools does not count as an attempt while rounds are left. Make one for each turn.
    """

    rules: GateRules
    shown: Slot[Shown]
    prompt: Slot[str]
    outcome: Slot[Outcome]
    citable: Citable
    buffer: Buffer
    reporter: Reporter
    _seen: set[str] = field(init=False, default_factory=set[str])
    _calls: set[str] = field(init=False, default_factory=set[str])
    _rounds: int = field(init=False, default=0)

    async def __call__(self, ctx: DispatchContext, call_next: CallNext) -> None:
        """Judge the messages of this iteration."""
        said = self._said(ctx)
        calls = self._called(ctx)
        if self._looked_up(calls):
            self._report_round(said)
        else:
            await self._judge(ctx, said, calls)
        await call_next()

    def _said(self, ctx: DispatchContext) -> list[Message]:
        """Return the model's messages of this iteration."""
        new = [
            message
            for message in ctx.turn_messages
            if message.role == "assistant"
            and message.id in self.buffer.messages
            and message.id not in self._seen
        ]
        self._seen |= {message.id for message in new}
        return new

    def _called(self, ctx: DispatchContext) -> set[str]:
        """Return the tool calls of this iteration, by id: earlier ones may have been shed."""
        new = {call.id for call in ctx.turn_tool_calls} - self._calls
        self._calls |= new
        return new

    def _looked_up(self, calls: Collection[str]) -> bool:
        """Say whether this iteration was a round of tool calls, of which there are only so many."""
        self._rounds += bool(calls)
        return bool(calls) and self._rounds <= self.rules.rounds

    def _report_round(self, said: Sequence[Message]) -> None:
        if said:
            self.reporter.retract_next("it was said on the way to a tool")
        label = f"round {self._rounds} of tool calls"
        self.reporter.step("tool", "done", label, round=self._rounds)

    async def _judge(
        self, ctx: DispatchContext, said: Sequence[Message], calls: Collection[str]
    ) -> None:
        attempt = self.reporter.attempt()
        text = "\n\n".join(str(it.content) for it in said if it.content is not None)
        if is_decline(text):
            self._refuse(ctx, "the model finds no answer in the passages")
            return
        shown = self.shown.value()
        work = asyncio.to_thread(
            review, text, self.citable.passages, shown.resolved, self.rules.review
        )
        found = await ctx.abort_signal.guard(work)
        self._report(attempt, found)
        if found.passed:
            self._accept(ctx, found.draft)
        elif attempt <= self.rules.retries:
            self.reporter.retract(_kinds(found))
            await self._take_back(ctx, said, calls)
            directed = Tokenizable(f"{shown.message.content}\n\n{found.directive}")
            await ctx.mutate_message(replace(shown.message, content=directed))
        elif found.repaired is None:
            self._refuse(ctx, _kinds(found))
        else:
            self.reporter.retract(_kinds(found))
            self._accept(ctx, found.repaired, found.notes)

    async def _take_back(
        self, ctx: DispatchContext, said: Sequence[Message], calls: Collection[str]
    ) -> None:
        """Delete the attempt with its thoughts and calls; the next may use its ids again."""
        for message in said:
            await ctx.delete_message(message.id)
            self._seen.discard(message.id)
        for thought in ctx.turn_thoughts:
            await ctx.delete_thought(thought.id)
        for call in calls:
            await ctx.delete_tool_call(call)

    def _accept(self, ctx: DispatchContext, draft: Draft, notes: tuple[str, ...] = ()) -> None:
        self.outcome.put(
            Accepted(
                draft=draft,
                passages=self.citable.passages,
                notes=notes,
                prompt=self.prompt.value(),
            )
        )
        ctx.ack()

    def _refuse(self, ctx: DispatchContext, reason: str) -> None:
        self.reporter.retract(reason)
        self.outcome.put(
            Refusal(
                reason="not-supported",
                nearest=self.shown.value().nearest,
                passages=self.citable.passages,
                prompt=self.prompt.value(),
            )
        )
        ctx.ack()

    def _report(self, attempt: int, found: Review) -> None:
        self.reporter.step(
            "verify",
            "done" if found.passed else "failed",
            "it holds up" if found.passed else _kinds(found),
            attempt=attempt,
            passed=found.passed,
            failures=[{"kind": it.kind, "message": it.message} for it in found.failures],
            citations=len(found.draft.citations),
        )


def _kinds(found: Review) -> str:
    return ", ".join(dict.fromkeys(failure.kind for failure in found.failures))


async def _no_thought(_ctx: Context, thought: Thought) -> None: ...


async def _no_call(_ctx: Context, tool_call: ToolCall) -> None: ...


async def _no_deletion(_ctx: Context, id: str) -> None: ...
