"""How listeners come and go, on either bus."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, overload

if TYPE_CHECKING:
    from tether.runtime.bus import Buses

E = TypeVar("E")


class Listening:
    """The six methods through which events are listened to.

    An event is named by its string ("turn_end") or by its class (`TurnEnd`), which types the
    listener. Listeners are plain functions, called at once and in order, and stay until removed:
    for all turns of the runner. A functional listener that raises fails whoever reported; an
    observer that raises is logged and disturbs nothing. Raise `UnknownEvent` and `InvalidListener`.
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
        """Stop listening, however often this listener was added; one that is not there is fine."""
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
        """Stop observing, however often this observer was added; one not there is fine."""
        self._buses.observability.remove(event, observer)
