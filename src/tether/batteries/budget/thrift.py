"""Thrift, the last step before a model: it sheds until the prompt fits, or refuses it."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from tether.batteries.budget.allocation import default_reserve
from tether.batteries.budget.assembly import Assembly, Originals
from tether.batteries.budget.errors import InvalidBudget, ModelContextOverflow
from tether.batteries.budget.meter import PromptMeter, Rating, carry_nothing
from tether.batteries.budget.policy import SheddingPolicy
from tether.batteries.budget.profiles import ModelProfile
from tether.core.checks import Checks
from tether.core.errors import InvalidRegistryPath
from tether.core.events import BudgetLedger, LogEntry
from tether.runtime.dispatch_context import DispatchContext
from tether.runtime.forge import offered_tools
from tether.trust.loader import load_records
from tether.trust.renderer import Renderer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tether.batteries.budget.policy import ShedKind
    from tether.core.media import Media
    from tether.runtime.context import Context
    from tether.runtime.pipeline import CallNext
    from tether.trust.records import PromptRecords

OnRefusal = Literal["stop", "report"]
ON_REFUSAL: tuple[OnRefusal, ...] = get_args(OnRefusal)
REPORT_PATH = "tether.thrift"
"""The place of the report in the stash."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThriftReport:
    """One assembly: tokens before and after, and the units that were shed, counted by kind.

    A turn that was shed counts once, however many messages it had. `per_bucket` are the remaining
    tokens by the buckets of a prompt; `question` are the tokens of the newest question in the
    timeline. A text that alone exceeds the limit is not counted to its end: then `before`, and
    `after` if it stays, are minimums.
    """

    model: str
    known_model: bool
    """False if the model is unknown and its window a guess."""

    encoding: str
    estimated: bool
    """Whether the remaining tokens were not counted exactly."""

    window: int
    reserve: int
    before: int
    per_bucket: Mapping[str, int]
    question: int
    shed: Mapping[ShedKind, int]

    @property
    def after(self) -> int:
        """The tokens of the remaining prompt."""
        return sum(self.per_bucket.values())

    @property
    def limit(self) -> int:
        """The tokens for the prompt; negative if the window is smaller than the reserve."""
        return self.window - self.reserve

    @property
    def refused(self) -> bool:
        """Whether the prompt does not fit, with everything shed that may be shed."""
        return self.after > self.limit

    @property
    def anything_shed(self) -> bool:
        """Whether anything was shed."""
        return any(self.shed.values())


class Thrift:
    """A middleware that makes the prompt fit the window of a model, less a reserve for the answer.

    Put it last in the dispatch's input pipeline, where tool results grow from one iteration to the
    next and texts that depend on the context are final. It may also be in the turn's pipeline, to
    fail early. It renders the prompt as the executor will, counts it, and removes records from this
    context's collections in the order of `shedding_order`; storage is never touched, so the records
    are back in the next turn. Give it a renderer with the settings of the executor and the same
    `Nonces` object: other nonces may cost a few tokens more or less, and without fixed ones no two
    runs give the same count.

    Media are never read to be counted. `carries` says which assets the wire takes; without it, an
    asset counts as bytes or as the text that replaces it, whichever is more.

    Every run leaves a `ThriftReport` in the stash and a `BudgetLedger` event. If even the parts
    that are never shed do not fit, nothing may reach the model: a dispatch is nacked with
    `ModelContextOverflow`, and in a turn's pipeline that error is raised. With
    `on_refusal="report"` the run goes on with a warning in the log, and only an executor that
    counts by itself (`token_encoding`) refuses.

    `window` narrows the model's, to save tokens; `reserve` is for the answer. Raises
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
        carries: Callable[[Media], bool] | None = None,
        policy: SheddingPolicy | None = None,
        on_refusal: OnRefusal = "stop",
    ) -> None:
        check = Checks()
        check.instance("profile", profile, ModelProfile, "a ModelProfile")
        if window is not None:
            check.whole_number("window", window)
        if reserve is not None:
            check.whole_number("reserve", reserve, least=0)
        self._carries = None if carries is None else check.function("carries", carries)
        self._on_refusal = check.choice("on_refusal", on_refusal, ON_REFUSAL)
        check.done(InvalidBudget)
        self._profile = profile
        self._window = profile.window if window is None else min(window, profile.window)
        unusable = self._window - profile.max_input
        usual = max(default_reserve(self._window, profile.max_output), unusable)
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
        """Make the prompt fit as far as possible, and return the report."""
        profile, limit = self._profile, self._window - self._reserve
        meter = PromptMeter(profile.encoding, enough=max(limit, 0))
        loaded = await load_records(ctx, carries=carry_nothing, encoding=profile.encoding)
        originals = Originals(ctx, loaded)

        def cost(records: PromptRecords) -> int:
            return sum(meter.measure(self._renderer.render(records, turn_id=ctx.turn_id)).values())

        assembly = Assembly(
            Rating(self._carries, cost).rated(loaded),
            offered_tools(ctx),
            renderer=self._renderer,
            meter=meter,
            policy=self._policy,
            turn_id=ctx.turn_id,
        )
        whole, gone, left = await assembly.fit(limit)
        for unit in gone:
            originals.leave_out(unit)
        report = ThriftReport(
            model=profile.name,
            known_model=profile.known,
            encoding=profile.encoding,
            estimated=meter.estimated or (meter.is_cut_short and sum(left.values()) > limit),
            window=self._window,
            reserve=self._reserve,
            before=sum(whole.values()),
            per_bucket=left,
            question=min(assembly.question(), left["timeline"]),
            shed=Counter(unit.kind for unit in gone),
        )
        with suppress(InvalidRegistryPath):  # another value blocks the path
            ctx.stash.set(REPORT_PATH, report)
        ctx.record(ledger(ctx, report))
        if isinstance(ctx, DispatchContext):
            self._warn(ctx, report)
        return report

    def _warn(self, ctx: DispatchContext, report: ThriftReport) -> None:
        """Log warnings. A turn has no log: there the ledger reports them."""
        name = self._profile.name
        if not report.known_model and ctx.iteration == 0:
            text = f"the model {name!r} is unknown: its window is a guess"
            _log(ctx, "unknown-model", text)
        if report.refused and self._on_refusal == "report":
            over = f"the prompt has {report.after} tokens, and {report.limit} are allowed"
            _log(ctx, "prompt-does-not-fit", f"{over}: it goes to the executor anyway")


def _log(ctx: DispatchContext, kind: str, text: str) -> None:
    now = ctx.clock.now()
    ctx.record(LogEntry(ctx.turn_id, ctx.id, ctx.iteration, "warn", kind, text, None, now))


def ledger(ctx: Context, report: ThriftReport) -> BudgetLedger:
    """Return the ledger of an assembly. Its eight shares always sum to the window.

    The share of the system includes the standing instructions; that of the history is the timeline
    without the newest question.
    """
    tokens = report.per_bucket
    dispatch = ctx if isinstance(ctx, DispatchContext) else None
    return BudgetLedger(
        turn_id=ctx.turn_id,
        dispatch_id=None if dispatch is None else dispatch.id,
        iteration=None if dispatch is None else dispatch.iteration,
        model=report.model,
        known_model=report.known_model,
        encoding=report.encoding,
        estimated=report.estimated,
        window=report.window,
        system=tokens["system_prompt"] + tokens["standing_instructions"],
        tools=tokens["tools"],
        history=tokens["timeline"] - report.question,
        memories=tokens["memories"],
        evidence=tokens["retrievables"],
        question=report.question,
        reserved_output=report.reserve,
        free=report.limit - report.after,
        shed={kind: count for kind, count in report.shed.items() if count},
        refused=report.refused,
        emitted_at=ctx.clock.now(),
    )
