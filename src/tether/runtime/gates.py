"""The gates of one turn: opened here, announced here, and none left open behind it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from tether.core.checks import Checks
from tether.core.errors import InvalidInitialTurnGateValue, TurnGateAborted
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

        It closes with `signal`, with the turn's own, and with the turn: after that, none can be
        opened, and `TurnGateAborted` is raised.
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
        """Abort what is still open, and open no more; called when the turn ends."""
        self._is_over = True
        for gate in tuple(self._open.values()):
            gate.abort()

    def _announce(self, gate: TurnGate[Any], sink: EventSink) -> None:
        """Tell that it is open; if an observer closes it, all hear of the opening first."""
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
