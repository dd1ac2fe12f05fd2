"""The two event buses, on separate emitters, and the ways to listen to them."""

from __future__ import annotations

import inspect
import logging
from asyncio import CancelledError
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar, overload

from tether.core.events import (
    BudgetLedger,
    DispatchEnd,
    DispatchStart,
    ErrorRaised,
    IterationEnd,
    IterationStart,
    LogEntry,
    MessageChunk,
    ThoughtChunk,
    ToolCallProgress,
    ToolExecutionEnd,
    ToolExecutionStart,
    TurnEnd,
    TurnGateClosed,
    TurnStart,
)
from tether.runtime.errors import InvalidListener, UnknownEvent
from tether.runtime.gate import TurnGate

E = TypeVar("E")

Listener = Callable[[Any], object]

FunctionalEvent = MessageChunk | ThoughtChunk | ToolCallProgress

ObservabilityEvent = (
    TurnStart
    | TurnEnd
    | DispatchStart
    | DispatchEnd
    | IterationStart
    | IterationEnd
    | ToolExecutionStart
    | ToolExecutionEnd
    | TurnGate[Any]
    | TurnGateClosed
    | ErrorRaised
    | LogEntry
    | BudgetLedger
)

Event = FunctionalEvent | ObservabilityEvent

FUNCTIONAL_EVENTS: Mapping[str, type] = {
    "message": MessageChunk,
    "thought": ThoughtChunk,
    "tool_call": ToolCallProgress,
}

OBSERVABILITY_EVENTS: Mapping[str, type] = {
    "turn_start": TurnStart,
    "turn_end": TurnEnd,
    "dispatch_start": DispatchStart,
    "dispatch_end": DispatchEnd,
    "iteration_start": IterationStart,
    "iteration_end": IterationEnd,
    "turn_gate_open": TurnGate,
    "turn_gate_closed": TurnGateClosed,
    "tool_execution_start": ToolExecutionStart,
    "tool_execution_end": ToolExecutionEnd,
    "log": LogEntry,
    "error": ErrorRaised,
    "budget": BudgetLedger,
}

_NAMES: Mapping[type, str] = {
    kind: name for name, kind in {**FUNCTIONAL_EVENTS, **OBSERVABILITY_EVENTS}.items()
}


def event_name(event: Event) -> str:
    """Return the name under which an event is listened to."""
    return _NAMES[type(event)]


class EventSink(Protocol):
    """A receiver of a turn's events."""

    def deliver(self, event: FunctionalEvent) -> None:
        """Pass on a functional event; if a listener raises, the product fails."""
        ...

    def record(self, event: ObservabilityEvent) -> None:
        """Pass on an observability event; never raises."""
        ...


class Buses:
    """A functional and an observability emitter, and the sink that feeds both."""

    __slots__ = ("functional", "observability")

    def __init__(
        self,
        hooks: Mapping[str, Listener] | None = None,
        observers: Mapping[str, Listener] | None = None,
    ) -> None:
        self.functional = _Emitter(
            FUNCTIONAL_EVENTS, "observe/observe_once (observers)", OBSERVABILITY_EVENTS
        )
        self.observability = _Emitter(OBSERVABILITY_EVENTS, "on/once (hooks)", FUNCTIONAL_EVENTS)
        for name, listener in (hooks or {}).items():
            self.functional.add(name, listener)
        for name, listener in (observers or {}).items():
            self.observability.add(name, listener)

    def deliver(self, event: FunctionalEvent) -> None:
        """Call every functional listener in order; an error reaches the code that reported."""
        for listener in self.functional.listeners[type(event)]:
            listener(event)

    def record(self, event: ObservabilityEvent) -> None:
        """Call every observer in order; errors are logged and go no further.

        CancelledError is contained too: an observer is plain code, so it can only come from
        something the observer read (the result of a cancelled future), never from this task.
        """
        for observer in self.observability.listeners[type(event)]:
            try:
                observer(event)
            except (Exception, CancelledError):
                logging.getLogger("tether").exception(
                    "An observer of %r failed.", event_name(event)
                )


class Listening:
    """The six methods for listening to events.

    An event is named by its string ("turn_end") or by its class (`TurnEnd`), which types the
    listener. Listeners are plain functions, called at once and in order, and stay until removed:
    for all turns of the runner. An error of a functional listener reaches the code that reported;
    an error of an observer is logged and changes nothing. Raise `UnknownEvent` and
    `InvalidListener`.
    """

    def __init__(self, buses: Buses) -> None:
        self._buses = buses

    @overload
    def on(self, event: type[E], listener: Callable[[E], object]) -> None: ...
    @overload
    def on(self, event: str, listener: Callable[[Any], object]) -> None: ...
    def on(self, event: str | type[Any], listener: Callable[[Any], object]) -> None:
        """Listen to a functional event: message, thought or tool_call."""
        self._buses.functional.add(event, listener)

    @overload
    def once(self, event: type[E], listener: Callable[[E], object]) -> None: ...
    @overload
    def once(self, event: str, listener: Callable[[Any], object]) -> None: ...
    def once(self, event: str | type[Any], listener: Callable[[Any], object]) -> None:
        """Listen to the next functional event of a kind."""
        self._buses.functional.add_once(event, listener)

    def off(self, event: str | type[Any], listener: Callable[[Any], object]) -> None:
        """Stop listening, however often this listener was added; an unknown listener is ignored."""
        self._buses.functional.remove(event, listener)

    @overload
    def observe(self, event: type[E], observer: Callable[[E], object]) -> None: ...
    @overload
    def observe(self, event: str, observer: Callable[[Any], object]) -> None: ...
    def observe(self, event: str | type[Any], observer: Callable[[Any], object]) -> None:
        """Observe an observability event, without any influence on the turn."""
        self._buses.observability.add(event, observer)

    @overload
    def observe_once(self, event: type[E], observer: Callable[[E], object]) -> None: ...
    @overload
    def observe_once(self, event: str, observer: Callable[[Any], object]) -> None: ...
    def observe_once(self, event: str | type[Any], observer: Callable[[Any], object]) -> None:
        """Observe the next observability event of a kind."""
        self._buses.observability.add_once(event, observer)

    def unobserve(self, event: str | type[Any], observer: Callable[[Any], object]) -> None:
        """Stop observing, however often this observer was added; an unknown observer is ignored."""
        self._buses.observability.remove(event, observer)


class FanOut:
    """Several sinks as one; each gets every event, in order."""

    __slots__ = ("_sinks",)

    def __init__(self, *sinks: EventSink) -> None:
        self._sinks = sinks

    def deliver(self, event: FunctionalEvent) -> None:
        """Pass a functional event to each sink."""
        for sink in self._sinks:
            sink.deliver(event)

    def record(self, event: ObservabilityEvent) -> None:
        """Pass an observability event to each sink."""
        for sink in self._sinks:
            sink.record(event)


class _Emitter:
    """The listeners of one bus, by event class.

    The listeners of a class are an immutable tuple: adding or removing during an emission takes
    effect with the next event.
    """

    __slots__ = ("_kinds", "_other", "listeners")

    def __init__(
        self, kinds: Mapping[str, type], other: str, other_kinds: Mapping[str, type]
    ) -> None:
        self._kinds = kinds
        self._other = (other, other_kinds)
        self.listeners: dict[type, tuple[Listener, ...]] = dict.fromkeys(kinds.values(), ())

    def add(self, event: str | type, listener: Listener) -> None:
        kind = self._kind(event)
        _refuse_unfit(event, listener)
        self.listeners[kind] = (*self.listeners[kind], listener)

    def add_once(self, event: str | type, listener: Listener) -> None:
        kind = self._kind(event)
        _refuse_unfit(event, listener)
        self.listeners[kind] = (*self.listeners[kind], _Once(self, kind, listener))

    def remove(self, event: str | type, listener: Listener) -> None:
        kind = self._kind(event)
        self.listeners[kind] = tuple(held for held in self.listeners[kind] if held != listener)

    def discard(self, kind: type, listener: Listener) -> None:
        """Remove this registration, and no other of the same function."""
        self.listeners[kind] = tuple(h for h in self.listeners[kind] if h is not listener)

    def _kind(self, event: str | type) -> type:
        if isinstance(event, type) and event in self._kinds.values():
            return event
        kind = self._kinds.get(event) if isinstance(event, str) else None
        if kind is None:
            raise UnknownEvent(self._unknown(event))
        return kind

    def _unknown(self, event: object) -> str:
        other, kinds = self._other
        if isinstance(event, (str, type)) and (event in kinds or event in kinds.values()):
            return f"{event!r} is an event of the other bus: subscribe with {other}"
        return f"there is no event {event!r} here. The events are: {', '.join(self._kinds)}"


class _Once:
    """A listener that removes itself before its first call; equal to the function it wraps."""

    __slots__ = ("_emitter", "_fired", "_kind", "listener")

    def __init__(self, emitter: _Emitter, kind: type, listener: Listener) -> None:
        self._emitter = emitter
        self._kind = kind
        self._fired = False
        self.listener = listener

    def __call__(self, payload: Any) -> None:
        if self._fired:  # an emission inside this one was first
            return
        self._fired = True
        self._emitter.discard(self._kind, self)
        self.listener(payload)

    def __eq__(self, other: object) -> bool:
        return self.listener == other

    __hash__ = None  # type: ignore[assignment]  # compared, never looked up


def _refuse_unfit(event: str | type, listener: object) -> None:
    is_async = inspect.iscoroutinefunction(listener) or inspect.iscoroutinefunction(
        getattr(listener, "__call__", None)  # noqa: B004  # a callable object with an async __call__
    )
    if is_async or not callable(listener):
        raise InvalidListener(
            f"a listener for {event!r} must be a plain function, not {listener!r}"
        )
