"""Processor time that a test sets: each run of a model takes as long as it is told."""

from __future__ import annotations

from types import SimpleNamespace

import pytest


class ProcessorTime:
    """Moves on by `step` seconds whenever it is read, so each run takes one step."""

    def __init__(self, step: float) -> None:
        self.step = step
        self.times_read = 0
        self._now = 0.0

    def __call__(self) -> float:
        self.times_read += 1
        self._now += self.step
        return self._now

    @property
    def runs(self) -> int:
        """How many runs were timed: each reads the time before and after."""
        return self.times_read // 2


def set_processor_time(patch: pytest.MonkeyPatch, step: float) -> ProcessorTime:
    """Let every model of this test take `step` seconds for a text of any length."""
    clock = ProcessorTime(step)
    patch.setattr("tether.retrieval.dense.onnx_model.time", SimpleNamespace(thread_time=clock))
    return clock
