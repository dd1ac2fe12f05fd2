"""The tables of a store, as migrations, and running the migrations that are missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from tether.batteries.storage.errors import StoreFormatUnsupported
from tether.batteries.storage.sql.database import Database, Dialect, Transaction

# "C" sorts by bytes, as SQLite does: times and ids are compared the same way in both.
_WORDS: Mapping[Dialect, Mapping[str, str]] = MappingProxyType(
    {
        "sqlite": {"text": "TEXT", "int": "INTEGER", "bytes": "BLOB", "end": " STRICT"},
        "postgres": {"text": 'TEXT COLLATE "C"', "int": "BIGINT", "bytes": "BYTEA", "end": ""},
    }
)

_VERSIONS = "CREATE TABLE IF NOT EXISTS tether_schema (version INTEGER PRIMARY KEY)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """The step from the previous version to this one."""

    version: int
    templates: tuple[str, ...]

    def statements(self, dialect: Dialect) -> tuple[str, ...]:
        """Return the statements in a dialect."""
        return tuple(template.format_map(_WORDS[dialect]) for template in self.templates)


_RECORDS = ("messages", "thoughts", "tool_calls", "retrievables")

_FIRST = Migration(
    version=1,
    templates=(
        # The order of all writes: one row, one number.
        "CREATE TABLE tether_order (one {int} PRIMARY KEY, seq {int} NOT NULL){end}",
        "INSERT INTO tether_order (one, seq) VALUES (1, 0)",
        """CREATE TABLE conversations (
            owner {text} NOT NULL, id {text} NOT NULL, title {text} NOT NULL,
            created_at {text} NOT NULL, updated_at {text} NOT NULL, seq {int} NOT NULL,
            PRIMARY KEY (owner, id)){end}""",
        "CREATE INDEX conversations_by_use ON conversations (owner, seq)",
        """CREATE TABLE exchanges (
            owner {text} NOT NULL, turn {text} NOT NULL, conversation {text} NOT NULL,
            seq {int} NOT NULL, question {text} NOT NULL, answer {text} NOT NULL,
            details {text} NOT NULL, prompt {text} NOT NULL,
            PRIMARY KEY (owner, turn),
            FOREIGN KEY (owner, conversation) REFERENCES conversations (owner, id)
                ON DELETE CASCADE){end}""",
        "CREATE INDEX exchanges_in_order ON exchanges (owner, conversation, seq)",
        "CREATE INDEX exchanges_by_use ON exchanges (owner, seq)",
        *(
            statement
            for table in _RECORDS
            for statement in (
                f"""CREATE TABLE {table} (
                    owner {{text}} NOT NULL, conversation {{text}} NOT NULL, id {{text}} NOT NULL,
                    seq {{int}} NOT NULL, body {{text}} NOT NULL, PRIMARY KEY (seq)){{end}}""",
                f"CREATE INDEX {table}_of ON {table} (owner, conversation, id)",
            )
        ),
        """CREATE TABLE memories (
            owner {text} NOT NULL, id {text} NOT NULL, body {text} NOT NULL, tier {text} NOT NULL,
            origin {text} NOT NULL, source {text} NOT NULL, conversation {text} NOT NULL,
            turn {text} NOT NULL, state {text} NOT NULL, tag {text} NOT NULL, seq {int} NOT NULL,
            PRIMARY KEY (owner, id)){end}""",
        "CREATE INDEX memories_by_source ON memories (owner, source)",
        """CREATE TABLE forgotten_sources (
            owner {text} NOT NULL, source {text} NOT NULL, at {text} NOT NULL,
            PRIMARY KEY (owner, source)){end}""",
        """CREATE TABLE instructions (
            owner {text} NOT NULL, id {text} NOT NULL, text {text} NOT NULL, state {text} NOT NULL,
            created_at {text} NOT NULL, confirmed_by {text} NOT NULL, seq {int} NOT NULL,
            PRIMARY KEY (owner, id)){end}""",
        """CREATE TABLE gates (
            id {text} PRIMARY KEY, owner {text} NOT NULL, run {text} NOT NULL, step {int} NOT NULL,
            tool {text} NOT NULL, arguments {text} NOT NULL, checksum {text} NOT NULL,
            reason {text} NOT NULL, state {text} NOT NULL, created_at {text} NOT NULL,
            expires_at {text} NOT NULL, decided_by {text} NOT NULL, decided_at {text},
            note {text} NOT NULL, result {text}, seq {int} NOT NULL,
            UNIQUE (run, step)){end}""",
        "CREATE INDEX gates_by_state ON gates (state, seq)",
        "CREATE TABLE blobs (id {text} PRIMARY KEY, bytes {bytes} NOT NULL){end}",
        """CREATE TABLE blob_uses (
            record {int} NOT NULL, blob {text} NOT NULL REFERENCES blobs (id),
            PRIMARY KEY (record, blob)){end}""",
        "CREATE INDEX blob_uses_of ON blob_uses (blob)",
        "CREATE TABLE tether_keys (one {int} PRIMARY KEY, key {bytes} NOT NULL){end}",
    ),
)

MIGRATIONS: tuple[Migration, ...] = (_FIRST,)
"""All migrations in order; versions count from 1."""


async def migrate(database: Database, migrations: Sequence[Migration] = MIGRATIONS) -> int:
    """Run the missing migrations in one transaction; return the previous version.

    If the process is killed, or a table of another program has the same name, nothing changes. Only
    one of several processes runs them, because writers take turns and check the version in their
    turn. Raises `StoreFormatUnsupported` for a store of a newer version, and leaves it unchanged.
    """
    newest = max(migration.version for migration in migrations)
    async with database.writing() as transaction:
        strict = " STRICT" if database.dialect == "sqlite" else ""
        await transaction.execute(_VERSIONS + strict)
        before = await _version(transaction)
        if before > newest:
            raise StoreFormatUnsupported(
                f"the store has version {before} and this program supports up to {newest}: "
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
