"""Stores: where records live between turns."""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tether.batteries.storage.memory import MemoryStorage
    from tether.batteries.storage.port import Store
    from tether.batteries.storage.postgres import PostgresStore
    from tether.batteries.storage.records import (
        Conversation,
        Exchange,
        GateRow,
        Instruction,
        MemoryRecord,
    )
    from tether.batteries.storage.sqlite import SqliteStore

__all__ = [
    "Conversation",
    "Exchange",
    "GateRow",
    "Instruction",
    "MemoryRecord",
    "MemoryStorage",
    "PostgresStore",
    "SqliteStore",
    "Store",
]

_HOMES = {
    "Conversation": "records",
    "Exchange": "records",
    "GateRow": "records",
    "Instruction": "records",
    "MemoryRecord": "records",
    "MemoryStorage": "memory",
    "PostgresStore": "postgres",
    "SqliteStore": "sqlite",
    "Store": "port",
}

if not TYPE_CHECKING:  # hidden from checkers, which would take any name for granted

    def __getattr__(name: str) -> object:
        """Load a class when it is first asked for."""
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(_import_module(f"{__name__}.{_HOMES[name]}"), name)
        return value

    def __dir__() -> list[str]:
        """List the public names, loaded or not."""
        return sorted({*globals(), *__all__})
