"""A limit on the whole time of an exchange, which no behaviour of the server can stretch."""

from __future__ import annotations

import socket
from contextlib import suppress
from threading import Lock, Timer
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Mapping

CONNECTED = frozenset(("connection.connect_tcp.complete", "connection.start_tls.complete"))
"""After these steps of an exchange there is a new socket."""


class TimeLimit:
    """Ends the connection of an exchange after so many seconds.

    The time-outs of HTTP clients are for a single read, and each byte that comes starts them
    again: a server that sends one now and then would hold a search for hours. Give `trace` to the
    client as the request's extension of that name, and look at `is_over` when the exchange fails.
    """

    __slots__ = ("_lock", "_socket", "_timer", "is_over")

    def __init__(self, seconds: float) -> None:
        self.is_over = False
        self._lock = Lock()
        self._socket: socket.socket | None = None
        self._timer = Timer(seconds, self._end)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._timer.cancel()

    def trace(self, step: str, facts: Mapping[str, Any]) -> None:
        """Take note of the socket that a step of the exchange has opened."""
        if step in CONNECTED:
            with self._lock:
                self._socket = facts["return_value"].get_extra_info("socket")

    def _end(self) -> None:
        with self._lock:
            self.is_over = True
            if self._socket is not None:
                with suppress(OSError):  # already closed
                    # Not the method of an encrypted socket, which is in use by another thread.
                    socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
