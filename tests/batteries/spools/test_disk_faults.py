"""A disk that fails: at every call of every function, once or from then on."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Awaitable, Callable
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from tether.batteries.storage.spools import DiskSpools, Spool
from tether.core.errors import InputRefused, LimitExceeded

if TYPE_CHECKING:
    from pathlib import Path

OLD, NEW = b"old " * 100_000, b"new " * 100_000
CALLS = [
    "open",
    "write",
    "fsync",
    "replace",
    "utime",
    "fstat",
    "pread",
    "unlink",
    "flock",
    "scandir",
]
FAULTS = [
    (errno.EIO, False),
    (errno.EIO, True),
    (errno.ENOSPC, False),
    (errno.ENOSPC, True),
    (errno.EMFILE, False),
    (errno.EINTR, False),
]
OPERATIONS: dict[str, Callable[[DiskSpools], Awaitable[Any]]] = {
    "read": lambda store: store.read("a"),
    "ids": lambda store: store.ids(),
    "delete": lambda store: store.delete("a"),
    "clear": lambda store: store.clear(),
    "sweep": lambda store: store.sweep(),
}


class Fault:
    """Makes the n-th call of a function fail, and with `lasting` all that follow."""

    def __init__(
        self, function: Callable[..., Any], number: int, error: int, lasting: bool
    ) -> None:
        self.function = function
        self.number = number
        self.error = error
        self.lasting = lasting
        self.calls = 0
        self.is_on = True

    def __call__(self, *args: Any, **options: Any) -> Any:
        self.calls += 1
        late = self.calls > self.number and self.lasting
        if self.is_on and (self.calls == self.number or late):
            raise OSError(self.error, os.strerror(self.error))
        return self.function(*args, **options)

    @property
    def happened(self) -> bool:
        return self.calls >= self.number


async def whole(spool: Spool | None) -> bytes | None:
    return None if spool is None else b"".join([piece async for piece in spool.stream()])


def drafts(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.suffix == ".draft"]


def check(raised: InputRefused, error: int) -> None:
    assert isinstance(raised, LimitExceeded) is (error == errno.ENOSPC)
    assert isinstance(raised.__cause__, OSError)
    assert raised.__cause__.errno == error
    assert raised.retryable
    assert os.strerror(error) in raised.message


@pytest.mark.parametrize(("error", "lasting"), FAULTS)
@pytest.mark.parametrize("name", CALLS)
async def test_a_failed_write_leaves_the_old_content_or_the_new(
    name: str, error: int, lasting: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # SECURITY 113
    for number in count(1):
        folder = tmp_path / str(number)
        await DiskSpools(folder).write("a", OLD)
        store = DiskSpools(folder, max_bytes=3 * len(OLD))
        home = fcntl if name == "flock" else os
        fault = Fault(getattr(home, name), number, error, lasting)
        with monkeypatch.context() as patched:
            patched.setattr(home, name, fault)
            try:
                await store.write("a", NEW)
            except InputRefused as raised:
                check(raised, error)
                allowed = [OLD, NEW]
            else:
                allowed = [NEW]
        assert await whole(await store.read("a")) in allowed
        await store.sweep()
        assert drafts(folder) == []
        await store.write("a", b"after")
        assert await whole(await store.read("a")) == b"after"
        if not fault.happened:
            break


@pytest.mark.parametrize("name", ["open", "mkdir", "fsync"])
async def test_a_folder_that_cannot_be_made_is_reported(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault = Fault(getattr(os, name), 1, errno.EIO, lasting=True)
    store = DiskSpools(tmp_path / "spools")
    with monkeypatch.context() as patched:
        patched.setattr(os, name, fault)
        with pytest.raises(InputRefused) as raised:
            await store.write("a", NEW)
    check(raised.value, errno.EIO)
    await store.write("a", NEW)
    assert await store.ids() == ["a"]


@pytest.mark.parametrize("operation", OPERATIONS)
async def test_other_operations_report_what_fails_and_lose_nothing_but_what_they_removed(
    operation: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("open", "stat", "unlink", "scandir", "pread", "fsync", "fstat"):
        folder = tmp_path / name
        store = DiskSpools(folder)
        await store.write("a", OLD)
        (folder / "0.draft").touch()
        fault = Fault(getattr(os, name), 1, errno.EIO, lasting=True)
        with monkeypatch.context() as patched:
            patched.setattr(os, name, fault)
            try:
                await OPERATIONS[operation](store)
            except InputRefused as raised:
                check(raised, errno.EIO)
            else:
                assert not fault.happened
        if operation not in ("delete", "clear"):
            assert await whole(await store.read("a")) == OLD


async def test_a_system_that_writes_little_at_a_time_is_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, piece: write(descriptor, piece[:7]))
    store = DiskSpools(tmp_path)
    await store.write("a", b"0123456789" * 10)
    assert await whole(await store.read("a")) == b"0123456789" * 10
