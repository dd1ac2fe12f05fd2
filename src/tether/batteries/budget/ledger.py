"""The event that says where the tokens of a window go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tether.core.events import BudgetLedger
from tether.runtime.dispatch_context import DispatchContext

if TYPE_CHECKING:
    from tether.batteries.budget.report import ThriftReport
    from tether.runtime.context import Context


def ledger(ctx: Context, report: ThriftReport) -> BudgetLedger:
    """Return the ledger of an assembly. Its eight shares sum to the window, whatever happened.

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
