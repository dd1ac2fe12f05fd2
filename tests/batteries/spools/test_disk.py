"""Spools in a folder: limits, age, privacy, and what others do to the files."""

from __future__ import annotations

import asyncio
import gc
import os
import stat
import threading
from contextlib import nullcontext
from datetime import timedelta
from fcntl import LOCK_EX, flock
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tether.batteries.storage.spools import DiskSpools, Spool
from tether.batteries.storage.spools.disk_folder import id_in
from tether.batteries.testing import FakeClock
from tether.core.errors import InputRefused, InvalidInput, LimitExceeded

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine
    from contextlib import AbstractContextManager
    from datetime import datetime

HOUR = timedelta(hours=1)


async def whole(spool: Spool | None) -> bytes:
    assert spool is not None
    return b"".join([piece async for piece in spool.stream()])


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.name != ".lock")


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
async def test_folder_and_files_are_the_owners_alone(tmp_path: Path, umask: int) -> None:
    # SECURITY 128
    before = os.umask(umask)
    try:
        await DiskSpools(tmp_path / "not" / "there").write("a", b"secret")
    finally:
        os.umask(before)
    folder = tmp_path / "not" / "there"
    assert mode(folder) == 0o700
    assert {mode(path) for path in folder.iterdir()} == {0o600}


@pytest.mark.parametrize("others", [0o777, 0o770, 0o1777])
async def test_a_folder_that_others_may_write_to_is_refused(tmp_path: Path, others: int) -> None:
    # SECURITY 128
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(others)
    store = DiskSpools(folder)
    for operation in (store.write("a", b""), store.read("a"), store.ids(), store.sweep()):
        with pytest.raises(InputRefused, match="others own it or may write to it"):
            await operation
    assert mode(folder) == others & 0o7777  # a folder of somebody else is not changed


async def test_a_folder_of_somebody_else_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # SECURITY 128
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(InputRefused, match="others own"):
        await DiskSpools(tmp_path).write("a", b"")


async def test_a_place_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputRefused, match="not a folder"):
        await DiskSpools(tmp_path / "file").write("a", b"")
    with pytest.raises(InputRefused, match="Not a directory"):
        await DiskSpools(tmp_path / "file" / "below").write("a", b"")


async def test_a_folder_that_is_not_there_is_empty_and_not_made_by_reading(tmp_path: Path) -> None:
    store = DiskSpools(tmp_path / "none")
    assert (await store.read("a"), await store.delete("a"), await store.ids()) == (None, False, [])
    assert await store.sweep() == 0
    await store.clear()
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("max_bytes", "x"),
        ("max_bytes", -5),
        ("max_bytes", 1.5),
        ("max_bytes", True),
        ("max_age", 5),
        ("max_age", timedelta(seconds=-1)),
        ("evict", "yes"),
        ("clock", FakeClock),
        ("folder", None),
        ("folder", b"bytes"),
        ("folder", "a\x00b"),
        ("folder", "a\ud800b"),
    ],
)
def test_a_bad_setting_is_refused_when_the_store_is_made(
    tmp_path: Path, setting: str, value: Any
) -> None:
    settings: dict[str, Any] = {"folder": tmp_path, setting: value}
    with pytest.raises(InvalidInput) as refused:
        DiskSpools(**settings)
    assert [problem.path for problem in refused.value.problems] == [setting]


def test_all_bad_settings_are_named_at_once() -> None:
    bad: Any = 5
    with pytest.raises(InvalidInput) as refused:
        DiskSpools(bad, max_bytes=-5, evict=bad, max_age=bad, clock=bad)
    found = [problem.path for problem in refused.value.problems]
    assert found == ["folder", "max_bytes", "evict", "max_age", "clock"]


async def test_a_write_beyond_the_limit_is_refused_and_leaves_everything(tmp_path: Path) -> None:
    store = DiskSpools(tmp_path, max_bytes=1000)
    await store.write("a", b"a" * 400)
    await store.write("b", b"b" * 400)
    with pytest.raises(LimitExceeded, match=r"there is room for 1\d\d bytes") as refused:
        await store.write("c", b"c" * 400)
    assert refused.value.status == 507
    assert await whole(await store.read("a")) == b"a" * 400
    assert await store.ids() == ["a", "b"]
    assert len(files(tmp_path)) == 2


async def test_a_rewrite_counts_once(tmp_path: Path) -> None:
    store = DiskSpools(tmp_path, max_bytes=1000)
    for letter in (b"1", b"2", b"3"):
        await store.write("a", letter * 900)
    assert await whole(await store.read("a")) == b"3" * 900


async def test_a_stream_is_stopped_as_soon_as_it_is_too_long(tmp_path: Path) -> None:
    given = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal given
        while True:
            given += 1
            yield b"x" * 1_000_000

    with pytest.raises(LimitExceeded, match="room for 5,000,000 bytes"):
        await DiskSpools(tmp_path, max_bytes=5_000_000).write("a", endless())
    assert given < 10
    assert files(tmp_path) == []


async def test_what_others_wrote_meanwhile_counts(tmp_path: Path) -> None:
    store, halfway, go_on = DiskSpools(tmp_path, max_bytes=1000), asyncio.Event(), asyncio.Event()

    async def slow() -> AsyncIterator[bytes]:
        halfway.set()
        await go_on.wait()
        yield b"x" * 600

    writing = asyncio.create_task(store.write("slow", slow()))
    await halfway.wait()
    await store.write("quick", b"y" * 600)
    go_on.set()
    with pytest.raises(LimitExceeded, match="room for"):
        await writing
    assert await store.ids() == ["quick"]


async def test_a_write_opens_no_other_spool_and_lists_them_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = DiskSpools(tmp_path, max_bytes=1_000_000, max_age=HOUR)
    for number in range(20):
        await store.write(str(number), b"x")
    calls: list[str] = []

    def counted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            calls.append(name)
            return function(*args, **options)

        return call

    for name in ("open", "scandir", "listdir", "lstat"):
        monkeypatch.setattr(os, name, counted(name, getattr(os, name)))
    await store.write("one more", b"x")
    assert calls.count("open") < 10
    assert calls.count("scandir") == 1
    assert calls.count("listdir") + calls.count("lstat") == 0


@pytest.mark.parametrize("operation", ["write", "clear", "sweep"])
async def test_waiting_for_others_can_be_cancelled_and_leaves_nothing(
    tmp_path: Path, operation: str
) -> None:
    store = DiskSpools(tmp_path)
    await store.write("a", b"old")
    acting: dict[str, Callable[[], Coroutine[Any, Any, Any]]] = {
        "write": lambda: store.write("a", b"new"),
        "clear": store.clear,
        "sweep": store.sweep,
    }
    with (tmp_path / ".lock").open("r+b") as lock:
        flock(lock, LOCK_EX)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await acting[operation]()
        # Nobody has let go of the lock, so the cancelled work did not wait for it.
        assert await whole(await store.read("a")) == b"old"
        assert await store.ids() == ["a"]
    assert len(files(tmp_path)) == 1
    await acting[operation]()


async def test_a_write_goes_on_when_others_let_go(tmp_path: Path) -> None:
    store, halfway, go_on = DiskSpools(tmp_path), asyncio.Event(), asyncio.Event()

    async def slow() -> AsyncIterator[bytes]:
        halfway.set()
        await go_on.wait()
        yield b"new"

    writing = asyncio.create_task(store.write("a", slow()))
    await halfway.wait()
    with (tmp_path / ".lock").open("r+b") as lock:
        flock(lock, LOCK_EX)
        go_on.set()
        await asyncio.sleep(0.1)
        assert not writing.done()
        assert await store.ids() == []
    assert await whole(await writing) == b"new"


async def test_others_are_not_waited_for_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tether.batteries.storage.spools.store.LONGEST_WAIT", 0.1)
    store = DiskSpools(tmp_path)
    await store.write("a", b"old")
    with (tmp_path / ".lock").open("r+b") as lock:
        flock(lock, LOCK_EX)
        with pytest.raises(InputRefused, match="have locked the spools") as refused:
            await store.write("a", b"new")
    assert refused.value.retryable
    assert refused.value.status == 503
    assert len(files(tmp_path)) == 1
    assert await whole(await store.read("a")) == b"old"


async def test_many_writers_wait_for_each_other(tmp_path: Path) -> None:
    stores = [DiskSpools(tmp_path, max_bytes=100_000) for _ in range(4)]
    await asyncio.gather(*(stores[n % 4].write(str(n), b"x") for n in range(100)))
    assert await stores[0].size() == 100


async def test_the_oldest_make_room_where_that_was_asked_for(tmp_path: Path) -> None:
    clock = FakeClock()
    store = DiskSpools(tmp_path, max_bytes=1000, evict=True, clock=clock)
    for id in ("first", "second", "third"):
        clock.advance(1)
        await store.write(id, b"x" * 250)
    clock.advance(1)
    await store.write("first", b"y" * 250)  # is now the youngest
    clock.advance(1)
    await store.write("new", b"z" * 500)
    assert await store.ids() == ["first", "new"]
    with pytest.raises(LimitExceeded, match="room for 1,000 bytes"):
        await store.write("huge", b"z" * 1001)
    assert await store.ids() == ["first", "new"]


async def test_a_reader_keeps_what_was_evicted(tmp_path: Path) -> None:
    store = DiskSpools(tmp_path, max_bytes=700_000, evict=True)
    first = await store.write("first", b"1" * 400_000)
    await store.write("second", b"2" * 400_000)
    assert await store.ids() == ["second"]
    assert await whole(first) == b"1" * 400_000


async def test_what_is_too_old_is_not_found_and_swept(tmp_path: Path) -> None:
    clock = FakeClock()
    store = DiskSpools(tmp_path, max_age=HOUR, clock=clock)
    reader = await store.write("old", b"x" * 400_000)
    clock.advance(3599)
    await store.write("young", b"y")
    assert await store.ids() == ["old", "young"]
    clock.advance(1)
    assert await store.read("old") is None
    assert (await store.ids(), await store.size()) == (["young"], 1)
    assert len(files(tmp_path)) == 2
    assert await store.sweep() == 1
    assert len(files(tmp_path)) == 1
    assert await whole(reader) == b"x" * 400_000
    assert await whole(await store.read("young")) == b"y"


async def test_writing_anew_makes_a_spool_young(tmp_path: Path) -> None:
    clock = FakeClock()
    store = DiskSpools(tmp_path, max_age=HOUR, clock=clock)
    await store.write("a", b"1")
    clock.advance(3000)
    await store.write("a", b"2")
    clock.advance(3000)
    assert await whole(await store.read("a")) == b"2"


async def test_deleting_what_expired_says_that_nothing_was_there(tmp_path: Path) -> None:
    clock = FakeClock()
    store = DiskSpools(tmp_path, max_age=HOUR, clock=clock)
    await store.write("a", b"1")
    clock.advance(3600)
    assert await store.delete("a") is False
    assert files(tmp_path) == []


async def test_the_expired_do_not_count_against_the_limit(tmp_path: Path) -> None:
    clock = FakeClock()
    store = DiskSpools(tmp_path, max_bytes=1000, max_age=HOUR, clock=clock)
    await store.write("a", b"1" * 800)
    clock.advance(3600)
    await store.write("b", b"2" * 800)
    assert await store.ids() == ["b"]


async def test_a_dead_writers_draft_is_swept_and_a_living_ones_is_not(tmp_path: Path) -> None:
    # SECURITY 113
    store, halfway, go_on = DiskSpools(tmp_path), asyncio.Event(), asyncio.Event()
    (tmp_path / f"{'0' * 32}.draft").write_bytes(b"half of something")

    async def slow() -> AsyncIterator[bytes]:
        yield b"x" * 2_000_000
        halfway.set()
        await go_on.wait()

    writing = asyncio.create_task(store.write("slow", slow()))
    await halfway.wait()
    assert len(files(tmp_path)) == 2
    assert await store.sweep() == 0
    assert len(files(tmp_path)) == 1
    await store.clear()
    go_on.set()
    await writing
    assert await store.ids() == ["slow"]


class InterruptedClock(FakeClock):
    """A clock that lets somebody else go on while one looks at it."""

    def __init__(self, go_on: threading.Event, other: threading.Thread) -> None:
        super().__init__()
        self.go_on = go_on
        self.other = other

    def now(self) -> datetime:
        self.go_on.set()
        self.other.join(0.2)
        return super().now()


async def test_what_is_written_while_its_old_content_is_swept_is_not_lost(tmp_path: Path) -> None:
    halfway, go_on, later = threading.Event(), threading.Event(), FakeClock()
    later.advance(3600)
    young = DiskSpools(tmp_path, clock=later)

    async def slow() -> AsyncIterator[bytes]:
        halfway.set()
        await asyncio.to_thread(go_on.wait, 30)
        yield b"new"

    writer = threading.Thread(target=lambda: asyncio.run(young.write("a", slow())))
    await DiskSpools(tmp_path, clock=FakeClock()).write("a", b"old")
    writer.start()
    await asyncio.to_thread(halfway.wait, 30)
    sweeping = InterruptedClock(go_on, writer)
    assert await DiskSpools(tmp_path, max_age=timedelta(0), clock=sweeping).sweep() == 1
    await asyncio.to_thread(writer.join)
    assert await whole(await young.read("a")) == b"new"


@pytest.mark.parametrize(
    "damaged",
    [
        b"",
        b"no first line",
        b'tether-spool 2 "a"\n',
        b'tether-spool 1 "b"\nx',
        b'tether-spool 1 "a\nx',
        b'tether-spool 1 "a" \nx',
        b'tether-spool 1 ["a"]\nx',
        b"tether-spool 1 " + b"[" * 2000 + b"\nx",
        b'tether-spool 1 "' + b"\xff" * 1_000_000,
    ],
)
async def test_a_damaged_file_is_refused_and_can_be_replaced(
    tmp_path: Path, damaged: bytes
) -> None:
    store = DiskSpools(tmp_path)
    await store.write("a", b"x")
    files(tmp_path)[0].write_bytes(damaged)
    with pytest.raises(InputRefused, match="does not contain the spool 'a'"):
        await store.read("a")
    assert "a" not in await store.ids()
    await store.write("a", b"y")
    assert await whole(await store.read("a")) == b"y"


async def test_links_and_folders_among_the_files_are_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(b'tether-spool 1 "a"\nsecret')
    store = DiskSpools(tmp_path / "spools")
    await store.write("a", b"x")
    (path,) = files(tmp_path / "spools")
    path.unlink()
    path.symlink_to(secret)
    with pytest.raises(InputRefused, match="symbolic link"):
        await store.read("a")
    assert await store.ids() == []
    await store.write("a", b"y")
    assert secret.read_bytes().endswith(b"secret")
    assert await whole(await store.read("a")) == b"y"
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(InputRefused, match="not a regular file"):
        await asyncio.wait_for(store.read("a"), 10)


async def test_other_files_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    store = DiskSpools(tmp_path, max_bytes=1000)
    await store.write("a", b"x")
    await store.sweep()
    await store.clear()
    assert files(tmp_path) == [tmp_path / "notes.txt"]


async def test_files_that_go_while_they_are_listed_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = DiskSpools(tmp_path, max_bytes=1000)
    await store.write("a", b"x")
    scandir = os.scandir

    def gone_after(folder: Path) -> AbstractContextManager[list[os.DirEntry[str]]]:
        for name in ("0.spool", "0.draft"):
            (folder / name).touch()
        with scandir(folder) as entries:
            found = list(entries)
        for name in ("0.spool", "0.draft"):
            (folder / name).unlink()
        return nullcontext(found)

    monkeypatch.setattr(os, "scandir", gone_after)
    assert await store.ids() == ["a"]
    assert await store.sweep() == 0
    await store.write("b", b"x")
    await store.clear()
    assert id_in(tmp_path / "0.spool") is None  # gone even later


async def test_descriptors_are_closed_with_their_readers(tmp_path: Path) -> None:
    def open_files() -> int:
        return len(os.listdir("/dev/fd"))  # noqa: PTH208

    store = DiskSpools(tmp_path)
    gc.collect()
    before = open_files()
    small = [await store.write(str(number), b"x" * 200_000) for number in range(5)]
    assert open_files() == before  # small content needs no open file
    large = [await store.write(str(number), b"x" * 300_000) for number in range(5)]
    found = [await store.read(str(number)) for number in range(5)]
    assert open_files() == before + 10
    del small, large, found
    await asyncio.sleep(0)  # until then the loop holds the result that it gave last
    gc.collect()
    assert open_files() == before
