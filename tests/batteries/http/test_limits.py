"""A time limit ends a connection from outside, in whatever state it is."""

from __future__ import annotations

import socket
from collections.abc import Callable
from threading import Event
from typing import Any

import pytest

from tether.batteries.http.limits import TimeLimit


class Stream:
    """The stream of an HTTP client, with the part that the limit uses."""

    def __init__(self, opened: socket.socket) -> None:
        self._opened = opened

    def get_extra_info(self, name: str) -> socket.socket | None:
        return self._opened if name == "socket" else None


def over(limit: TimeLimit) -> bool:
    waiting = Event()
    for _ in range(1000):
        if limit.is_over:
            return True
        waiting.wait(0.01)
    return False


@pytest.mark.parametrize(
    "step", ["connection.connect_tcp.complete", "connection.start_tls.complete"]
)
def test_a_read_that_waits_is_ended(step: str) -> None:
    here, there = socket.socketpair()
    with here, there, TimeLimit(0.05) as limit:
        limit.trace(step, {"return_value": Stream(here)})
        assert here.recv(1) == b""
        assert limit.is_over


def _closed(limit: TimeLimit) -> None:
    here, there = socket.socketpair()
    limit.trace("connection.connect_tcp.complete", {"return_value": Stream(here)})
    here.close()
    there.close()


def _nothing(limit: TimeLimit) -> None:
    limit.trace("connection.connect_tcp.started", {"host": "example.org"})


@pytest.mark.parametrize("before", [_closed, _nothing], ids=["closed", "not connected"])
def test_a_connection_that_is_not_there_needs_no_end(before: Callable[[TimeLimit], Any]) -> None:
    with TimeLimit(0.05) as limit:
        before(limit)
        assert over(limit)


def test_an_exchange_in_time_is_left_alone() -> None:
    here, there = socket.socketpair()
    with here, there:
        with TimeLimit(60) as limit:
            limit.trace("connection.connect_tcp.complete", {"return_value": Stream(here)})
        there.send(b"x")
        assert here.recv(1) == b"x"
        assert not limit.is_over
