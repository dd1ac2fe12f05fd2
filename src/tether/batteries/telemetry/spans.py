"""Spans that are opened by one event and closed by another."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.trace import Span, SpanKind, Tracer

Labels = dict[str, Any]
"""Attributes of a span or a measurement: text, numbers, flags and lists of text, by name."""

Key = tuple[str, ...]
"""What a span is about: the ids from the turn down. A shorter key is above those it begins."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def nanoseconds(moment: datetime) -> int:
    """Return a point in time as OpenTelemetry counts it."""
    since = moment - _EPOCH
    return ((since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds) * 1_000


class OpenSpans:
    """The spans that wait for their end, by turn and by what they are about.

    Parents are named, never taken from the surroundings: several turns run in one task group, and
    an event says by its ids where it belongs. Equal calls may run at once: they share a key, and
    the latest to begin is taken for the first to end. May be used from several threads, each with
    turns of its own.
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
        """Open a span under the key, below the nearest open one, or else where the caller is."""
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
        """Return the open span of the key, or of the nearest one above it."""
        turn = self._turns.get(key[0], {}) if key else {}
        ends = range(len(key), 0, -1)
        return next((turn[key[:end]][-1] for end in ends if key[:end] in turn), None)

    def end(self, key: Key, moment: datetime) -> None:
        """Close the latest span under the key, and what was opened below it and never closed."""
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
