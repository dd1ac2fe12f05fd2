"""Case 124: faults of a server, and their effect on a write."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import psycopg
import pytest

from support.stores import context
from support.turns import message
from tether.batteries.storage.errors import StoreDamaged, StoreFailed, StoreFormatUnsupported
from tether.batteries.storage.postgres import PostgresDatabase, PostgresStore
from tether.core.errors import InputRefused

KILL_OWN = "SELECT pg_terminate_backend(pg_backend_pid())"
KILL_OTHERS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE pid <> pg_backend_pid() AND application_name = 'tether'"
)


@pytest.fixture
async def database(emptied_url: str) -> AsyncIterator[PostgresDatabase]:
    opened = await PostgresDatabase.open(emptied_url)
    yield opened
    await opened.aclose()


async def blobs(database: PostgresDatabase) -> list[str]:
    return [row["id"] for row in await database.query("SELECT id FROM blobs ORDER BY id")]


async def keep(database: PostgresDatabase, id: str, *afterwards: str) -> None:
    async with database.writing() as transaction:
        await transaction.execute("INSERT INTO blobs (id, bytes) VALUES (?, ?)", (id, b""))
        for statement in afterwards:
            await transaction.query(statement)


async def test_a_connection_killed_in_a_transaction_undoes_it_and_the_next_goes_on(
    database: PostgresDatabase,
) -> None:
    with pytest.raises(StoreFailed) as caught:
        await keep(database, "a", KILL_OWN)
    assert caught.value.retryable
    await keep(database, "b")
    assert await blobs(database) == ["b"]


async def test_connections_lost_while_idle_are_not_noticed_by_anybody(
    database: PostgresDatabase, emptied_url: str
) -> None:
    other = await PostgresDatabase.open(emptied_url)
    await keep(database, "a")
    await other.query(KILL_OTHERS)
    await keep(database, "b")
    assert await blobs(database) == ["a", "b"]
    await other.aclose()


async def test_a_message_written_again_after_a_lost_connection_is_there_once(
    emptied_url: str,
) -> None:
    store = await PostgresStore.open(emptied_url)
    ctx, record = await context("c"), message("m")
    await store.store_message(ctx, record)  # as if the answer to the commit had been lost
    await store.store_message(ctx, record)
    assert await store.fetch_messages(ctx) == [record]
    await store.aclose()


@pytest.mark.parametrize(
    ("statement", "reason", "retryable"),
    [
        ("SELEC 1", "refused .42601.", False),
        ("SELECT 1 / 0", "division by zero", False),
        ("INSERT INTO blobs (id, bytes) VALUES ('a', '')", "refused .23505.", False),
    ],
)
async def test_what_the_server_refuses_is_told(
    database: PostgresDatabase, statement: str, reason: str, retryable: bool
) -> None:
    with pytest.raises(StoreFailed, match=reason) as caught:
        await keep(database, "a", statement)
    assert caught.value.retryable is retryable
    assert await blobs(database) == []


@pytest.mark.parametrize(
    ("state", "error", "reason"),
    [
        ("XX001", StoreDamaged, "backup"),
        ("53100", StoreFailed, "disk is full"),
        ("53300", StoreFailed, "no free connection"),
        ("42501", StoreFailed, "lacks a permission"),
        ("40001", StoreFailed, "40001"),
    ],
)
async def test_states_of_the_server_are_put_into_words(
    database: PostgresDatabase, state: str, error: type[Exception], reason: str
) -> None:
    raising = f"DO $$ BEGIN RAISE EXCEPTION 'oh' USING ERRCODE = '{state}'; END $$"
    with pytest.raises(error, match=reason) as caught:
        await keep(database, "a", raising)
    assert getattr(caught.value, "retryable", None) is (state in ("53100", "53300", "40001"))


async def test_a_wrong_number_of_arguments_is_the_drivers_to_refuse(
    database: PostgresDatabase,
) -> None:
    with pytest.raises(StoreFailed, match="driver refused") as caught:
        await database.query("SELECT ?", ("a", "b"))
    assert not caught.value.retryable


async def test_signs_in_literals_are_left_alone(database: PostgresDatabase) -> None:
    [row] = await database.query("SELECT 'a?%''?' AS a, ? AS b, 7 % 4 AS c", ("%s",))
    assert row == {"a": "a?%'?", "b": "%s", "c": 3}


async def test_a_statement_that_takes_too_long_is_ended(emptied_url: str) -> None:
    database = await PostgresDatabase.open(with_option(emptied_url, "statement_timeout=500"))
    with pytest.raises(StoreFailed, match="57014") as caught:
        await keep(database, "a", "SELECT pg_sleep(10)")
    assert caught.value.retryable
    assert await blobs(database) == []
    await database.aclose()


async def test_a_server_that_takes_no_writes_is_named(emptied_url: str) -> None:
    await (await PostgresDatabase.open(emptied_url)).aclose()
    with pytest.raises(StoreFailed, match="primary") as caught:
        await PostgresDatabase.open(with_option(emptied_url, "default_transaction_read_only=on"))
    assert not caught.value.retryable


def with_option(address: str, option: str) -> str:
    from psycopg.conninfo import conninfo_to_dict, make_conninfo

    options = conninfo_to_dict(address)["options"]
    return make_conninfo(address, options=f"{options} -c {option}")


async def test_whoever_waits_too_long_for_another_process_is_told(
    database: PostgresDatabase, emptied_url: str
) -> None:
    other = await PostgresDatabase.open(emptied_url, lock_limit_s=0.1)
    async with database.writing() as transaction:
        with pytest.raises(StoreFailed, match="too long"):
            await keep(other, "a")
        await transaction.execute("INSERT INTO blobs (id, bytes) VALUES ('b', '')")
    assert await blobs(other) == ["b"]
    await other.aclose()


async def test_a_transaction_cannot_be_used_after_its_end(database: PostgresDatabase) -> None:
    async with database.writing() as transaction:
        pass
    with pytest.raises(StoreFailed, match="after its end"):
        await transaction.execute("SELECT 1")
    with pytest.raises(StoreFailed, match="after its end"):
        await transaction.execute_all(["SELECT 1"])


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("postgresql://me:hunter2@127.0.0.1:1/store", "server runs"),
        ("postgresql://me:hunter2@localhost:port/store", "server runs"),
        ("me:hunter2@localhost", "not the address"),
    ],
)
async def test_an_address_where_nobody_is_does_not_tell_the_password(
    address: str, reason: str
) -> None:
    with pytest.raises((StoreFailed, InputRefused), match=reason) as caught:
        await PostgresStore.open(address)
    assert "hunter2" not in str(caught.value)


async def test_a_closed_store_says_so(emptied_url: str) -> None:
    store = await PostgresStore.open(emptied_url)
    await store.aclose()
    await store.aclose()
    with pytest.raises(StoreFailed):
        await store.conversations()
    with pytest.raises(StoreFailed):
        await store.begin()


async def test_without_the_driver_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg_pool", None)
    with pytest.raises(InputRefused, match=r"tether\[postgres\]"):
        await PostgresStore.open("postgresql:///store")


async def test_the_key_is_in_the_database_or_in_a_file(emptied_url: str, tmp_path: Path) -> None:
    stores = [await PostgresStore.open(emptied_url)]
    [first] = await stores[0].database.query("SELECT key FROM tether_keys")
    stores.append(await PostgresStore.open(emptied_url))
    assert await stores[0].database.query("SELECT key FROM tether_keys") == [first]
    stores.append(await PostgresStore.open(emptied_url, key_file=tmp_path / "key"))
    own = (tmp_path / "key").read_bytes()
    assert len(first["key"]) == len(own) == 32
    assert own != first["key"]
    with pytest.raises(StoreFailed, match="directory"):
        await PostgresStore.open(emptied_url, key_file=tmp_path)
    for store in stores:
        await store.aclose()


async def test_the_tables_of_another_program_are_left_alone(postgres_url: str) -> None:
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("CREATE TABLE conversations (id INTEGER)")
        with pytest.raises(StoreFailed, match="its own schema"):
            await PostgresStore.open(postgres_url)
        found = connection.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
        )
        assert found.fetchall() == [("conversations",)]


async def test_a_damaged_key_and_a_newer_version_are_refused(postgres_url: str) -> None:
    store = await PostgresStore.open(postgres_url)
    async with store.database.writing() as transaction:
        await transaction.execute("UPDATE tether_keys SET key = ?", (b"short",))
    with pytest.raises(StoreDamaged, match="tether_keys"):
        await PostgresStore.open(postgres_url)
    async with store.database.writing() as transaction:
        await transaction.execute("INSERT INTO tether_schema (version) VALUES (999)")
    with pytest.raises(StoreFormatUnsupported, match="999"):
        await PostgresStore.open(postgres_url)
    await store.aclose()
