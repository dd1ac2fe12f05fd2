"""Gates: where a turn waits for a decision from outside."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, cast, overload

from tether.core.checks import MISSING, Checks, freeze, has_methods, in_short, refuses_with
from tether.core.errors import (
    InvalidInitialTurnGateValue,
    InvalidTurnGateResolution,
    Problem,
    TurnGateAborted,
    TurnGateTimeout,
    error_text,
)
from tether.runtime.schema import type_validator

if TYPE_CHECKING:
    from datetime import datetime

    from tether.core.events import GateResult
    from tether.core.times import TimeInput
    from tether.runtime.abort import AbortSignal
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
    """What is to be decided.

    `reason` says which kind of decision it is, `payload` what the one who decides needs to see.
    `schema` is a type (a pydantic model, `bool`, …) or an object with a `validate` method: only a
    fitting value opens the gate. Without `timeout_ms` it may stay closed for ever.
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
            whole = (
                isinstance(timeout_ms, int) and not isinstance(timeout_ms, bool) and timeout_ms >= 1
            )
            if not whole:
                check.refuse("timeout_ms", timeout_ms, "a whole number of at least 1")
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
    """A decision that is awaited: settled exactly once, by whichever comes first.

    The runner makes gates, from `ctx.wait_for` and `ctx.open_gate`; the `turn_gate_open` event
    hands them to whoever can settle them. Like everything of asyncio it belongs to one thread: from
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
        """Which kind of decision it is."""
        return self._request.reason

    @property
    def payload(self) -> Any:
        """What the one who decides needs to see."""
        return self._request.payload

    @property
    def created_at(self) -> datetime:
        """When it was asked."""
        return self._request.created_at

    @property
    def schema(self) -> type[T] | Validator[T] | None:
        """What a resolution must fit."""
        return self._request.schema

    @property
    def is_settled(self) -> bool:
        """Whether the decision is there, or can no longer come."""
        return self.result is not None

    def resolve(self, value: Any) -> None:
        """Settle with a value, validated and coerced by the schema; no effect if settled.

        Raises `InvalidTurnGateResolution` if it does not fit: the gate then stays open.
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
        """Settle with an error: the one who waits gets this very object; no effect if settled."""
        self._fail("rejected", error)

    def abort(self) -> None:
        """Close without a decision: who waits gets `TurnGateAborted`; no effect if settled."""
        self._fail(
            "aborted", TurnGateAborted(f"the gate {self.id!r} was closed before it was settled")
        )

    async def wait(self) -> T:
        """Wait for the decision. Cancelling one who waits closes the gate, for all who wait."""
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
        """Start the time-out and listen to the abort; a signal that is on closes it at once."""
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
