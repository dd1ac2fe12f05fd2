"""Tables that are brought up to date: by one process, whole or not at all."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from support.stores import unmeasured_environment
from tether.batteries.storage.errors import StoreFailed, StoreFormatUnsupported
from tether.batteries.storage.postgres import PostgresDatabase
from tether.batteries.storage.sql.database import Database
from tether.batteries.storage.sql.schema import MIGRATIONS, Migration, migrate
from tether.batteries.storage.sqlite import SqliteDatabase

SECOND = Migration(
    version=len(MIGRATIONS) + 1,
    templates=(
        "CREATE TABLE pets (name {text} NOT NULL){end}",
        "INSERT INTO pets (name) VALUES ('Rex')",
        "CREATE INDEX pets_by_name ON pets (name)",
    ),
)


@pytest.fixture(params=["file", "postgres"])
async def database(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Database]:
    opened: Database = (
        await SqliteDatabase.open(tmp_path / "store.db")
        if request.param == "file"
        else await PostgresDatabase.open(request.getfixturevalue("postgres_url"))
    )
    yield opened
    await opened.aclose()


async def versions(database: Database) -> list[int]:
    rows = await database.query("SELECT version FROM tether_schema ORDER BY version")
    return [row["version"] for row in rows]


def test_versions_count_from_one() -> None:
    assert [step.version for step in MIGRATIONS] == list(range(1, len(MIGRATIONS) + 1))


async def test_every_step_is_made_once(database: Database) -> None:
    assert await versions(database) == [1]
    assert await migrate(database) == 1
    assert await migrate(database, (*MIGRATIONS, SECOND)) == 1
    assert await migrate(database, (*MIGRATIONS, SECOND)) == 2
    assert await versions(database) == [1, 2]
    assert await database.query("SELECT name FROM pets") == [{"name": "Rex"}]
    with pytest.raises(StoreFormatUnsupported, match="version 2"):
        await migrate(database)


async def test_a_step_that_fails_leaves_the_version_before(database: Database) -> None:
    broken = Migration(version=2, templates=(*SECOND.templates, "CREATE NONSENSE"))
    with pytest.raises(StoreFailed):
        await migrate(database, (*MIGRATIONS, broken))
    assert await versions(database) == [1]
    with pytest.raises(StoreFailed):
        await database.query("SELECT name FROM pets")
    assert await migrate(database, (*MIGRATIONS, SECOND)) == 1


async def test_who_waited_finds_the_step_made(database: Database) -> None:
    steps = (*MIGRATIONS, SECOND)
    assert await asyncio.gather(*(migrate(database, steps) for _ in range(3))) == [1, 2, 2]
    assert await versions(database) == [1, 2]


async def test_case_123_of_several_at_once_one_makes_each_step(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    several = await asyncio.gather(*(SqliteDatabase.open(path) for _ in range(4)))
    steps = (*MIGRATIONS, SECOND)
    await asyncio.gather(*(migrate(database, steps) for database in several))
    assert await versions(several[0]) == [1, 2]
    assert await several[0].query("SELECT name FROM pets") == [{"name": "Rex"}]
    for database in several:
        await database.aclose()


KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from tether.batteries.storage import sqlite
from tether.batteries.storage.sql.schema import MIGRATIONS, Migration, migrate
from tether.batteries.storage.sqlite import SqliteDatabase

folder, templates = Path(sys.argv[1]), tuple(sys.argv[2:])
second = Migration(version=len(MIGRATIONS) + 1, templates=templates)
executed, left = sqlite._executed, 0

def killing(connection, sql, arguments):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return executed(connection, sql, arguments)

async def work(path, new):
    database = await SqliteDatabase.open(path)
    if new:
        await migrate(database, (*MIGRATIONS, second))
    await database.aclose()

def killed_at(statement, path, new):
    global left
    child = os.fork()
    if child == 0:
        left = statement
        sqlite._executed = killing
        asyncio.run(work(path, new))
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL

for name, new in (("new", False), ("old", True)):
    statement = 1
    if new:
        asyncio.run(work(folder / "made.db", False))
    while True:
        path = folder / f"{name}-{statement}.db"
        if new:
            path.write_bytes((folder / "made.db").read_bytes())
        if not killed_at(statement, path, new):
            break
        asyncio.run(work(path, False))  # this version opens the rest
        statement += 1 if statement < 4 else 3
print(statement)
"""


def test_case_123_killed_at_any_statement_the_old_version_still_opens(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path), *SECOND.templates],
        capture_output=True,
        text=True,
        check=False,
        env=unmeasured_environment(),
    )
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) > len(SECOND.templates)


async def test_the_tables_are_the_same_in_both(database: Database) -> None:
    """Names of tables and columns, as each database tells them."""
    if database.dialect == "sqlite":
        rows = await database.query(
            "SELECT t.name AS place, c.name AS name FROM sqlite_schema AS t, "
            "pragma_table_info(t.name) AS c WHERE t.type = 'table'"
        )
    else:
        rows = await database.query(
            "SELECT table_name AS place, column_name AS name FROM information_schema.columns "
            "WHERE table_schema = current_schema()"
        )
    found = {(row["place"], row["name"]) for row in rows}
    wanted = {
        (table, column)
        for template in MIGRATIONS[0].templates
        for table, body in re.findall(r"(?s)CREATE TABLE (\w+) \((.*)\)\{end\}", template)
        for column in re.findall(r"(\w+) \{(?:text|int|bytes)\}", body)
    }
    assert found == wanted | {("tether_schema", "version")}
