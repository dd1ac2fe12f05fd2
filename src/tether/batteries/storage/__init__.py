"""Stores: where records live between turns."""

from typing import TYPE_CHECKING

from tether.late import late_names as _late_names

if TYPE_CHECKING:
    from tether.batteries.storage.memory import MemoryStorage as MemoryStorage
    from tether.batteries.storage.port import Store as Store
    from tether.batteries.storage.postgres import PostgresStore as PostgresStore
    from tether.batteries.storage.records import Conversation as Conversation
    from tether.batteries.storage.records import Exchange as Exchange
    from tether.batteries.storage.records import GateRow as GateRow
    from tether.batteries.storage.records import Instruction as Instruction
    from tether.batteries.storage.records import MemoryRecord as MemoryRecord
    from tether.batteries.storage.sqlite import SqliteStore as SqliteStore

    __all__: list[str]
else:
    __all__, __getattr__, __dir__ = _late_names(
        __name__,
        """
        tether.batteries.storage.memory: MemoryStorage
        tether.batteries.storage.port: Store
        tether.batteries.storage.postgres: PostgresStore
        tether.batteries.storage.records: Conversation Exchange GateRow Instruction MemoryRecord
        tether.batteries.storage.sqlite: SqliteStore
        """,
    )
