"""What PostgreSQL says went wrong, in the words of this package."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tether.core.errors import StoreDamaged, StoreFailed, TetherError, error_text

if TYPE_CHECKING:
    from psycopg import Error

_LOST = "the connection was refused or lost: see that the server runs, and try again"

_ADVICE = {
    "25006": "the server takes no writes now: use the primary",
    "28P01": "the password was refused: look at the address of the store",
    "42501": "the user may not do that: grant it, or use another user",
    "42P07": "a table of another program is in the way: give the store a schema of its own, "
    "by `?options=-csearch_path%3Dtether` in its address",
    "53100": "the server's disk is full: make room and try again; nothing was half written",
    "53300": "the server has no connection left: try again, or allow more of them",
    "55P03": "others wrote to the store for too long: try again, or end the process that holds it",
}
"""By SQLSTATE."""

_DAMAGED = ("XX001", "XX002")
_LASTING = ("25006", "28P01", "42501")
_PASSING_CLASSES = ("08", "40", "53", "55", "57")
"""Connections, conflicts, resources, states and operators: it may work another time."""


@contextmanager
def translated(place: str) -> Generator[None, None, None]:
    """Turn errors of the driver in a block into those of this package; no password is shown."""
    import psycopg  # noqa: PLC0415

    try:
        yield
    except psycopg.Error as error:
        raise _translation(error, place) from error


def _translation(error: Error, place: str) -> TetherError:
    from psycopg import OperationalError  # noqa: PLC0415

    state = error.sqlstate
    reason = error_text(error).splitlines()[0]
    if state in _DAMAGED:
        return StoreDamaged(f"{place}: it is damaged ({reason}): put a backup in its place")
    if state is None:
        lost = isinstance(error, OperationalError)
        advice = f"{_LOST} ({reason})" if lost else f"the driver refused: {reason}"
        return StoreFailed(f"{place}: {advice}", retryable=lost)
    passing = state[:2] in _PASSING_CLASSES and state not in _LASTING
    advice = _ADVICE.get(state, f"PostgreSQL refused ({state}): {reason}")
    return StoreFailed(f"{place}: {advice}", retryable=passing)
