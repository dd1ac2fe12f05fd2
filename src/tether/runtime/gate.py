"""Gates: where a turn waits for a decision from outside."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, cast, overload

from tether.core.checks import MISSING, Checks, freeze, has_methods, in_short, refuses_with
from tether.core.errors import Problem, error_text
from tether.core.events import TurnGateClosed
from tether.runtime.errors import (
    InvalidInitialTurnGateValue,
    InvalidTurnGateResolution,
    TurnGateAborted,
    TurnGateTimeout,
)
from tether.runtime.schema import type_validator

if TYPE_CHECKING:
    from datetime import datetime

    from tether.core.events import GateResult
    from tether.core.times import TimeInput
    from tether.runtime.abort import AbortSignal
    from tether.runtime.bus import EventSink
    from tether.runtime.clock import Clock, Timer


T = TypeVar("T")

T_co = TypeVar("T_co", covariant=True)


class Validator(Protocol[T_co]):
    """Anything that turns a value into a valid one, or raises."""

    def validate(self, value: Any) -> T_co:
        """Return the (possibly coerced) value; raise if it does not fit."""
        ...


@refuses_with(InvalidInitialTurnGateValue)
@dataclass(frozen=True, slots=True, kw_only=True, init=False, repr=False, eq=False)
class GateRequest(Generic[T]):
    """A decision to be made.

    `reason` is the kind of decision, `payload` the information needed to decide.
    `schema` is a type (a pydantic model, `bool`, …) or an object with a `validate` method: only a
    valid value resolves the gate. Without `timeout_ms` it may wait forever.
    Raises `InvalidInitialTurnGateValue`.
    """

    id: str
    reason: str
    payload: Any
    created_at: datetime
    schema: type[T] | Validator[T] | None
    timeout_ms: int | None
    validate: Callable[[Any], T]

    @overload
    def __init__(
        self: GateRequest[Any],
        *,
        id: str,
        reason: str,
        payload: Any,
        created_at: TimeInput,
        schema: None = None,
        timeout_ms: int | None = None,
    ) -> None: ...
    @overload
    def __init__(
        self,
        *,
        id: str,
        reason: str,
        payload: Any,
        created_at: TimeInput,
        schema: type[T] | Validator[T],
        timeout_ms: int | None = None,
    ) -> None: ...
    @overload
    def __init__(
        self: GateRequest[Any],
        *,
        id: str,
        reason: str,
        payload: Any,
        created_at: TimeInput,
        schema: Any,
        timeout_ms: int | None = None,
    ) -> None: ...
    def __init__(
        self,
        *,
        id: str,
        reason: str,
        payload: Any,
        created_at: TimeInput,
        schema: Any = None,
        timeout_ms: int | None = None,
    ) -> None:
        check = Checks()
        if timeout_ms is not None:
            check.whole_number("timeout_ms", timeout_ms)
        if payload is MISSING:
            check.fail("payload", "is required (None is a payload)")
        freeze(
            self,
            id=check.identifier("id", id),
            reason=check.identifier("reason", reason),
            payload=payload,
            created_at=check.time("created_at", created_at),
            schema=schema,
            timeout_ms=timeout_ms,
            validate=_validation(check, schema),
        )
        check.done(InvalidInitialTurnGateValue)


class TurnGate(Generic[T]):
    """A decision that is awaited, and settled exactly once.

    The runner makes gates, from `ctx.wait_for` and `ctx.open_gate`; the `turn_gate_open` event
    passes them to the code that can settle them. Like all of asyncio it belongs to one thread: from
    another one, use `loop.call_soon_threadsafe(gate.resolve, value)`.
    """

    __slots__ = (
        "_abandon",
        "_error",
        "_on_close",
        "_request",
        "_timer",
        "_value",
        "_waiters",
        "result",
        "turn_id",
    )

    def __init__(
        self,
        request: GateRequest[T],
        turn_id: str,
        on_close: Callable[[TurnGate[Any], GateResult], None],
    ) -> None:
        self._request = request
        self._on_close = on_close
        self._timer: Timer | None = None
        self._abandon: list[Callable[[], None]] = []
        self._waiters: list[asyncio.Future[None]] = []
        self._value: T | None = None
        self._error: Exception | None = None
        self.turn_id = turn_id
        self.result: GateResult | None = None

    @property
    def id(self) -> str:
        """The caller's key for this decision."""
        return self._request.id

    @property
    def reason(self) -> str:
        """The kind of decision."""
        return self._request.reason

    @property
    def payload(self) -> Any:
        """The information needed to decide."""
        return self._request.payload

    @property
    def created_at(self) -> datetime:
        """The time of the request."""
        return self._request.created_at

    @property
    def schema(self) -> type[T] | Validator[T] | None:
        """The type or validator of a resolution."""
        return self._request.schema

    @property
    def is_settled(self) -> bool:
        """Whether the gate has a result, of any kind."""
        return self.result is not None

    def resolve(self, value: Any) -> None:
        """Settle with a value, validated and coerced by the schema; no effect if settled.

        Raises `InvalidTurnGateResolution` if it is not valid: the gate then stays open.
        """
        if self.result is not None:
            return
        try:
            answer = self._request.validate(value)
        except InvalidTurnGateResolution:
            raise
        except Exception as error:
            raise InvalidTurnGateResolution([Problem("value", error_text(error))]) from error
        if self.result is not None:  # the validation itself closed it
            return
        self._value = answer
        self._settle("resolved")

    def reject(self, error: Exception) -> None:
        """Settle with an error, which `wait` raises unchanged; no effect if settled."""
        self._fail("rejected", error)

    def abort(self) -> None:
        """Close without a decision: `wait` raises `TurnGateAborted`; no effect if settled."""
        self._fail(
            "aborted", TurnGateAborted(f"the gate {self.id!r} was closed before it was settled")
        )

    async def wait(self) -> T:
        """Wait for the decision. Cancelling one waiter closes the gate for all of them."""
        if self.result is None:
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiters.append(waiter)
            try:
                await waiter
            except asyncio.CancelledError:
                self.abort()
                raise
        if self._error is not None:
            raise self._error
        return cast("T", self._value)

    def arm(self, signals: Iterable[AbortSignal], clock: Clock) -> None:
        """Start the time-out and listen to the signals; one that is on closes it at once."""
        if self.result is not None:  # an observer settled it while it was being announced
            return
        if self._request.timeout_ms is not None:
            self._timer = clock.call_later(self._request.timeout_ms / 1000, self._expire)
        for signal in signals:
            if self.result is None:
                self._abandon.append(signal.on_abort(self.abort))

    def _expire(self) -> None:
        late = f"the gate {self.id!r} was not settled within {self._request.timeout_ms} ms"
        self._fail("timeout", TurnGateTimeout(late))

    def _fail(self, result: GateResult, error: Exception) -> None:
        if self.result is not None:
            return
        if not isinstance(error, Exception):
            raise TypeError(f"a gate is rejected with an Exception, not {in_short(error)}")
        self._error = error
        self._settle(result)

    def _settle(self, result: GateResult) -> None:
        self.result = result
        if self._timer is not None:
            self._timer.cancel()
        for abandon in self._abandon:
            abandon()
        self._timer = None
        self._abandon.clear()
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)
        self._waiters.clear()
        self._on_close(self, result)


class TurnGates:
    """Opens the gates of one turn, and reports their opening and closing."""

    __slots__ = ("_announcing", "_clock", "_is_over", "_open", "_signal", "_turn_id")

    def __init__(self, turn_id: str, signal: AbortSignal, clock: Clock) -> None:
        self._turn_id = turn_id
        self._signal = signal
        self._clock = clock
        self._is_over = False
        self._open: dict[int, TurnGate[Any]] = {}
        self._announcing: dict[int, list[TurnGateClosed]] = {}

    def open(self, request: GateRequest[T], signal: AbortSignal, sink: EventSink) -> TurnGate[T]:
        """Open a gate; `turn_gate_open` has fired when this returns.

        It closes with `signal`, with the turn's signal, and with the turn. After the turn, opening
        a gate raises `TurnGateAborted`.
        """
        check = Checks()
        check.instance("request", request, GateRequest, "a GateRequest")
        check.done(InvalidInitialTurnGateValue)
        if self._is_over:
            raise TurnGateAborted(f"the gate {request.id!r} was not opened: the turn is over")
        gate = TurnGate(request, self._turn_id, partial(self._closed, sink))
        self._open[id(gate)] = gate
        self._announce(gate, sink)
        gate.arm({signal, self._signal}, self._clock)
        return gate

    def close_all(self) -> None:
        """Abort all open gates and refuse new ones; called when the turn ends."""
        self._is_over = True
        for gate in tuple(self._open.values()):
            gate.abort()

    def _announce(self, gate: TurnGate[Any], sink: EventSink) -> None:
        """Report that it is open; if an observer closes it, all see the opening first."""
        held = self._announcing[id(gate)] = []
        sink.record(gate)
        del self._announcing[id(gate)]
        for event in held:
            sink.record(event)

    def _closed(self, sink: EventSink, gate: TurnGate[Any], result: GateResult) -> None:
        self._open.pop(id(gate), None)
        event = TurnGateClosed(self._turn_id, gate.id, result, self._clock.now())
        held = self._announcing.get(id(gate))
        if held is None:
            sink.record(event)
        else:
            held.append(event)


def _validation(check: Checks, schema: Any) -> Callable[[Any], Any]:
    if schema is None:
        return lambda value: value
    if has_methods(schema, "validate"):
        validate = cast("Validator[Any]", schema).validate
        if inspect.iscoroutinefunction(validate):
            check.fail("schema", "its validate method must be a plain function")
        return validate
    try:
        return type_validator(schema)
    except ValueError as error:
        check.fail("schema", str(error))
        return lambda value: value
