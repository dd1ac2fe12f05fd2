"""The progress of a model at work, as its executor logs it for a person who waits."""

# No `from __future__ import annotations` here: NamedTuple compiles every annotation that is a
# string.
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from tether.runtime.reports import Log

PROGRESS = "model-progress"
"""The kind of the log entries; the payload is a `WorkProgress` by its field names."""

Phase = Literal["loading", "reading", "writing"]


class WorkProgress(NamedTuple):
    """One report: bytes of the file that were read, tokens of the prompt, tokens of the answer.

    `total` is None where nobody knows it, `per_second` before it can be measured.
    """

    model: str
    phase: Phase
    done: int
    total: int | None = None
    per_second: float | None = None


OnWork = Callable[[WorkProgress], object]
"""Receives each report."""


def logged_work(log: "Log") -> OnWork:
    """Return a receiver that logs each report, at the level of details."""

    def tell(work: WorkProgress) -> None:
        log.debug(PROGRESS, f"{work.phase}: {work.done}", work._asdict())

    return tell
