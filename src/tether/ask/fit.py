"""The stages that make the prompt fit: passages that were left out cannot be cited."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import cast

from tether.ask.evidence import Citable
from tether.ask.gather import NOTHING_FITS
from tether.ask.reporter import Reporter
from tether.ask.values import Material, Refusal, Shown
from tether.batteries.budget.thrift import REPORT_PATH, Thrift, ThriftReport
from tether.runtime.context import Context
from tether.runtime.dispatch_context import DispatchContext
from tether.runtime.pipeline import CallNext
from tether.runtime.turn_context import TurnContext


@dataclass(frozen=True, slots=True)
class Fit:
    """Makes the prompt of the turn fit with `Thrift`, before any model sees it.

    Refuses where every passage was left out. Raises `ModelContextOverflow` where even the rest of
    the prompt does not fit.
    """

    thrift: Thrift
    citable: Citable
    reporter: Reporter

    async def __call__(self, material: Material, ctx: TurnContext) -> Shown | Refusal:
        """Return the prompt that is left."""
        before = _passages(ctx)
        await self.thrift(ctx, _nothing)
        gone = before - _passages(ctx)
        self.citable.drop(gone)
        _report(self.reporter, ctx, gone)
        found = material.gathered.found
        if not self.citable.passages:
            return Refusal(reason="not-supported", nearest=found.nearest, notes=(NOTHING_FITS,))
        prepared = found.prepared
        return Shown(
            resolved=prepared.resolved,
            message=prepared.message,
            nearest=found.nearest,
            in_doubt=found.in_doubt,
            others=material.gathered.others,
        )


@dataclass(frozen=True, slots=True)
class Refit:
    """Makes the prompt of each attempt fit: the form of the answer and tool results take room too.

    A passage that gives way to tool results later in the turn was shown before, and may still be
    cited. Where the prompt cannot fit, the dispatch is nacked with `ModelContextOverflow`.
    """

    thrift: Thrift
    citable: Citable
    reporter: Reporter

    async def __call__(self, ctx: DispatchContext, call_next: CallNext) -> None:
        """Continue with the prompt that is left."""
        before = _passages(ctx)

        async def go_on() -> None:
            gone = before - _passages(ctx)
            if not ctx.iteration:
                self.citable.drop(gone)
            _report(self.reporter, ctx, gone)
            await call_next()

        await self.thrift(ctx, go_on)


async def _nothing() -> None: ...


def _passages(ctx: Context) -> set[str]:
    return {record.id for record in ctx.turn_retrievables}


def _report(reporter: Reporter, ctx: Context, gone: Collection[str]) -> None:
    report = cast("ThriftReport", ctx.stash.get(REPORT_PATH))
    if not report.anything_shed:
        return
    shed = {kind: count for kind, count in report.shed.items() if count}
    reporter.step(
        "shed",
        "done",
        "left out to fit: " + ", ".join(f"{n} {kind}" for kind, n in shed.items()),
        before=report.before,
        after=report.after,
        limit=report.limit,
        shed=shed,
        passages=sorted(gone),
    )
