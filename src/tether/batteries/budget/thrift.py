"""The last step before a model: what does not fit is left out, and what cannot fit is refused."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Literal, get_args

from tether.batteries.budget.allocation import default_reserve
from tether.batteries.budget.amounts import whole_number
from tether.batteries.budget.assembly import Assembly
from tether.batteries.budget.ledger import ledger
from tether.batteries.budget.measuring import PromptMeter
from tether.batteries.budget.media import Rating, carry_nothing
from tether.batteries.budget.originals import Originals
from tether.batteries.budget.profiles import ModelProfile
from tether.batteries.budget.report import ThriftReport
from tether.batteries.budget.shedding import SheddingPolicy
from tether.core.checks import Checks
from tether.core.errors import InvalidBudget, InvalidRegistryPath, ModelContextOverflow
from tether.core.events import LogEntry
from tether.runtime.dispatch_context import DispatchContext
from tether.trust.loading import load_records
from tether.trust.renderer import Renderer

if TYPE_CHECKING:
    from collections.abc import Callable

    from tether.core.media import Media
    from tether.runtime.context import Context
    from tether.runtime.pipeline import CallNext
    from tether.trust.loaded import PromptRecords

OnRefusal = Literal["stop", "report"]
ON_REFUSAL: tuple[OnRefusal, ...] = get_args(OnRefusal)

REPORT_PATH = "tether.thrift"
"""Where the report lies in the stash."""


class Thrift:
    """A middleware that makes the prompt fit the window of a model, less a reserve for the answer.

    Put it last in the dispatch's input pipeline, where tool results grow from one iteration to the
    next and texts that depend on the context are made as the executor will make them. In the turn's
    it can stand too, to fail early. It renders the prompt as the executor will, counts it, and
    removes records from this context's collections in the order of `shedding_order`; storage is
    never touched, so what was left out is back in the next turn. Give it a renderer with the
    settings of the executor and the same `Nonces` object: other nonces may cost a few tokens more
    or less, and without fixed ones no two runs count alike.

    Media are never read to be counted. `carries` says what the wire takes as it is; where it is
    None, an asset counts as bytes or as the text that stands for it, whichever is dearer.

    Every run leaves a `ThriftReport` in the stash and a `BudgetLedger` event. Where even the floor
    does not fit, nothing may reach the model: a dispatch is nacked with `ModelContextOverflow`, and
    in a turn's pipeline that error is raised. With `on_refusal="report"` the run goes on with a
    warning in the log, and only an executor that counts for itself (`token_encoding`) refuses.

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
        carries: Callable[[Media], bool] | None = None,
        policy: SheddingPolicy | None = None,
        on_refusal: OnRefusal = "stop",
    ) -> None:
        check = Checks()
        check.instance("profile", profile, ModelProfile, "a ModelProfile")
        if window is not None:
            whole_number(check, "window", window)
        if reserve is not None:
            whole_number(check, "reserve", reserve, least=0)
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
        """Make the prompt fit as far as it can be, and say what was done."""
        profile, limit = self._profile, self._window - self._reserve
        meter = PromptMeter(profile.encoding, enough=max(limit, 0))
        loaded = await load_records(ctx, carries=carry_nothing, encoding=profile.encoding)
        originals = Originals(ctx, loaded)

        def cost(records: PromptRecords) -> int:
            return sum(meter.measure(self._renderer.render(records, turn_id=ctx.turn_id)).values())

        assembly = Assembly(
            Rating(self._carries, cost).rated(loaded),
            ctx.tools.visible(),
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
        with suppress(InvalidRegistryPath):  # somebody keeps a plain value where ours would lie
            ctx.stash.set(REPORT_PATH, report)
        ctx.record(ledger(ctx, report))
        if isinstance(ctx, DispatchContext):
            self._warn(ctx, report)
        return report

    def _warn(self, ctx: DispatchContext, report: ThriftReport) -> None:
        """Log what somebody should see. A turn has no log: there the ledger says it."""
        name = self._profile.name
        if not report.known_model and ctx.iteration == 0:
            text = f"nothing is known about the model {name!r}: its window is a guess"
            _log(ctx, "unknown-model", text)
        if report.refused and self._on_refusal == "report":
            over = f"the prompt has {report.after} tokens, and {report.limit} are allowed"
            _log(ctx, "prompt-does-not-fit", f"{over}: it goes on to the executor all the same")


def _log(ctx: DispatchContext, kind: str, text: str) -> None:
    now = ctx.clock.now()
    ctx.record(LogEntry(ctx.turn_id, ctx.id, ctx.iteration, "warn", kind, text, None, now))
