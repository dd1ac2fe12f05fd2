"""The names, spans and metrics of telemetry.

The first group of names is OpenTelemetry's vocabulary for generative AI, which still changes: when
it does, this is the file to edit. The second group is our own.
"""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from opentelemetry.context import Context
    from opentelemetry.metrics import Histogram, Meter
    from opentelemetry.trace import Span, SpanKind, Tracer

Labels = dict[str, Any]
"""Attributes of a span or a measurement: text, numbers, flags and lists of text, by name."""

Key = tuple[str, ...]
"""The subject of a span: the ids from the turn down. A span's key begins with its parent's key."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
GENERATION_OVER = ("generation-finished", "generation-failed")
"""The kinds of the log entries with which an executor reports the end of a request."""

LONGEST_FACT = 200


class Attribute(StrEnum):
    """The key of a span attribute."""

    OPERATION = "gen_ai.operation.name"
    PROVIDER = "gen_ai.provider.name"
    AGENT = "gen_ai.agent.name"
    REQUEST_MODEL = "gen_ai.request.model"
    REQUEST_STREAM = "gen_ai.request.stream"
    RESPONSE_MODEL = "gen_ai.response.model"
    RESPONSE_ID = "gen_ai.response.id"
    FINISH_REASONS = "gen_ai.response.finish_reasons"
    TIME_TO_FIRST_CHUNK = "gen_ai.response.time_to_first_chunk"
    INPUT_TOKENS = "gen_ai.usage.input_tokens"
    OUTPUT_TOKENS = "gen_ai.usage.output_tokens"
    CACHED_TOKENS = "gen_ai.usage.cache_read.input_tokens"
    REASONING_TOKENS = "gen_ai.usage.reasoning.output_tokens"
    TOKEN_TYPE = "gen_ai.token.type"  # noqa: S105  # of a token of text
    TOOL = "gen_ai.tool.name"
    TOOL_CALL = "gen_ai.tool.call.id"
    TOOL_ARGUMENTS = "gen_ai.tool.call.arguments"
    TOOL_RESULT = "gen_ai.tool.call.result"
    OUTPUT_MESSAGES = "gen_ai.output.messages"
    ERROR_TYPE = "error.type"

    TURN = "tether.turn.id"
    DISPATCH = "tether.dispatch.id"
    DISPATCH_STATUS = "tether.dispatch.status"
    ITERATION = "tether.iteration"
    ITERATIONS = "tether.dispatch.iterations"
    WIRE = "tether.wire"
    ATTEMPTS = "tether.request.attempts"
    GATE = "tether.gate.id"
    GATE_REASON = "tether.gate.reason"
    GATE_RESULT = "tether.gate.result"
    LOG_LEVEL = "tether.log.level"
    LOG_MESSAGE = "tether.log.message"
    BUDGET = "tether.budget"


class Metric(StrEnum):
    """The name of an instrument."""

    OPERATION_DURATION = "gen_ai.client.operation.duration"
    TIME_TO_FIRST_CHUNK = "gen_ai.client.operation.time_to_first_chunk"
    TOKEN_USAGE = "gen_ai.client.token.usage"  # noqa: S105
    TURN_DURATION = "tether.turn.duration"
    TOOL_DURATION = "tether.tool.duration"
    GATE_DURATION = "tether.gate.duration"


class Operation(StrEnum):
    """The operation of a span, in the common vocabulary."""

    INVOKE_AGENT = "invoke_agent"
    CHAT = "chat"
    EXECUTE_TOOL = "execute_tool"


def nanoseconds(moment: datetime) -> int:
    """Return a point in time in OpenTelemetry's unit."""
    since = moment - _EPOCH
    return ((since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds) * 1_000


class OpenSpans:
    """The spans that have not ended, by turn and by key.

    Parents are found by their keys, never from the current context: several turns run in one task
    group, and the ids of an event show where it belongs. Equal calls may run at once: they share a
    key, and the latest to begin counts as the first to end. Several threads may use it, each with
    its own turns.
    """

    __slots__ = ("_tracer", "_turns")

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer
        self._turns: dict[str, dict[Key, list[Span]]] = {}

    def __len__(self) -> int:
        return sum(len(spans) for turn in [*self._turns.values()] for spans in turn.values())

    def start(
        self, key: Key, name: str, kind: SpanKind, moment: datetime, attributes: Labels
    ) -> Span:
        """Open a span under the key, below the nearest open one, or in the caller's context."""
        span = self._tracer.start_span(
            name,
            context=_inside(self.nearest(key[:-1])),
            kind=kind,
            attributes=attributes,
            start_time=nanoseconds(moment),
        )
        self._turns.setdefault(key[0], {}).setdefault(key, []).append(span)
        return span

    def nearest(self, key: Key) -> Span | None:
        """Return the open span of the key, or its nearest open ancestor."""
        turn = self._turns.get(key[0], {}) if key else {}
        ends = range(len(key), 0, -1)
        return next((turn[key[:end]][-1] for end in ends if key[:end] in turn), None)

    def end(self, key: Key, moment: datetime) -> None:
        """Close the latest span under the key, and all open spans below it."""
        turn = self._turns.get(key[0], {})
        for other in [*reversed(turn)]:
            if other[: len(key)] == key:
                spans = turn[other]
                for span in [spans.pop()] if other == key else reversed(spans):
                    span.end(nanoseconds(moment))
                if other != key or not spans:
                    del turn[other]
        if not turn:
            self._turns.pop(key[0], None)


def _inside(span: Span | None) -> Context | None:
    from opentelemetry.trace import set_span_in_context  # noqa: PLC0415  # only with tether[otel]

    return None if span is None else set_span_in_context(span)


_WHAT = {
    Metric.OPERATION_DURATION: ("s", "How long requests to the model take."),
    Metric.TIME_TO_FIRST_CHUNK: ("s", "How long the first piece of a reply takes."),
    Metric.TOKEN_USAGE: ("{token}", "How many tokens requests and replies have."),
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


def generation_attributes(said: Mapping[str, Any]) -> Labels:
    """Return the known facts of a finished request as attributes."""
    usage = said.get("usage") or {}
    found = {
        Attribute.WIRE: said.get("wire"),
        Attribute.RESPONSE_ID: said.get("response_id"),
        Attribute.RESPONSE_MODEL: said.get("response_model"),
        Attribute.FINISH_REASONS: [said["finish_reason"]] if said.get("finish_reason") else None,
        Attribute.REQUEST_STREAM: said.get("streamed"),
        Attribute.ATTEMPTS: said.get("attempts"),
        Attribute.TIME_TO_FIRST_CHUNK: _seconds(said.get("time_to_first_delta_ms")),
        Attribute.INPUT_TOKENS: usage.get("input_tokens"),
        Attribute.OUTPUT_TOKENS: usage.get("output_tokens"),
        Attribute.CACHED_TOKENS: usage.get("cached_tokens"),
        Attribute.REASONING_TOKENS: usage.get("reasoning_tokens"),
    }
    return {key: _short(value) for key, value in found.items() if value is not None}


def _seconds(milliseconds: object) -> float | None:
    return None if milliseconds is None else number(milliseconds) / 1_000


def _short(value: Any) -> Any:
    """Cut a provider's text to the length of a name."""
    if isinstance(value, list):
        return [_short(item) for item in value]
    return value[:LONGEST_FACT] if isinstance(value, str) else value


def number(value: object) -> float:
    """Return a number from an executor; 0 for anything else."""
    return value if isinstance(value, (int, float)) else 0.0
