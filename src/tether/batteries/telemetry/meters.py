"""The instruments: how long turns, requests, tools and gates take, and what they cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tether.batteries.telemetry.attributes import Metric

if TYPE_CHECKING:
    from opentelemetry.metrics import Histogram, Meter

    from tether.batteries.telemetry.spans import Labels

_WHAT = {
    Metric.OPERATION_DURATION: ("s", "How long requests to the model take."),
    Metric.TIME_TO_FIRST_CHUNK: ("s", "How long it takes until the first piece of a reply."),
    Metric.TOKEN_USAGE: ("{token}", "How many tokens requests and replies are."),
    Metric.TURN_DURATION: ("s", "How long turns take."),
    Metric.TOOL_DURATION: ("s", "How long tools take."),
    Metric.GATE_DURATION: ("s", "How long people take to settle a gate."),
}


class Meters:
    """One histogram for each metric."""

    __slots__ = ("_histograms",)

    def __init__(self, meter: Meter) -> None:
        self._histograms: dict[Metric, Histogram] = {
            metric: meter.create_histogram(metric, unit=unit, description=description)
            for metric, (unit, description) in _WHAT.items()
        }

    def note(self, metric: Metric, value: float, attributes: Labels) -> None:
        """Add one measurement."""
        self._histograms[metric].record(value, attributes)
