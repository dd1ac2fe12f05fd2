"""The gates of one turn: opened here, announced here, and none left open behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from tether.core.checks import Checks
from tether.core.errors import InvalidInitialTurnGateValue
from tether.core.events import TurnGateClosed
from tether.runtime.gate import GateRequest, TurnGate

if TYPE_CHECKING:
    from tether.core.events import GateResult
    from tether.runtime.abort import AbortSignal
    from tether.runtime.bus import EventSink
    from tether.runtime.clock import Clock

T = TypeVar("T")


class TurnGates:
    """Opens gates for one turn and tells observers of both their ends."""

    __slots__ = ("_clock", "_open", "_sink", "_turn_id")

    def __init__(self, turn_id: str, sink: EventSink, clock: Clock) -> None:
        self._turn_id = turn_id
        self._sink = sink
        self._clock = clock
        self._open: dict[int, TurnGate[Any]] = {}

    def open(self, request: GateRequest[T], signal: AbortSignal) -> TurnGate[T]:
        """Open a gate that closes with `signal`; `turn_gate_open` has fired when this returns."""
        check = Checks()
        check.instance("request", request, GateRequest, "a GateRequest")
        check.done(InvalidInitialTurnGateValue)
        gate = TurnGate(request, self._turn_id, self._closed)
        self._open[id(gate)] = gate
        self._sink.record(gate)
        gate.arm(signal, self._clock)
        return gate

    def close_all(self) -> None:
        """Abort what is still open; called when the turn ends."""
        for gate in tuple(self._open.values()):
            gate.abort()

    def _closed(self, gate: TurnGate[Any], result: GateResult) -> None:
        self._open.pop(id(gate), None)
        self._sink.record(TurnGateClosed(self._turn_id, gate.id, result, self._clock.now()))
