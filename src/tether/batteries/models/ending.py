"""How a reply ended: left by the executor of an iteration for whoever judges its message."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from tether.runtime.dispatch_context import DispatchContext

ENDING_PATH = "tether.ending"
"""The place of the ending in the stash."""

CLOSED = "closed"
"""The reason of a reply that broke off without one: the connection ended before the reply did."""

OWN_ENDS = frozenset(
    {"stop", "tool_calls", "function_call", "completed", "end_turn", "stop_sequence", "tool_use"}
)
"""The words of all wires for a model that ended by itself. There are many for limits, filters,
pauses and failures, so any other word counts as one of those."""

EndKind = Literal["whole", "limit", "filter", "closed", "other"]
"""Why a reply ended, in one vocabulary for all wires. All but `whole` are cuts."""

_KINDS: dict[str, EndKind] = {
    "length": "limit",
    "max_tokens": "limit",
    "max_output_tokens": "limit",
    "model_context_window_exceeded": "limit",
    "content_filter": "filter",
    "refusal": "filter",
    CLOSED: "closed",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """The end of a reply. A cut one is a fragment: never take it for an answer.

    `reason` is the endpoint's word (`stop`, `length`, `max_tokens` …), `closed` if the connection
    ended first, and empty if nobody gave one.
    """

    reason: str = ""
    is_cut: bool = False

    @property
    def kind(self) -> EndKind:
        """Why it ended, whatever the wire calls it."""
        return _KINDS.get(self.reason, "other") if self.is_cut else "whole"

    @classmethod
    def of_reason(cls, reason: str) -> Ending:
        """Return the ending for a word of any wire; one that is not known counts as a cut."""
        return cls(reason=reason, is_cut=reason not in OWN_ENDS)


@dataclass(frozen=True, slots=True)
class _Left:
    """An ending, and the iteration that it is about."""

    iteration: int
    ending: Ending


def leave_ending(ctx: DispatchContext, ending: Ending) -> None:
    """Leave the ending of this iteration's reply; of several replies, the first cut one counts."""
    if not ending_of(ctx).is_cut:
        ctx.stash.set(ENDING_PATH, _Left(ctx.iteration, ending))


def ending_of(ctx: DispatchContext) -> Ending:
    """Return how the reply of this iteration ended.

    An executor that leaves nothing has an ending without a reason, which is not cut. A failed
    request has none either: it nacks the dispatch and stores nothing.
    """
    left = ctx.stash.get(ENDING_PATH)
    is_current = isinstance(left, _Left) and left.iteration == ctx.iteration
    return left.ending if is_current else Ending()
