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
    """The spans that wait for their end, by what they are about; each knows its turn.

    Parents are named, never taken from the surroundings: several turns run in one task group, and
    an event says by its ids where it belongs.
    """

    __slots__ = ("_open", "_tracer")

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer
        self._open: dict[Key, Span] = {}

    def __len__(self) -> int:
        return len(self._open)

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
        self._open[key] = span
        return span

    def nearest(self, key: Key) -> Span | None:
        """Return the open span of the key, or of the nearest one above it."""
        ends = range(len(key), 0, -1)
        return next((self._open[key[:end]] for end in ends if key[:end] in self._open), None)

    def end(self, key: Key, moment: datetime) -> None:
        """Close the span under the key, and whatever was opened below it and never closed."""
        below = [other for other in self._open if other[: len(key)] == key]
        for other in reversed(below):
            self._open.pop(other).end(nanoseconds(moment))


def _inside(span: Span | None) -> Context | None:
    from opentelemetry.trace import set_span_in_context  # noqa: PLC0415  # only with tether[otel]

    return None if span is None else set_span_in_context(span)
