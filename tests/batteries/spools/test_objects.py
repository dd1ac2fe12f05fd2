"""Spools on fsspec: places, sweeps, and file systems that fail."""

from __future__ import annotations

import asyncio
import sys
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import fsspec  # type: ignore[import-untyped]
import pytest
from fsspec.implementations.memory import MemoryFileSystem  # type: ignore[import-untyped]

from tether.batteries.storage.spools import ObjectSpools, Spool
from tether.batteries.storage.spools.object_files import ObjectFiles
from tether.batteries.storage.spools.objects import ObjectDraft, ObjectPlace
from tether.batteries.testing import FakeClock
from tether.core.errors import InputRefused, LimitExceeded

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable
    from pathlib import Path

CALLS = ["makedirs", "open", "ls", "pipe_file", "rm_file", "find", "cat_file"]


class FaultyFiles(MemoryFileSystem):  # type: ignore[misc]  # fsspec has no types
    """Files in memory of its own, whose n-th call of one method fails."""

    cachable = False
    asynchronous = False

    def __init__(self) -> None:
        super().__init__()
        self.store: dict[str, Any] = {}
        self.pseudo_dirs: list[str] = [""]
        self.failing = ""
        self.number = 0
        self.error: Exception = OSError(5, "Input/output error")

    def _may_fail(self, name: str) -> None:
        if name == self.failing:
            self.number -= 1
            if self.number == 0:
                raise self.error

    def makedirs(self, path: str, exist_ok: bool = False) -> None:
        self._may_fail("makedirs")
        super().makedirs(path, exist_ok=exist_ok)

    def open(  # pyright: ignore[reportIncompatibleMethodOverride]  # all go into `options`
        self, path: str, mode: str = "rb", **options: Any
    ) -> Any:
        self._may_fail("open")
        return super().open(path, mode, **options)

    def ls(self, path: str, detail: bool = True, **options: Any) -> Any:
        self._may_fail("ls")
        return super().ls(path, detail=detail, **options)

    def pipe_file(self, path: str, value: bytes, mode: str = "overwrite", **options: Any) -> None:
        super().pipe_file(path, value, mode, **options)
        self._may_fail("pipe_file")  # the mark is made, but the answer is lost

    def rm_file(self, path: str) -> None:
        self._may_fail("rm_file")
        super().rm_file(path)

    def find(self, path: str, *args: Any, **options: Any) -> Any:
        self._may_fail("find")
        return super().find(path, *args, **options)

    def cat_file(self, path: str, *args: Any, **options: Any) -> Any:
        self._may_fail("cat_file")
        return super().cat_file(path, *args, **options)


class RememberingFiles(FaultyFiles):
    """Files that remember listings until they are told to forget, as those of S3 do."""

    def __init__(self) -> None:
        super().__init__()
        self.listings: dict[str, Any] = {}

    def invalidate_cache(self, path: str | None = None) -> None:
        self.listings.clear()

    def ls(self, path: str, detail: bool = True, **options: Any) -> Any:
        if path not in self.listings:
            self.listings[path] = super().ls(path, detail=detail, **options)
        return self.listings[path]

    def find(self, path: str, *args: Any, **options: Any) -> Any:
        if path not in self.listings:
            self.listings[path] = super().find(path, *args, **options)
        return self.listings[path]


async def whole(spool: Spool | None) -> bytes | None:
    return None if spool is None else b"".join([piece async for piece in spool.stream()])


async def failure_of(operation: Awaitable[object], files: FaultyFiles) -> bool:
    """Return whether an operation failed, having checked that it did so as promised."""
    try:
        await operation
    except InputRefused as refused:
        raised = refused
    else:
        return False
    assert (raised.status, raised.retryable) == (503, True)
    cause = raised.__cause__
    assert isinstance(cause, OSError)
    assert files.error in (cause, cause.__cause__)
    assert "Input/output error" in raised.message
    return True


async def test_a_place_is_a_url_a_url_with_options_or_a_file_system(tmp_path: Path) -> None:
    name = str(uuid4())
    options = {"path": str(tmp_path), "target_protocol": "file"}
    for store in (
        ObjectSpools(f"memory://{name}/deep", "/er/"),
        ObjectSpools(fsspec.filesystem("memory"), f"/{name}/deep/er"),
    ):
        await store.write("a", b"in memory")
    inside = ObjectSpools("dir://spools", storage_options=options)
    await inside.write("a", b"in a folder")
    assert await whole(await ObjectSpools(f"file://{tmp_path}/spools").read("a")) == b"in a folder"
    beside = ObjectSpools(fsspec.filesystem("file"), f"{tmp_path}/spools")
    assert await whole(await beside.read("a")) == b"in a folder"
    assert len(fsspec.filesystem("memory").find(f"/{name}/deep/er")) == 4  # two versions


async def test_stores_under_prefixes_of_each_other_do_not_meet(tmp_path: Path) -> None:
    above = ObjectSpools(f"file://{tmp_path}/a")
    below = ObjectSpools(f"file://{tmp_path}/a", "a")
    await above.write("one", b"1")
    await below.write("two", b"2")
    assert (await above.ids(), await below.ids()) == (["one"], ["two"])
    await above.clear()
    assert (await above.size(), await below.size()) == (0, 1)
    assert await whole(await below.read("two")) == b"2"


async def test_a_folder_may_be_named_from_where_the_process_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store = ObjectSpools(fsspec.filesystem("file"), "spools")
    await store.write("a", b"x")
    assert await store.ids() == ["a"]
    assert await ObjectSpools(str(tmp_path), "spools").ids() == ["a"]


@pytest.mark.parametrize(
    ("place", "options", "reason"),
    [
        ("nowhere://bucket", {}, "nowhere"),
        (FaultyFiles(), {"key": "secret"}, "storage options need a URL"),
        (None, {}, "asynchronous=True, not None"),
        (5, {}, "asynchronous=True, not 5"),
    ],
)
def test_a_place_that_is_none_is_refused(place: Any, options: dict[str, Any], reason: str) -> None:
    with pytest.raises(InputRefused, match=reason):
        ObjectSpools(place, storage_options=options)


def test_a_file_system_for_its_own_event_loop_is_refused() -> None:
    files = FaultyFiles()
    files.asynchronous = True
    with pytest.raises(InputRefused, match="without asynchronous=True"):
        ObjectSpools(files)


def test_without_fsspec_the_message_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(InputRefused, match=r"pip install 'tether\[spool\]'"):
        ObjectSpools("memory://spools")


class DriverError(Exception):
    """What a driver raises that knows nothing of `OSError`."""


@pytest.mark.parametrize("error", [OSError, DriverError])
@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("failing", CALLS)
async def test_a_store_that_fails_is_reported_and_holds_the_old_content_or_the_new(
    failing: str, number: int, error: type[Exception]
) -> None:
    # SECURITY 113
    files = FaultyFiles()
    files.error = error("Input/output error")
    store = ObjectSpools(files, "spools")
    await store.write("a", b"old")
    files.failing, files.number = failing, number
    failed = await failure_of(store.write("a", b"new"), files)
    files.failing = ""
    assert await whole(await store.read("a")) == (b"old" if failed else b"new")
    assert await store.ids() == ["a"]
    assert len(files.store) == (2 if failed else 4)


async def test_a_store_without_room_says_so() -> None:
    files = FaultyFiles()
    files.failing, files.number, files.error = "open", 1, OSError(28, "No space left on device")
    with pytest.raises(LimitExceeded, match="No space left") as refused:
        await ObjectSpools(files).write("a", b"x")
    assert refused.value.status == 507


async def test_a_mark_that_cannot_be_taken_back_keeps_its_content(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def forbidden(path: str) -> None:
        raise PermissionError(13, "Permission denied")

    files = FaultyFiles()
    store = ObjectSpools(files)
    files.failing, files.number = "pipe_file", 1

    monkeypatch.setattr(files, "rm_file", forbidden)
    with pytest.raises(InputRefused, match="Input/output error"):
        await store.write("a", b"new")
    assert await whole(await store.read("a")) == b"new"


@pytest.mark.parametrize("operation", ["read", "ids", "size", "delete", "clear", "sweep"])
async def test_other_operations_report_what_fails(operation: str) -> None:
    for failing in ("ls", "find", "rm_file", "cat_file"):
        files = FaultyFiles()
        store = ObjectSpools(files)
        await store.write("a", b"1")
        await store.write("a", b"2")
        operations = {
            "read": store.read("a"),
            "ids": store.ids(),
            "size": store.size(),
            "delete": store.delete("a"),
            "clear": store.clear(),
            "sweep": store.sweep(timedelta(0)),
        }
        running = operations.pop(operation)
        for other in operations.values():
            other.close()
        files.failing, files.number = failing, 1
        failed = await failure_of(running, files)
        assert failed or files.number == 1  # or it was not called


async def test_a_reader_says_what_fails_and_what_was_deleted() -> None:
    files = FaultyFiles()
    store = ObjectSpools(files)
    reader = await store.write("a", b"text")
    files.failing, files.number = "cat_file", 1
    with pytest.raises(InputRefused, match="Input/output error") as refused:
        await reader.text()
    assert refused.value.retryable
    assert await reader.text() == "text"
    await store.delete("a")
    with pytest.raises(InputRefused, match="cannot be read"):
        await reader.text()


async def test_listings_that_a_file_system_remembers_are_not_trusted() -> None:
    shared = RememberingFiles()
    other = RememberingFiles()
    other.store, other.pseudo_dirs = shared.store, shared.pseudo_dirs
    one, two = ObjectSpools(shared), ObjectSpools(other)
    for content in (b"1", b"2", b"3"):
        await one.write("a", content)
        assert await whole(await two.read("a")) == content
        assert await two.ids() == ["a"]
    await one.delete("a")
    assert (await two.read("a"), await two.size()) == (None, 0)


async def test_what_was_replaced_or_never_finished_is_swept_when_it_is_old() -> None:
    clock, files = FakeClock(), FaultyFiles()
    store = ObjectSpools(files, clock=clock)
    halfway, go_on = asyncio.Event(), asyncio.Event()

    async def slow() -> AsyncIterator[bytes]:
        yield b"x" * 2_000_000
        halfway.set()
        await go_on.wait()

    writing = asyncio.create_task(store.write("slow", slow()))
    await halfway.wait()
    first = await store.write("a", b"1")
    clock.advance(3600)
    await store.write("a", b"2")
    assert await store.sweep() == 0
    assert await store.sweep(timedelta(hours=1)) == 1  # the slow write, as if its writer had died
    assert await whole(first) == b"1"  # its version was replaced just now
    clock.advance(3600)
    assert await store.sweep(timedelta(hours=1)) == 1
    with pytest.raises(InputRefused, match="cannot be read"):
        await first.text()
    assert await whole(await store.read("a")) == b"2"
    go_on.set()
    with pytest.raises(InputRefused, match="was swept"):
        await writing
    assert (await store.read("slow"), len(files.store)) == (None, 2)


async def test_what_is_not_the_stores_own_is_left_alone_and_not_listed() -> None:
    files = FaultyFiles()
    store = ObjectSpools(files, "spools")
    await store.write("a", b"x")
    folder = next(iter(files.store)).rpartition("/")[0]
    draft = f"{0:014d}-{'0' * 32}"
    strange = {
        f"{folder}/notes.txt": b"mine",
        "/spools/readme": b"mine",
        "/spools/other/notes.txt": b"mine",
        f"/spools/damaged/{1:012d}-{draft}-3.mark": b"",
        f"/spools/damaged/{draft}.content": b"abc[]",
        f"/spools/torn/{1:012d}-{draft}-3.mark": b"",
        f"/spools/torn/{draft}.content": b'abc"',
        f"/spools/gone/{1:012d}-{draft}-3.mark": b"",
    }
    for path, content in strange.items():
        files.pipe_file(path, content)
    assert await store.ids() == ["a"]
    assert await whole(await store.read("a")) == b"x"
    await store.clear()
    assert sorted(files.store) == sorted(
        path for path in strange if path.endswith(("txt", "readme"))
    )


async def test_what_is_published_is_not_abandoned_by_a_late_cancellation() -> None:
    files = ObjectFiles(fsspec.filesystem("memory"))
    place = ObjectPlace(files, f"/late-{uuid4().hex}", FakeClock())
    draft = ObjectDraft(place, "a")
    draft.open()
    draft.write(b"kept")
    draft.finish()
    draft.publish()
    draft.abandon()
    kept = place.read("a")
    assert kept is not None
    assert await kept.text() == "kept"
