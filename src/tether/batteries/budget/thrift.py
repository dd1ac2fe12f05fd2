"""The last step before a model: what does not fit is left out, and what cannot fit is refused."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal, TypeVar, get_args

from tether.batteries.budget.allocation import default_reserve
from tether.batteries.budget.amounts import whole_number
from tether.batteries.budget.assembly import Assembly
from tether.batteries.budget.ledger import ledger
from tether.batteries.budget.measuring import BYTES, PromptMeter
from tether.batteries.budget.profiles import ModelProfile
from tether.batteries.budget.report import ThriftReport
from tether.batteries.budget.shedding import SheddingPolicy, shed_to_fit
from tether.core.checks import Checks
from tether.core.errors import InvalidBudget, ModelContextOverflow
from tether.core.events import LogEntry
from tether.runtime.dispatch_context import DispatchContext
from tether.trust.loading import load_records
from tether.trust.renderer import Renderer

if TYPE_CHECKING:
    from collections.abc import Callable

    from tether.batteries.budget.shedding import Unit
    from tether.core.media import Media
    from tether.core.memory import Memory
    from tether.core.message import Message
    from tether.core.records import RecordSet
    from tether.core.retrievable import Retrievable
    from tether.core.thought import Thought
    from tether.core.tool_call import ToolCall
    from tether.runtime.context import Context
    from tether.runtime.pipeline import CallNext

R = TypeVar("R", "Memory", "Message", "Retrievable", "Thought", "ToolCall")

OnRefusal = Literal["stop", "report"]
ON_REFUSAL: tuple[OnRefusal, ...] = get_args(OnRefusal)

REPORT_PATH = "tether.thrift"
"""Where the report lies in the stash."""


def carry_all(_media: Media) -> bool:
    """Say that the wire can carry an asset: measured as media, which costs most."""
    return True


class Thrift:
    """A middleware that makes the prompt fit the window of a model, less a reserve for the answer.

    Put it last in the turn's input pipeline, and last in the dispatch's, where tool results grow
    from one iteration to the next. It renders the prompt as the executor will, counts it, and
    removes records from this context's collections in the order of `shedding_order`; storage is
    never touched, so what was left out is back in the next turn. Give it the executor's renderer,
    or one with the same nonces and settings.

    Every run leaves a `ThriftReport` in the stash and a `BudgetLedger` event. Where even the floor
    does not fit, nothing may reach the model: a dispatch is nacked with `ModelContextOverflow`, and
    in a turn's pipeline that error is raised. With `on_refusal="report"` the run goes on, and it is
    the executor's own check that refuses.

    `window` narrows the model's, where tokens cost too much; `reserve` is for the answer. Raises
    `InvalidBudget`.
    """

    __slots__ = (
        "_carries",
        "_on_refusal",
        "_policy",
        "_profile",
        "_renderer",
        "_reserve",
        "_window",
    )

    def __init__(
        self,
        profile: ModelProfile,
        *,
        window: int | None = None,
        reserve: int | None = None,
        renderer: Renderer | None = None,
        carries: Callable[[Media], bool] = carry_all,
        policy: SheddingPolicy | None = None,
        on_refusal: OnRefusal = "stop",
    ) -> None:
        check = Checks()
        check.instance("profile", profile, ModelProfile, "a ModelProfile")
        if window is not None:
            whole_number(check, "window", window)
        if reserve is not None:
            whole_number(check, "reserve", reserve, least=0)
        self._carries = check.function("carries", carries)
        self._on_refusal = check.choice("on_refusal", on_refusal, ON_REFUSAL)
        check.done(InvalidBudget)
        self._profile = profile
        self._window = profile.window if window is None else min(window, profile.window)
        unusable = self._window - profile.max_input
        usual = max(default_reserve(self._window), unusable)
        self._reserve = usual if reserve is None else max(reserve, unusable)
        self._renderer = Renderer() if renderer is None else renderer
        self._policy = SheddingPolicy() if policy is None else policy

    async def __call__(self, ctx: Context, call_next: CallNext) -> None:
        """Make the prompt fit and go on, or stop here."""
        report = await self.apply(ctx)
        if not report.refused or self._on_refusal == "report":
            await call_next()
            return
        error = ModelContextOverflow(
            total=report.after,
            limit=report.limit,
            encoding=report.encoding,
            per_bucket=report.per_bucket,
        )
        if not isinstance(ctx, DispatchContext):
            raise error
        if not ctx.is_signalled:
            ctx.nack(error)

    async def apply(self, ctx: Context) -> ThriftReport:
        """Make the prompt fit as far as it can be, and say what was done."""
        profile, policy = self._profile, self._policy
        meter = PromptMeter(profile.encoding)
        # Bytes are no vocabulary: a handle would not tell the model its size in them.
        encoding = None if profile.encoding == BYTES else profile.encoding
        records = await load_records(ctx, carries=self._carries, encoding=encoding)
        assembly = Assembly(
            records,
            ctx.tools.visible(),
            renderer=self._renderer,
            meter=meter,
            turn_id=ctx.turn_id,
        )
        whole = assembly.left(())
        gone, left = shed_to_fit(
            assembly.units(policy),
            assembly.cost,
            assembly.left,
            whole=whole,
            limit=self._window - self._reserve,
        )
        for unit in gone:
            _leave_out(ctx, unit)
        report = ThriftReport(
            model=profile.name,
            known_model=profile.known,
            encoding=profile.encoding,
            estimated=meter.estimated,
            window=self._window,
            reserve=self._reserve,
            before=sum(whole.values()),
            per_bucket=left,
            question=min(assembly.question(policy), left["timeline"]),
            shed=Counter(unit.kind for unit in gone),
        )
        ctx.stash.set(REPORT_PATH, report)
        ctx.record(ledger(ctx, report))
        self._say_if_unknown(ctx)
        return report

    def _say_if_unknown(self, ctx: Context) -> None:
        if self._profile.known or not isinstance(ctx, DispatchContext) or ctx.iteration > 0:
            return
        text = f"nothing is known about the model {self._profile.name!r}: its window is a guess"
        now = ctx.clock.now()
        entry = LogEntry(ctx.turn_id, ctx.id, 0, "warn", "unknown-model", text, None, now)
        ctx.record(entry)


def _leave_out(ctx: Context, unit: Unit) -> None:
    """Remove a unit from this context, in memory only."""
    records = unit.records
    for memory in records.memories:
        _discard(ctx.turn_memories, memory)
    for retrievable in records.retrievables:
        _discard(ctx.turn_retrievables, retrievable.record)
    for message in records.messages:
        _discard(ctx.turn_messages, message.record)
    for thought in records.thoughts:
        _discard(ctx.turn_thoughts, thought)
    for call in records.calls:
        _discard(ctx.turn_tool_calls, call.record)
    ctx.tools.hide(*(tool.name for tool in unit.tools))


def _discard(collection: RecordSet[R], record: R) -> None:
    """Remove a record, or the one that it was made from where its text depended on the context."""
    held = record in collection
    collection.discard(record if held else next(it for it in collection if it.id == record.id))
