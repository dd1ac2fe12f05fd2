"""The progress of a request to a local model: what it is doing, how far it is, and how fast.

A person who waits for a model on a CPU waits long, and mostly for the reading of the prompt.
"""

# No `from __future__ import annotations` here: NamedTuple compiles every annotation that is a
# string.
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from tether.batteries.models.local.gguf import LoadProgress
from tether.batteries.models.progress import OnWork, Phase, WorkProgress

LEAST_MEASURED = 32
"""Tokens that a prompt needs beyond the cached ones for its speed to mean anything."""

WRITTEN_STEP = 8
"""Pieces of an answer between two reports."""


class ReadProgress(NamedTuple):
    """How much of a prompt was read: `cached` tokens were known from the prompt before."""

    processed: int
    total: int
    cached: int
    seconds: float

    @property
    def per_second(self) -> float | None:
        """The tokens that were read in a second; None if too few were."""
        fresh = self.processed - self.cached
        return fresh / self.seconds if fresh >= LEAST_MEASURED and self.seconds > 0 else None


class WriteTimings(NamedTuple):
    """The tokens of a finished answer, and how many were written in a second."""

    tokens: int
    per_second: float


def read_progress(piece: Mapping[str, Any]) -> ReadProgress:
    """Return the progress that llama.cpp reports in a piece of its stream."""
    said = piece["prompt_progress"]
    seconds = said["time_ms"] / 1000
    return ReadProgress(said["processed"], said["total"], said["cache"], seconds)


def write_timings(piece: Mapping[str, Any]) -> WriteTimings | None:
    """Return the timings at the end of a stream; None for the other pieces."""
    said = piece.get("timings")
    return None if said is None else WriteTimings(said["predicted_n"], said["predicted_per_second"])


class WorkReports:
    """Reports the progress of one request to `tell`, if anybody listens."""

    __slots__ = ("_began", "_model", "_tell", "_written")

    def __init__(self, model: str, tell: OnWork | None) -> None:
        self._model = model
        self._tell = tell
        self._began: float | None = None
        self._written = 0

    def load(self, progress: LoadProgress) -> None:
        """Report how much of the file was read."""
        self._report("loading", progress.bytes_read, progress.bytes_total)

    def read(self, progress: ReadProgress) -> None:
        """Report how much of the prompt was read."""
        self._report("reading", progress.processed, progress.total, progress.per_second)

    def piece(self) -> None:
        """Count a piece of the answer, and report a few of them."""
        now = time.monotonic()
        self._began = now if self._began is None else self._began
        self._written += 1
        if self._written % WRITTEN_STEP == 1:
            spent = now - self._began
            self._report("writing", self._written, None, self._written / spent if spent else None)

    def wrote(self, timings: WriteTimings) -> None:
        """Report the whole answer."""
        self._report("writing", timings.tokens, timings.tokens, timings.per_second)

    def _report(
        self, phase: Phase, done: int, total: int | None, per_second: float | None = None
    ) -> None:
        if self._tell is not None:
            self._tell(WorkProgress(self._model, phase, done, total, per_second))
