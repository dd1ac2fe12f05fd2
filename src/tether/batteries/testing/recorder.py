"""The whole trace of a turn, as values that can be compared."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from tether.core.artifact import SpooledArtifact
from tether.core.media import Media
from tether.core.tokenizable import Tokenizable
from tether.runtime.bus import FUNCTIONAL_EVENTS, OBSERVABILITY_EVENTS, event_name
from tether.runtime.gate import TurnGate

if TYPE_CHECKING:
    from tether.runtime.bus import Event, Listening

_IDENTIFIERS = ("turn_id", "dispatch_id", "id", "gate_id", "call_id", "checksum")
_TIMES = ("duration_ms",)


class Entry(NamedTuple):
    """One event: its name, and its fields without times, with ids as labels such as `turn-1`."""

    name: str
    fields: Mapping[str, Any]

    def __str__(self) -> str:
        shown = ", ".join(f"{key}={value!r}" for key, value in self.fields.items())
        return f"{self.name}({shown})"


class Recorder:
    """Listens to everything a runner emits, from its construction on.

    `events` are the events themselves; `trace` has them as comparable values: equal runs have equal
    traces. `names` is the shortest form.
    """

    def __init__(self, runner: Listening | None = None) -> None:
        self.events: list[Event] = []
        self._labels: dict[tuple[str, str], str] = {}
        if runner is not None:
            self.attach(runner)

    def attach(self, runner: Listening) -> None:
        """Listen to a runner as well."""
        for name in FUNCTIONAL_EVENTS:
            runner.on(name, self.events.append)
        for name in OBSERVABILITY_EVENTS:
            runner.observe(name, self.events.append)

    def detach(self, runner: Listening) -> None:
        """Stop listening to a runner."""
        for name in FUNCTIONAL_EVENTS:
            runner.off(name, self.events.append)
        for name in OBSERVABILITY_EVENTS:
            runner.unobserve(name, self.events.append)

    @property
    def names(self) -> list[str]:
        """The names of the events, in order."""
        return [event_name(event) for event in self.events]

    @property
    def trace(self) -> list[Entry]:
        """The events as comparable values, in order."""
        return [self._entry(event) for event in self.events]

    def of(self, name: str) -> list[Any]:
        """Return the events of one name."""
        return [event for event in self.events if event_name(event) == name]

    @property
    def text(self) -> str:
        """The text that a user would have seen: all complete messages, joined."""
        return "".join(chunk.full for chunk in self.of("message") if chunk.is_complete)

    def _entry(self, event: Event) -> Entry:
        fields = _gate_fields(event) if isinstance(event, TurnGate) else event._asdict()
        kept = {
            key: self._comparable(key, value)
            for key, value in fields.items()
            if key not in _TIMES and not isinstance(value, datetime) and key != "completed_at"
        }
        return Entry(event_name(event), kept)

    def _comparable(self, key: str, value: Any) -> Any:
        if key in _IDENTIFIERS and isinstance(value, str):
            return self._label(
                "call" if key in ("call_id", "checksum") else key.removesuffix("_id"), value
            )
        if isinstance(value, BaseException):
            return f"{type(value).__name__}: {getattr(value, 'message', value)}"
        return _plain(value)

    def _label(self, kind: str, value: str) -> str:
        number = sum(known == kind for known, _ in self._labels) + 1
        return self._labels.setdefault((kind, value), f"{kind}-{number}")


def _gate_fields(gate: TurnGate[Any]) -> dict[str, Any]:
    return {
        "turn_id": gate.turn_id,
        "gate_id": gate.id,
        "reason": gate.reason,
        "payload": gate.payload,
    }


def _plain(value: Any) -> Any:
    match value:
        case Tokenizable():
            return str(value)
        case SpooledArtifact() | Media():
            return type(value).__name__
        case tuple():
            return [_plain(item) for item in value]
        case Mapping():
            return dict(cast("Mapping[str, Any]", value))
        case _:
            return value
