"""Test doubles: a clock that stands still, a recorder of events, and a way to run one tool."""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from tether.batteries.storage.memory import MemoryStorage
from tether.core.artifact import SpooledArtifact
from tether.core.errors import Aborted
from tether.core.media import Media
from tether.core.tokenizable import Tokenizable
from tether.runtime.bus import FUNCTIONAL_EVENTS, OBSERVABILITY_EVENTS, event_name
from tether.runtime.dispatch import DispatchRunner, RawDispatch
from tether.runtime.errors import InvalidToolArgs, ToolDownstreamError
from tether.runtime.gate import TurnGate

if TYPE_CHECKING:
    from collections.abc import Callable

    from tether.runtime.bus import Event, Listening
    from tether.runtime.clock import Clock
    from tether.runtime.dispatch_context import DispatchContext
    from tether.runtime.reports import Helpers
    from tether.runtime.storage import Storage
    from tether.runtime.tool import Tool

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


class FakeTimer:
    """A timer of a fake clock."""

    __slots__ = ("callback", "cancelled")

    def __init__(self, callback: Callable[[], None]) -> None:
        self.callback = callback
        self.cancelled = False

    def cancel(self) -> None:
        """Cancel the timer."""
        self.cancelled = True


class FakeClock:
    """A clock for tests: `advance` moves it and fires the timers that are due, in order."""

    def __init__(self, start: datetime = NOON) -> None:
        self._start = start
        self._elapsed = 0.0
        self._timers: list[tuple[float, int, FakeTimer]] = []
        self._sequence = count()

    def now(self) -> datetime:
        """Return the current time of the clock."""
        return self._start + timedelta(seconds=self._elapsed)

    def monotonic(self) -> float:
        """Return the seconds that the clock was advanced so far."""
        return self._elapsed

    def call_later(self, seconds: float, callback: Callable[[], None]) -> FakeTimer:
        """Fire `callback` when the clock has been advanced that far."""
        timer = FakeTimer(callback)
        heapq.heappush(self._timers, (self._elapsed + seconds, next(self._sequence), timer))
        return timer

    def advance(self, seconds: float) -> None:
        """Move forward, firing each timer at its own time."""
        if seconds < 0:
            raise ValueError(f"a clock does not run backwards: {seconds}")
        target = self._elapsed + seconds
        while self._timers and self._timers[0][0] <= target:
            due, _, timer = heapq.heappop(self._timers)
            self._elapsed = due
            if not timer.cancelled:
                timer.callback()
        self._elapsed = max(self._elapsed, target)  # a timer may have advanced it further

    @property
    def pending(self) -> int:
        """The number of timers that have not fired."""
        return sum(not timer.cancelled for _, _, timer in self._timers)


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


async def run_tool(
    tool: Tool,
    args: Mapping[str, Any] | None = None,
    *,
    storage: Storage | None = None,
    clock: Clock | None = None,
    on_gate: Callable[[TurnGate[Any]], None] | None = None,
) -> Any:
    """Run a tool in its own dispatch and return the result of its handler.

    `on_gate` settles the gates it opens, for instance `lambda gate: gate.resolve(True)`; without it
    none can be opened. Raises `InvalidToolArgs` and `ToolDownstreamError`, as `tool.executor(ctx)`
    does, and `Aborted` where the handler aborts.
    """
    outcome: list[Any] = []
    failure: list[InvalidToolArgs | ToolDownstreamError] = []

    async def execute(ctx: DispatchContext, _helpers: Helpers) -> None:
        try:
            outcome.append(await tool.executor(ctx)({} if args is None else args))
        except (InvalidToolArgs, ToolDownstreamError) as error:
            failure.append(error)
        if not ctx.is_signalled:
            ctx.ack()

    raw = RawDispatch(
        system_prompt="",
        storage=MemoryStorage() if storage is None else storage,
        tools=[tool],
        gates=on_gate is not None,
    )
    observers = {} if on_gate is None else {"turn_gate_open": _settled_by(on_gate)}
    await DispatchRunner.dispatch(executor=execute, raw=raw, clock=clock, observers=observers)
    if failure:
        raise failure[0]
    if not outcome:
        raise Aborted(f"the tool {tool.name!r} aborted its dispatch")
    return outcome[0]


def _settled_by(on_gate: Callable[[TurnGate[Any]], None]) -> Callable[[TurnGate[Any]], None]:
    """Reject the gate if the function fails; otherwise it would stay open."""

    def settle(gate: TurnGate[Any]) -> None:
        try:
            on_gate(gate)
        except Exception as error:
            gate.reject(error)
            raise

    return settle
