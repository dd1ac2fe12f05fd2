"""The citation gate: it reads a whole answer before anybody does, and owns the signal."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence

from tether.ask.citations.review import Review, ReviewRules, review
from tether.ask.hydrating import question_message
from tether.ask.refusal import is_decline
from tether.ask.turn import AskTurn
from tether.core.message import Message
from tether.runtime.dispatch_context import DispatchContext
from tether.runtime.pipeline import CallNext


class CitationGate:
    """Lets an answer stand, asks for another one, or ends the turn without one.

    A failed attempt is deleted from the live turn, what was wrong with it is said behind the live
    question, and the loop goes on against the same passages. Neither is ever stored. All failures
    share the budget of `AskTurn.retries`; what is left of the last attempt is its repaired draft,
    or a refusal. An iteration that called tools is no attempt, as long as rounds are left.
    """

    def __init__(self, turn: AskTurn, rules: ReviewRules) -> None:
        self._turn = turn
        self._rules = rules
        self._seen: set[str] = set()
        self._calls: set[str] = set()
        self._rounds = 0

    async def __call__(self, ctx: DispatchContext, call_next: CallNext) -> None:
        """Judge what this iteration said."""
        said = self._said(ctx)
        calls = self._called(ctx)
        if self._looked_up(calls):
            self._tell_round(said)
        else:
            await self._judge(ctx, said, calls)
        await call_next()

    def _said(self, ctx: DispatchContext) -> list[Message]:
        """Return the model's messages of this iteration."""
        new = [
            message
            for message in ctx.turn_messages
            if message.role == "assistant"
            and message.id in self._turn.held
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
        """Say whether this iteration called tools and may have; a model may call for ever."""
        self._rounds += bool(calls)
        return bool(calls) and self._rounds <= self._turn.settings.rounds

    def _tell_round(self, said: Sequence[Message]) -> None:
        turn = self._turn
        if said:
            turn.retract_next("it was said on the way to a tool")
        turn.tell("tool", "done", f"round {self._rounds} of tool calls", round=self._rounds)

    async def _judge(
        self, ctx: DispatchContext, said: Sequence[Message], calls: Collection[str]
    ) -> None:
        turn = self._turn
        turn.attempts += 1
        text = "\n\n".join(str(it.content) for it in said if it.content is not None)
        turn.tell("generate", "done", f"attempt {turn.attempts}", attempt=turn.attempts)
        if is_decline(text):
            self._refuse(ctx, "the model finds no answer in the passages")
            return
        evidence = tuple(turn.evidence)
        work = asyncio.to_thread(review, text, evidence, turn.resolved, self._rules)
        found = await ctx.abort_signal.guard(work)
        turn.reviews.append(found)
        self._tell(found)
        if found.passed:
            turn.draft = found.draft
            ctx.ack()
        elif turn.attempts <= turn.retries:
            turn.retract(_kinds(found))
            await self._take_back(ctx, said, calls)
            await ctx.mutate_message(question_message(turn, found.directive))
        else:
            self._exhausted(ctx, found)

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

    def _exhausted(self, ctx: DispatchContext, found: Review) -> None:
        """Let what can be saved of the last attempt stand, and say what is missing from it."""
        turn = self._turn
        if found.repaired is None:
            self._refuse(ctx, _kinds(found))
            return
        turn.retract(_kinds(found))
        turn.draft, turn.notes = found.repaired, found.notes
        ctx.ack()

    def _refuse(self, ctx: DispatchContext, reason: str) -> None:
        self._turn.retract(reason)
        self._turn.refuse("not-supported")
        ctx.ack()

    def _tell(self, found: Review) -> None:
        turn = self._turn
        label = "it holds up" if found.passed else _kinds(found)
        turn.tell(
            "verify",
            "done" if found.passed else "failed",
            label,
            attempt=turn.attempts,
            passed=found.passed,
            failures=[{"kind": it.kind, "message": it.message} for it in found.failures],
            citations=len(found.draft.citations),
        )


def _kinds(found: Review) -> str:
    return ", ".join(dict.fromkeys(failure.kind for failure in found.failures))
