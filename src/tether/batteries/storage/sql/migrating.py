"""Bringing the tables of a store to the version that this package works with."""

from __future__ import annotations

from collections.abc import Sequence

from tether.batteries.storage.sql.database import Database, Transaction
from tether.batteries.storage.sql.schema import MIGRATIONS, Migration
from tether.core.errors import StoreFormatUnsupported

_VERSIONS = "CREATE TABLE IF NOT EXISTS tether_schema (version INTEGER PRIMARY KEY)"


async def migrate(database: Database, migrations: Sequence[Migration] = MIGRATIONS) -> int:
    """Make the steps that are missing, each in one transaction; return the version before.

    Whoever is killed in between leaves a store of the version before. Of several processes each
    step is made by one, because writers take turns and look at the version in their turn. Raises
    `StoreFormatUnsupported` for a store of a newer version, which stays as it is.
    """
    async with database.writing() as transaction:
        strict = " STRICT" if database.dialect == "sqlite" else ""
        await transaction.execute(_VERSIONS + strict)
        before = await _version(transaction)
    newest = max(migration.version for migration in migrations)
    if before > newest:
        raise StoreFormatUnsupported(
            f"the store has version {before} and this program knows up to {newest}: "
            "use the newer program that made it, or name another store"
        )
    for migration in migrations:
        if migration.version > before:
            await _make(database, migration)
    return before


async def _make(database: Database, migration: Migration) -> None:
    async with database.writing() as transaction:
        if await _version(transaction) >= migration.version:
            return
        for statement in migration.statements(database.dialect):
            await transaction.execute(statement)
        await transaction.execute(
            "INSERT INTO tether_schema (version) VALUES (?)", (migration.version,)
        )


async def _version(transaction: Transaction) -> int:
    rows = await transaction.query("SELECT coalesce(max(version), 0) AS version FROM tether_schema")
    return int(rows[0]["version"])
