"""The citation gate: it reads a whole answer before anybody does, and owns the signal."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from tether.ask.citations.address import (
    LEAST_CONTRADICTING,
    LEAST_IN_DOUBT,
    InsistentAddress,
)
from tether.ask.citations.draft import Draft
from tether.ask.citations.judgement import Judged, after_question
from tether.ask.citations.review import Review, ReviewRules, examine
from tether.ask.evidence import Citable, Evidence
from tether.ask.quoting.quotation import quote
from tether.ask.reporter import Reporter
from tether.ask.values import Accepted, Outcome, Refusal, Shown
from tether.ask.verification.port import Claim
from tether.ask.verification.second import SecondOpinion
from tether.ask.way import Slot
from tether.batteries.models.ending import ending_of
from tether.core.message import Message
from tether.core.tiers import TrustTier
from tether.core.tokenizable import Tokenizable
from tether.runtime.abort import AbortSignal
from tether.runtime.dispatch_context import DispatchContext
from tether.runtime.pipeline import CallNext
from tether.runtime.storage import StorageCallbacks

if TYPE_CHECKING:
    from tether.core.thought import Thought
    from tether.core.tool_call import ToolCall
    from tether.runtime.context import Context


QUOTED_INSTEAD = "the model's answer did not stand: this is quoted from the documents instead"
CONTRADICTED = "the model found no answer: this is quoted from the documents"
DOUBTED = "the model itself does not find this in its quote"


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


class Attempt(Protocol):
    """A model's text, read: what it states, or that it declines."""

    @property
    def judged(self) -> Sequence[Judged]:
        """The statements, each with its standing."""
        ...

    @property
    def is_declined(self) -> bool:
        """Whether it says that there is no answer, and nothing that stands."""
        ...

    def doubting(self, places: Collection[int], fault: str, /) -> Attempt:
        """Return the same attempt where the statements at these places do not stand."""
        ...

    def review(self) -> Review:
        """Return the result; blocks."""
        ...


class Reader(Protocol):
    """Reads a model's text in the form that it was asked for. Blocks while a verifier reads."""

    def __call__(
        self,
        text: str,
        evidence: Sequence[Evidence],
        question: str,
        rules: ReviewRules,
        /,
        *,
        is_cut: bool,
    ) -> Attempt:
        """Return what it states or that it declines; a text that `is_cut` is a fragment."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRules:
    """How an answer is checked, how often it may be written again, how many tool rounds count."""

    review: ReviewRules
    retries: int
    rounds: int
    read: Reader = examine
    """How a text is read: as prose, unless the model is held to another form."""
    quotes: bool = True
    """Whether quotation answers where the model fails."""
    contradicts: bool = False
    """Whether quotation may answer where the model finds no answer: a small one misses many."""
    tier: TrustTier = "first-party"
    """The authority of the documents, for passages that join the citable ones."""
    second: SecondOpinion | None = None
    """Who is asked about each statement that the verifier let stand."""


@dataclass(slots=True, kw_only=True, eq=False)
class CitationGate:
    """Lets an answer stand, requests another one, or ends the turn without one.

    A failed attempt is deleted from the live turn, its fault is named after the live question, and
    the loop goes on with the same passages. Neither is ever stored. All failures share the budget
    of retries, and none is spent on a prompt or an answer that was there before. The last attempt
    ends as its repaired draft, as quotation, or as a refusal. An iteration that called tools does
    not count as an attempt while rounds are left. Make one for each turn.
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
    _tried: set[str] = field(init=False, default_factory=set[str])

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
        ending = ending_of(ctx)
        work = asyncio.to_thread(self._read, text, is_cut=ending.is_cut)
        read = await ctx.abort_signal.guard(work)
        if read.is_declined:
            self.reporter.retract("the model finds no answer in the passages")
            await self._decline(ctx)
            return
        found = await self._reviewed(read, ctx.abort_signal)
        self._report(attempt, found, ending.reason if ending.is_cut else "")
        if found.passed:
            self._accept(ctx, found.draft, found.notes)
        elif attempt <= self.rules.retries and self._is_new(text, found.directive):
            self.reporter.retract(_kinds(found))
            await self._take_back(ctx, said, calls)
            await self._direct(ctx, found.directive)
        else:
            await self._conclude(ctx, found)

    async def _decline(self, ctx: DispatchContext) -> None:
        """End without an answer, unless a small model missed one that quotation has for sure."""
        quoted = None
        if self.rules.contradicts:
            quoted = await ctx.abort_signal.guard(asyncio.to_thread(self._quoted, is_sure=True))
        if quoted is None:
            self._refuse(ctx)
        else:
            self._accept(ctx, quoted, (CONTRADICTED,))

    async def _direct(self, ctx: DispatchContext, directive: str) -> None:
        """Name what was wrong after the live question."""
        message = self.shown.value().message
        directed = Tokenizable(f"{message.content}\n\n{directive}")
        await ctx.mutate_message(replace(message, content=directed))

    def _read(self, text: str, *, is_cut: bool) -> Attempt:
        passages, question = self.citable.passages, self.shown.value().resolved
        return self.rules.read(text, passages, question, self._rules(), is_cut=is_cut)

    def _rules(self) -> ReviewRules:
        """Return the rules of the review; a question that the floor doubts has a stricter check."""
        rules = self.rules.review
        if not self.shown.value().in_doubt:
            return rules
        return replace(rules, address=InsistentAddress(rules.address, LEAST_IN_DOUBT))

    async def _reviewed(self, read: Attempt, signal: AbortSignal) -> Review:
        doubted = await self._doubted(read, signal)
        return await signal.guard(asyncio.to_thread(doubted.review))

    async def _doubted(self, examined: Attempt, signal: AbortSignal) -> Attempt:
        """Return an answer without the model's own statements that the second opinion doubts."""
        own = [at for at, one in enumerate(examined.judged) if one.standing == "supported"]
        if self.rules.second is None or not own:
            return examined
        claims = [self._claim(examined.judged[at]) for at in own]
        replies = await self.rules.second.replies(claims, abort_signal=signal)
        doubted = [at for at, reply in zip(own, replies, strict=True) if reply != "yes"]
        self.reporter.step(
            "opinion",
            "done",
            f"{len(own) - len(doubted)} of {len(own)} statements confirmed",
            statements=[
                {"text": claim.statement, "quote": claim.premise, "reply": reply}
                for claim, reply in zip(claims, replies, strict=True)
            ],
        )
        return examined.doubting(doubted, DOUBTED)

    def _claim(self, one: Judged) -> Claim:
        premise = "" if one.window is None else one.window.premise
        return Claim(after_question(one.text, self.shown.value().resolved), premise)

    def _is_new(self, text: str, directive: str) -> bool:
        """Say whether neither an answer nor what would be asked for next was there before."""
        new = {" ".join(text.split()), directive}
        is_new = not new & self._tried
        self._tried |= new
        return is_new

    async def _conclude(self, ctx: DispatchContext, found: Review) -> None:
        """End with what is left of the last attempt, with quotation, or without an answer."""
        self.reporter.retract(_kinds(found))
        if found.repaired is not None:
            self._accept(ctx, found.repaired, found.notes)
            return
        quoted = None
        if self.rules.quotes:
            work = asyncio.to_thread(self._quoted)
            quoted = await ctx.abort_signal.guard(work)
        if quoted is None:
            self._refuse(ctx, found.warnings)
        else:
            self._accept(ctx, quoted, (*found.notes, QUOTED_INSTEAD))

    def _quoted(self, *, is_sure: bool = False) -> Draft | None:
        """Return the answer by quotation; None where nothing that was found answers.

        With `is_sure`, the judge has to be sure. Passages that the prompt had no room for may be
        cited from now on.
        """
        shown, rules = self.shown.value(), self._rules()
        if is_sure:
            rules = replace(rules, address=InsistentAddress(rules.address, LEAST_CONTRADICTING))
        self.citable.add(shown.others, self.rules.tier)
        rules = replace(rules, verifier=None, code=True)
        return quote(self.citable.passages, shown.resolved, rules).review().repaired

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

    def _refuse(self, ctx: DispatchContext, notes: tuple[str, ...] = ()) -> None:
        self.outcome.put(
            Refusal(
                reason="not-supported",
                nearest=self.shown.value().nearest,
                passages=self.citable.passages,
                notes=notes,
                prompt=self.prompt.value(),
            )
        )
        ctx.ack()

    def _report(self, attempt: int, found: Review, cut: str) -> None:
        label = "it holds up" if found.passed else _kinds(found)
        self.reporter.step(
            "verify",
            "done" if found.passed else "failed",
            f"{label}; the verifier failed" if found.problem else label,
            attempt=attempt,
            passed=found.passed,
            failures=[{"kind": it.kind, "message": it.message} for it in found.failures],
            citations=len(found.draft.citations),
            statements=[_verdict(one) for one in found.judged],
            cut=cut,
            problem=found.problem,
        )


def _verdict(one: Judged) -> dict[str, Any]:
    """Return a statement's verdict for traces and receipts."""
    return {
        "text": one.text,
        "words": "document" if one.standing == "verbatim" else "model",
        "standing": one.standing,
        "probability": round(one.probability, 4),
        "fault": one.fault,
        "quote": "" if one.window is None else one.window.reading,
    }


def _kinds(found: Review) -> str:
    return ", ".join(dict.fromkeys(failure.kind for failure in found.failures))


async def _no_thought(_ctx: Context, thought: Thought) -> None: ...


async def _no_call(_ctx: Context, tool_call: ToolCall) -> None: ...


async def _no_deletion(_ctx: Context, id: str) -> None: ...
