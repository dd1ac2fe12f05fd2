"""The files of a SQLite store: permissions, refused files, and traces of deleted data."""

from __future__ import annotations

import asyncio
import errno
import os
import sqlite3
import stat
from pathlib import Path
from typing import Any

import pytest

from support.remembered import said
from support.stores import context, open_sqlite
from support.turns import message
from tether.batteries.storage.errors import StoreDamaged, StoreFailed, StoreFormatUnsupported
from tether.batteries.storage.sql.lock import WriterLock
from tether.batteries.storage.sqlite import SqliteDatabase, SqliteStore
from tether.core.errors import InputRefused, TetherError


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o777])
async def test_only_the_owner_may_read_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    os.chmod(tmp_path, 0o755)  # noqa: PTH101
    before = os.umask(umask)
    try:
        store = await open_sqlite(tmp_path)
        await store.begin()
        modes = {path.name: mode(path) for path in files(tmp_path)}
        await store.backup(tmp_path / "copy.db")
        await store.aclose()
    finally:
        os.umask(before)
    names = ["", "-key", "-lock", "-shm", "-wal"]
    assert modes == dict.fromkeys((f"tether.db{name}" for name in names), 0o600)
    assert mode(tmp_path / "store") == 0o700
    assert mode(tmp_path / "copy.db") == 0o600
    assert mode(tmp_path) == 0o755


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def files(folder: Path) -> list[Path]:
    return sorted((folder / "store").iterdir())


async def test_how_the_file_is_kept(tmp_path: Path) -> None:
    store = await open_sqlite(tmp_path)
    database = store.database
    async with database.writing() as transaction:
        found = {
            name: next(iter((await transaction.query(f"PRAGMA {name}"))[0].values()))
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        }
        assert found == {
            "journal_mode": "wal",
            "synchronous": 2,
            "foreign_keys": 1,
            "busy_timeout": 5000,
        }
    [ours] = await database.query("PRAGMA application_id")
    assert ours["application_id"] == int.from_bytes(b"tthr", "big")
    tables = await database.query(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%STRICT'"
    )
    assert tables == []
    assert [dict(row) for row in await database.query("PRAGMA mmap_size")] in (
        [],
        [{"mmap_size": 0}],
    )
    await store.aclose()
    assert [path.name for path in files(tmp_path)] == [
        "tether.db",
        "tether.db-key",
        "tether.db-lock",
    ]


async def test_a_reader_cannot_write(tmp_path: Path) -> None:
    store = await open_sqlite(tmp_path)
    with pytest.raises(StoreFailed, match="cannot be written"):
        await store.database.query("DELETE FROM conversations")
    await store.aclose()


def a_folder(path: Path) -> None:
    path.mkdir()


def some_text(path: Path) -> None:
    path.write_text("This is a letter, and no database at all. " * 100)


def another_program(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE songs (title TEXT)")
    connection.close()


def another_number(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA application_id = 7")
    connection.close()


@pytest.mark.parametrize(
    ("make", "error", "reason"),
    [
        (a_folder, StoreFailed, "it is a folder"),
        (some_text, StoreFormatUnsupported, "not a store"),
        (another_program, StoreFormatUnsupported, "another program"),
        (another_number, StoreFormatUnsupported, "another program"),
    ],
)
async def test_case_121_what_is_no_store_is_refused_and_left_alone(
    tmp_path: Path, make: Any, error: type[TetherError], reason: str
) -> None:
    path = tmp_path / "thing"
    make(path)
    before = path.read_bytes() if path.is_file() else b""
    with pytest.raises(error, match=reason) as caught:
        await SqliteStore.open(path)
    assert str(path) in str(caught.value)
    assert (path.read_bytes() if path.is_file() else b"") == before
    assert make is not a_folder or beside(path) == []


def beside(path: Path) -> list[Path]:
    return [found for found in path.parent.iterdir() if found != path]


async def test_a_path_through_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreFailed, match=r"Not a directory|exists"):
        await SqliteStore.open(tmp_path / "file" / "store.db")


async def test_case_116_a_newer_store_is_refused_and_left_alone(tmp_path: Path) -> None:
    store = await open_sqlite(tmp_path)
    async with store.database.writing() as transaction:
        await transaction.execute("INSERT INTO tether_schema (version) VALUES (999)")
    await store.aclose()
    before = (tmp_path / "store" / "tether.db").read_bytes()
    with pytest.raises(StoreFormatUnsupported, match="version 999"):
        await open_sqlite(tmp_path)
    assert (tmp_path / "store" / "tether.db").read_bytes() == before


async def test_a_damaged_file_is_called_damaged(tmp_path: Path) -> None:
    store = await open_sqlite(tmp_path)
    await store.begin(id="c")
    assert await store.problems() == []
    ctx = await context("c")
    for number in range(40):
        await store.store_message(ctx, message(str(number), "x" * 2_000))
    await store.aclose()
    path = tmp_path / "store" / "tether.db"
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xa5" * (len(content) - 4096)
    path.write_bytes(bytes(content))
    with pytest.raises((StoreDamaged, StoreFormatUnsupported), match=r"damaged|not a store"):
        await open_sqlite(tmp_path)


async def test_a_row_whose_parent_is_gone_is_a_problem(tmp_path: Path) -> None:
    store = await open_sqlite(tmp_path)
    await store.begin(id="c")
    await store.aclose()
    connection = sqlite3.connect(tmp_path / "store" / "tether.db")
    connection.execute("INSERT INTO exchanges VALUES ('', 't', 'never', 99, '{}', '{}', '{}', '')")
    connection.commit()
    connection.close()
    store = await open_sqlite(tmp_path)
    assert await store.problems() == ["a row of exchanges refers to a missing row of conversations"]
    await store.aclose()


async def test_a_store_in_memory_has_no_problems_and_can_be_backed_up(tmp_path: Path) -> None:
    store = await SqliteStore.open()
    await store.begin(id="c")
    assert await store.problems() == []
    await store.backup(tmp_path / "copy.db")
    await store.aclose()
    copy = await SqliteStore.open(tmp_path / "copy.db")
    assert [found.id for found in await copy.conversations()] == ["c"]
    await copy.aclose()


async def test_case_114_a_full_disk_loses_nothing_and_is_survived(tmp_path: Path) -> None:
    store = await open_sqlite(tmp_path)
    ctx = await context("c")
    await store.store_message(ctx, message("kept"))
    async with store.database.writing() as transaction:
        [now] = await transaction.query("PRAGMA page_count")
        await transaction.query(f"PRAGMA max_page_count = {now['page_count'] + 2}")
    with pytest.raises(StoreFailed, match="full") as caught:
        await store.store_message(ctx, message("large", "x" * 100_000))
    assert caught.value.retryable
    assert [held.id for held in await store.fetch_messages(ctx)] == ["kept"]
    async with store.database.writing() as transaction:
        await transaction.query("PRAGMA max_page_count = 100000")
    await store.store_message(ctx, message("large", "x" * 100_000))
    assert [held.id for held in await store.fetch_messages(ctx)] == ["kept", "large"]
    assert await store.problems() == []
    await store.aclose()


async def test_a_read_only_file_is_refused_with_the_reason(tmp_path: Path) -> None:
    store = await open_sqlite(tmp_path)
    async with store.database.writing() as transaction:
        await transaction.query("PRAGMA query_only = ON")
    with pytest.raises(StoreFailed, match="permissions"):
        await store.begin()
    await store.aclose()


async def test_a_file_that_cannot_be_written_to_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await (await open_sqlite(tmp_path)).aclose()
    before = files(tmp_path)
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    with pytest.raises(StoreFailed, match=r"tether\.db: it cannot be written to"):
        await open_sqlite(tmp_path)
    assert files(tmp_path) == before


async def test_case_125_what_is_deleted_is_not_in_the_files(tmp_path: Path) -> None:
    store = await open_sqlite(tmp_path)
    secret = "correct horse battery staple "
    await store.begin(id="c", title=secret)
    await store.begin(id="d", title="stays")
    ctx = await context("c")
    for number in range(20):
        await store.store_message(ctx, message(str(number), secret * 500))
    assert any(secret.encode() in path.read_bytes() for path in files(tmp_path))
    await store.delete_conversation("c")
    assert not any(secret.encode() in path.read_bytes() for path in files(tmp_path))
    assert any(b"stays" in path.read_bytes() for path in files(tmp_path))
    await store.aclose()


async def test_case_126_a_backup_under_load_is_whole(tmp_path: Path) -> None:
    store, writer = await open_sqlite(tmp_path), await open_sqlite(tmp_path)
    ctx = await context("c")

    async def write() -> None:
        for number in range(60):
            await writer.store_message(ctx, message(f"{number:03}", "x" * 2_000))

    writing = asyncio.create_task(write())
    while len(await store.fetch_messages(ctx)) < 10:
        await asyncio.sleep(0)
    await store.backup(tmp_path / "copy.db")
    await writing
    copy = await SqliteStore.open(tmp_path / "copy.db")
    assert await copy.problems() == []
    copied = [held.id for held in await copy.fetch_messages(ctx)]
    assert len(copied) >= 10
    assert copied == [f"{number:03}" for number in range(len(copied))]
    key = (tmp_path / "store" / "tether.db-key").read_bytes()
    assert (tmp_path / "copy.db-key").read_bytes() == key
    (tmp_path / "copy.db-key").unlink()
    with pytest.raises(InputRefused, match=r"copy\.db exists"):
        await store.backup(tmp_path / "copy.db")
    with pytest.raises(StoreFailed):
        await store.backup(tmp_path / "copy.db" / "below")
    for opened in (store, writer, copy):
        await opened.aclose()
    assert not (tmp_path / "copy.db.part").exists()


async def test_a_store_has_one_key_by_whatever_name_it_is_opened(tmp_path: Path) -> None:
    store = await open_sqlite(tmp_path)
    await store.remember(said("I drink tea."))
    await store.aclose()
    (tmp_path / "link").symlink_to(tmp_path / "store" / "tether.db")
    linked = await SqliteStore.open(tmp_path / "link")
    assert [kept.intact for kept in await linked.memories()] == [True]
    await linked.aclose()
    assert not (tmp_path / "link-key").exists()


async def test_a_backup_is_not_left_with_the_key_of_another(tmp_path: Path) -> None:
    store = await open_sqlite(tmp_path)
    (tmp_path / "copy.db-key").write_bytes(b"k" * 32)
    with pytest.raises(InputRefused, match="-key exists"):
        await store.backup(tmp_path / "copy.db")
    assert not (tmp_path / "copy.db").exists()
    await store.aclose()


async def test_a_disk_that_is_full_while_the_key_is_made_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as full:
        full.setattr(os, "fsync", no_space)
        with pytest.raises(StoreFailed, match="No space left"):
            await open_sqlite(tmp_path)
    assert [path.name for path in files(tmp_path)] == ["tether.db", "tether.db-lock"]
    await (await open_sqlite(tmp_path)).aclose()


def no_space(descriptor: int) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


async def test_a_key_of_another_length_is_called_damaged(tmp_path: Path) -> None:
    store = await open_sqlite(tmp_path)
    await store.aclose()
    (tmp_path / "store" / "tether.db-key").write_bytes(b"short")
    with pytest.raises(StoreDamaged, match="key of 32 bytes"):
        await open_sqlite(tmp_path)


async def test_a_closed_store_says_so(tmp_path: Path) -> None:
    for store in (await open_sqlite(tmp_path), await SqliteStore.open()):
        await store.aclose()
        await store.aclose()
        for use in (store.begin, store.conversations, store.problems):
            with pytest.raises(StoreFailed, match="closed"):
                await use()


async def test_a_transaction_cannot_be_used_after_its_end(tmp_path: Path) -> None:
    store = await open_sqlite(tmp_path)
    async with store.database.writing() as transaction:
        pass
    with pytest.raises(StoreFailed, match="after its end"):
        await transaction.query("SELECT 1")
    with pytest.raises(StoreFailed, match="after its end"):
        await transaction.execute_all(["SELECT 1"])
    await store.aclose()


async def test_whoever_waits_too_long_for_others_is_told(tmp_path: Path) -> None:
    one = await SqliteDatabase.open(tmp_path / "store.db", lock_limit_s=0.05)
    (tmp_path / "link").symlink_to(tmp_path / "store.db")
    two = await SqliteDatabase.open(tmp_path / "link", lock_limit_s=0.05)
    async with one.writing():
        for database in (one, two):
            with pytest.raises(StoreFailed, match="others locked the store") as caught:
                async with database.writing():
                    pytest.fail("two writers at once")
            assert caught.value.retryable
        assert await two.query("SELECT seq FROM tether_order") == [{"seq": 0}]
        with pytest.raises(StoreFailed, match="others locked the store"):
            await two.aclose()
    await one.aclose()


async def test_a_program_that_holds_the_file_is_named_as_the_reason(tmp_path: Path) -> None:
    database = await SqliteDatabase.open(tmp_path / "store.db")
    async with database.writing() as transaction:
        await transaction.query("PRAGMA busy_timeout = 10")
    other = sqlite3.connect(tmp_path / "store.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreFailed, match="another program"):
        async with database.writing():
            pytest.fail("two writers at once")
    other.execute("ROLLBACK")
    other.close()
    async with database.writing():
        pass
    await database.aclose()


async def test_a_disk_without_a_log_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What SQLite says where it cannot share memory: it stays with the journal it has.
    class Stubborn(sqlite3.Connection):
        def execute(self, sql: str, *arguments: Any) -> sqlite3.Cursor:
            return super().execute(sql.replace("journal_mode = WAL", "journal_mode"), *arguments)

    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *a, **k: connect(*a, **k, factory=Stubborn))
    with pytest.raises(StoreFailed, match="local disk"):
        await SqliteStore.open(tmp_path / "store.db")


async def test_a_statement_that_is_wrong_is_no_reason_to_try_again() -> None:
    database = await SqliteDatabase.open(None)
    with pytest.raises(StoreFailed, match="SQLite refused: near") as caught:
        await database.query("SELEC 1")
    assert not caught.value.retryable
    with pytest.raises(InputRefused, match="64 bits"):
        await database.query("SELECT ?", (1 << 70,))
    await database.aclose()


async def test_the_lock_is_free_again_for_the_next(tmp_path: Path) -> None:
    one = WriterLock(tmp_path / "lock", limit_s=5)
    two = WriterLock(tmp_path / "lock", limit_s=5)
    order: list[int] = []

    async def hold(lock: WriterLock, number: int) -> None:
        async with lock.held():
            order.append(number)
            await asyncio.sleep(0.01)
            order.append(number)

    await asyncio.gather(*(hold(lock, n) for n, lock in enumerate([one, two, one, two])))
    assert order[::2] == order[1::2]
    for lock in (one, two):
        lock.close()
        lock.close()
