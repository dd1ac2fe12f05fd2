"""What a turn is surrounded by: the same for its whole length, and for its dispatch."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tether.runtime.bus import EventSink
    from tether.runtime.byte_store import ByteStore
    from tether.runtime.clock import Clock
    from tether.runtime.gates import TurnGates
    from tether.runtime.storage import Storage


class Services(NamedTuple):
    """Storage, bytes, listeners, time and gates. `gates` is None where none can be opened."""

    storage: Storage
    byte_store: ByteStore
    sink: EventSink
    clock: Clock
    gates: TurnGates | None
