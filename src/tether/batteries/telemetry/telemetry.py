"""OpenTelemetry spans and metrics from the events of a runner.

A turn is a span; below it are the dispatch, its iterations, the requests to the model, the tools
and the gates. Spans contain names, numbers, codes and times; content leaves the process only on
request.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from tether.batteries.telemetry.signals import (
    GENERATION_OVER,
    Attribute,
    Meters,
    Metric,
    OpenSpans,
    Operation,
    generation_attributes,
    nanoseconds,
    number,
)
from tether.core.errors import InputRefused

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import Span, TracerProvider

    from tether.batteries.telemetry.signals import Key, Labels
    from tether.core.events import (
        BudgetLedger,
        DispatchEnd,
        DispatchStart,
        ErrorRaised,
        IterationEnd,
        IterationStart,
        LogEntry,
        MessageChunk,
        ToolCallProgress,
        ToolExecutionEnd,
        ToolExecutionStart,
        TurnEnd,
        TurnGateClosed,
        TurnStart,
    )
    from tether.runtime.bus import Listening
    from tether.runtime.gate import TurnGate

SCOPE = "tether"
LONGEST_CONTENT = 16_384
LONGEST_NAME = 200
"""Characters of a foreign name in the name of a span or the label of a measurement."""


class Telemetry:
    """Exports the events of a runner to OpenTelemetry.

    `telemetry.attach(runner)` is all it takes; a dispatch without a runner takes
    `observers=telemetry.observers()`. The default providers are those that OpenTelemetry was
    configured with. `capture_content` adds the model's words and the arguments and results of
    tools, cut at 16,384 characters; it is off because traces travel far.

    Raises `InputRefused` if `tether[otel]` is not installed.
    """

    def __init__(
        self,
        *,
        tracer_provider: TracerProvider | None = None,
        meter_provider: MeterProvider | None = None,
        agent_name: str = "tether",
        provider_name: str | None = None,
        capture_content: bool = False,
    ) -> None:
        if find_spec("opentelemetry") is None:
            raise InputRefused("OpenTelemetry is not installed: pip install 'tether[otel]'")
        from opentelemetry import metrics, trace  # noqa: PLC0415  # only with tether[otel]

        self._kinds = trace.SpanKind
        self._failed = trace.Status(trace.StatusCode.ERROR)
        self._spans = OpenSpans(trace.get_tracer(SCOPE, tracer_provider=tracer_provider))
        self._meters = Meters(metrics.get_meter(SCOPE, meter_provider=meter_provider))
        self._agent = agent_name
        self._provider = provider_name
        self._captures = capture_content
        self._gates: dict[str, datetime] = {}

    @property
    def open_spans(self) -> int:
        """The number of open spans: 0 when no turn runs."""
        return len(self._spans)

    def attach(self, runner: Listening) -> None:
        """Listen to a runner; attaching it again has no effect."""
        self.detach(runner)
        for name, listener in self.observers().items():
            runner.observe(name, listener)
        for name, listener in self.hooks().items():
            runner.on(name, listener)

    def detach(self, runner: Listening) -> None:
        """Stop listening to a runner; the spans of running turns are never exported."""
        for name, listener in self.observers().items():
            runner.unobserve(name, listener)
        for name, listener in self.hooks().items():
            runner.off(name, listener)

    def observers(self) -> Mapping[str, Callable[[Any], None]]:
        """Return the listeners for the observability bus, by event."""
        return {
            "turn_start": self._turn_start,
            "turn_end": self._turn_end,
            "dispatch_start": self._dispatch_start,
            "dispatch_end": self._dispatch_end,
            "iteration_start": self._iteration_start,
            "iteration_end": self._iteration_end,
            "tool_execution_start": self._tool_start,
            "tool_execution_end": self._tool_end,
            "turn_gate_open": self._gate_open,
            "turn_gate_closed": self._gate_closed,
            "error": self._error,
            "log": self._log,
            "budget": self._budget,
        }

    def hooks(self) -> Mapping[str, Callable[[Any], None]]:
        """Return the listeners for the functional bus; empty unless content is captured."""
        if not self._captures:
            return {}
        return {"message": self._message, "tool_call": self._tool_call}

    def _turn_start(self, event: TurnStart) -> None:
        attributes = self._said(Operation.INVOKE_AGENT) | {
            Attribute.AGENT: self._agent,
            Attribute.TURN: event.turn_id,
        }
        name = f"{Operation.INVOKE_AGENT} {self._agent}"
        kind = self._kinds.INTERNAL
        self._spans.start((event.turn_id,), name, kind, event.started_at, attributes)

    def _turn_end(self, event: TurnEnd) -> None:
        self._spans.end((event.turn_id,), _ended(event))
        labels: Labels = {Attribute.AGENT: self._agent}
        self._meters.note(Metric.TURN_DURATION, event.duration_ms / 1_000, labels)

    def _dispatch_start(self, event: DispatchStart) -> None:
        key = (event.turn_id, event.dispatch_id)
        attributes: Labels = {Attribute.TURN: event.turn_id, Attribute.DISPATCH: event.dispatch_id}
        self._spans.start(key, "dispatch", self._kinds.INTERNAL, event.started_at, attributes)

    def _dispatch_end(self, event: DispatchEnd) -> None:
        key = (event.turn_id, event.dispatch_id)
        span = self._spans.nearest(key)
        if span is not None:
            span.set_attribute(Attribute.DISPATCH_STATUS, event.status)
            span.set_attribute(Attribute.ITERATIONS, event.iterations)
        self._spans.end(key, _ended(event))

    def _iteration_start(self, event: IterationStart) -> None:
        attributes: Labels = {Attribute.ITERATION: event.iteration}
        kind = self._kinds.INTERNAL
        self._spans.start(_iteration(event), "iteration", kind, event.started_at, attributes)

    def _iteration_end(self, event: IterationEnd) -> None:
        self._spans.end(_iteration(event), _ended(event))

    def _tool_start(self, event: ToolExecutionStart) -> None:
        attributes = self._said(Operation.EXECUTE_TOOL) | {
            Attribute.TOOL: event.tool,
            Attribute.TOOL_CALL: event.call_id,
        }
        if self._captures:
            attributes[Attribute.TOOL_ARGUMENTS] = _content(event.args)
        name = f"{Operation.EXECUTE_TOOL} {event.tool}"
        key = (*_iteration(event), event.call_id)
        self._spans.start(key, name, self._kinds.INTERNAL, event.started_at, attributes)

    def _tool_end(self, event: ToolExecutionEnd) -> None:
        key = (*_iteration(event), event.call_id)
        span = self._spans.nearest(key)
        if span is not None and event.is_error:
            self._fail(span, "tool_error")
        self._spans.end(key, _ended(event))
        labels: Labels = {Attribute.TOOL: event.tool}
        if event.is_error:
            labels[Attribute.ERROR_TYPE] = "tool_error"
        self._meters.note(Metric.TOOL_DURATION, event.duration_ms / 1_000, labels)

    def _gate_open(self, gate: TurnGate[Any]) -> None:
        attributes: Labels = {Attribute.GATE: gate.id}
        if self._captures:
            attributes[Attribute.GATE_REASON] = _content(gate.reason)
        self._gates[gate.id] = gate.created_at
        key = (gate.turn_id, f"gate:{gate.id}")
        self._spans.start(key, "gate", self._kinds.INTERNAL, gate.created_at, attributes)

    def _gate_closed(self, event: TurnGateClosed) -> None:
        key = (event.turn_id, f"gate:{event.gate_id}")
        span = self._spans.nearest(key)
        if span is not None:
            span.set_attribute(Attribute.GATE_RESULT, event.result)
        self._spans.end(key, event.settled_at)
        opened = self._gates.pop(event.gate_id, event.settled_at)
        waited = (event.settled_at - opened).total_seconds()
        self._meters.note(Metric.GATE_DURATION, waited, {Attribute.GATE_RESULT: event.result})

    def _error(self, event: ErrorRaised) -> None:
        key = tuple(part for part in (event.turn_id, event.dispatch_id) if part is not None)
        span = self._spans.nearest(key)
        if span is None:
            return
        self._fail(span, event.error.code)
        turn = self._spans.nearest((event.turn_id,))
        if turn is not None and turn is not span:
            self._fail(turn, event.error.code)
        if self._captures:
            said: Labels = {
                "exception.type": event.error.code,
                "exception.message": _content(event.error),
            }
            span.add_event("exception", said, nanoseconds(event.emitted_at))

    def _log(self, event: LogEntry) -> None:
        if event.kind in GENERATION_OVER:
            self._generation(event, event.payload or {})
        elif event.level in {"warn", "error"}:
            self._note(event)

    def _note(self, event: LogEntry) -> None:
        """Add a warning to the span in which it occurred."""
        span = self._spans.nearest(_iteration(event))
        if span is not None:
            attributes: Labels = {Attribute.LOG_LEVEL: event.level}
            if self._captures:
                attributes[Attribute.LOG_MESSAGE] = _content(event.message)
            span.add_event(event.kind, attributes, nanoseconds(event.emitted_at))

    def _generation(self, event: LogEntry, said: Mapping[str, Any]) -> None:
        """Add the span of a request to the model, which is known only when it is over."""
        seconds = number(said.get("duration_ms")) / 1_000
        model = _short(said.get("model") or "unknown")
        labels = self._said(Operation.CHAT) | {Attribute.REQUEST_MODEL: model}
        if "error" in said:
            labels[Attribute.ERROR_TYPE] = _short(said["error"])
        key = (*_iteration(event), "generation")
        began = event.emitted_at - timedelta(seconds=seconds)
        name = f"{Operation.CHAT} {model}"
        attributes = labels | generation_attributes(said)
        span = self._spans.start(key, name, self._kinds.CLIENT, began, attributes)
        if "error" in said:
            span.set_status(self._failed)
        self._spans.end(key, event.emitted_at)
        self._measure(said, labels, seconds)

    def _measure(self, said: Mapping[str, Any], labels: Labels, seconds: float) -> None:
        self._meters.note(Metric.OPERATION_DURATION, seconds, labels)
        if "time_to_first_delta_ms" in said:
            waited = number(said["time_to_first_delta_ms"]) / 1_000
            self._meters.note(Metric.TIME_TO_FIRST_CHUNK, waited, labels)
        usage = said.get("usage") or {}
        for kind in ("input", "output"):
            if f"{kind}_tokens" in usage:
                tokens = number(usage[f"{kind}_tokens"])
                self._meters.note(Metric.TOKEN_USAGE, tokens, labels | {Attribute.TOKEN_TYPE: kind})

    def _budget(self, event: BudgetLedger) -> None:
        span = self._spans.nearest((event.turn_id, event.dispatch_id or ""))
        if span is None:
            return
        for name, value in event._asdict().items():
            if isinstance(value, int):
                span.set_attribute(f"{Attribute.BUDGET}.{name}", value)
        for name, count in event.shed.items():
            span.set_attribute(f"{Attribute.BUDGET}.shed.{name}", count)

    def _message(self, event: MessageChunk) -> None:
        span = self._spans.nearest((event.turn_id,))
        if event.is_complete and span is not None:
            part = {"type": "text", "content": _content(event.full)}
            message = {"role": "assistant", "parts": [part]}
            said: Labels = {Attribute.OUTPUT_MESSAGES: json.dumps([message], ensure_ascii=False)}
            span.add_event("message", said, nanoseconds(event.updated_at))

    def _tool_call(self, event: ToolCallProgress) -> None:
        span = self._spans.nearest((event.turn_id,))
        if event.is_complete and span is not None:
            attributes: Labels = {
                Attribute.TOOL: event.tool or "",
                Attribute.TOOL_CALL: event.checksum or "",
                Attribute.TOOL_RESULT: _content(event.results),
            }
            span.add_event("tool_call", attributes, nanoseconds(event.updated_at))

    def _said(self, operation: Operation) -> Labels:
        said: Labels = {Attribute.OPERATION: operation}
        return said | ({Attribute.PROVIDER: self._provider} if self._provider else {})

    def _fail(self, span: Span, kind: str) -> None:
        span.set_status(self._failed)
        span.set_attribute(Attribute.ERROR_TYPE, kind)


def _iteration(
    event: IterationStart | IterationEnd | ToolExecutionStart | ToolExecutionEnd | LogEntry,
) -> Key:
    return event.turn_id, event.dispatch_id, str(event.iteration)


def _ended(event: TurnEnd | DispatchEnd | IterationEnd | ToolExecutionEnd) -> datetime:
    """Return the end by the duration: the wall clock may have been changed meanwhile."""
    return event.started_at + timedelta(milliseconds=event.duration_ms)


def _content(value: object) -> str:
    return str(value)[:LONGEST_CONTENT]


def _short(name: object) -> str:
    return str(name)[:LONGEST_NAME]
