"""Bringing the tables of a store to the version that this package works with."""

from __future__ import annotations

from collections.abc import Sequence

from tether.batteries.storage.sql.database import Database, Dialect, Transaction
from tether.batteries.storage.sql.schema import MIGRATIONS, Migration
from tether.core.errors import StoreFormatUnsupported

_VERSIONS = "CREATE TABLE IF NOT EXISTS tether_schema (version INTEGER PRIMARY KEY)"


async def migrate(database: Database, migrations: Sequence[Migration] = MIGRATIONS) -> int:
    """Make the steps that are missing, all in one transaction; return the version before.

    Whoever is killed in between, or finds tables of another program in the way, leaves what was
    there. Of several processes one makes them, because writers take turns and look at the version
    in their turn. Raises `StoreFormatUnsupported` for a store of a newer version, which stays as it
    is.
    """
    newest = max(migration.version for migration in migrations)
    async with database.writing() as transaction:
        strict = " STRICT" if database.dialect == "sqlite" else ""
        await transaction.execute(_VERSIONS + strict)
        before = await _version(transaction)
        if before > newest:
            raise StoreFormatUnsupported(
                f"the store has version {before} and this program knows up to {newest}: "
                "use the newer program that made it, or name another store"
            )
        for migration in migrations:
            if migration.version > before:
                await _make(transaction, migration, database.dialect)
    return before


async def _make(transaction: Transaction, migration: Migration, dialect: Dialect) -> None:
    await transaction.execute_all(migration.statements(dialect))
    await transaction.execute(
        "INSERT INTO tether_schema (version) VALUES (?)", (migration.version,)
    )


async def _version(transaction: Transaction) -> int:
    rows = await transaction.query("SELECT coalesce(max(version), 0) AS version FROM tether_schema")
    return int(rows[0]["version"])
