"""What every spool store does, shown on each of them.

The expected lines come from splitting the whole content, and the expected state from a dictionary.
"""

from __future__ import annotations

import asyncio
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple
from uuid import uuid4

import fsspec  # type: ignore[import-untyped]
import pytest
from fsspec.implementations.dirfs import DirFileSystem  # type: ignore[import-untyped]
from hypothesis import given, settings
from hypothesis import strategies as st

from tether.batteries.storage.spools import (
    DiskSpools,
    MemorySpools,
    ObjectSpools,
    Spool,
    SpoolStore,
)
from tether.core.errors import InputRefused, LimitExceeded

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from tether.batteries.storage.spools import Content


class Place(NamedTuple):
    """Where stores are made that share what they hold, and the files that are there."""

    store: Callable[[], SpoolStore]
    files: Callable[[], list[str]]


def memory(folder: str) -> Place:
    store = MemorySpools()
    return Place(lambda: store, list)


def disk(folder: str) -> Place:
    files = fsspec.filesystem("file")
    return Place(lambda: DiskSpools(f"{folder}/spools"), lambda: files.find(folder))


def object_memory(folder: str) -> Place:
    url = f"memory://{uuid4()}"  # what fsspec holds in memory is one for all
    files = fsspec.filesystem("memory")
    return Place(lambda: ObjectSpools(url, "spools"), lambda: files.find(url))


def object_folder(folder: str) -> Place:
    files = fsspec.filesystem("file")
    return Place(lambda: ObjectSpools(f"file://{folder}/spools"), lambda: files.find(folder))


def object_subfolder(folder: str) -> Place:
    files = fsspec.filesystem("file")
    inside = DirFileSystem(f"{folder}/spools", files)
    return Place(lambda: ObjectSpools(inside), lambda: files.find(folder))


MAKERS = [memory, disk, object_memory, object_folder, object_subfolder]
each_store = pytest.mark.parametrize("make", MAKERS)


@pytest.fixture(params=MAKERS, ids=lambda make: make.__name__)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    found: Place = request.param(str(tmp_path))
    return found


@pytest.fixture
def store(place: Place) -> SpoolStore:
    return place.store()


async def whole(spool: Spool | None) -> bytes:
    assert spool is not None
    return b"".join([piece async for piece in spool.stream()])


async def in_pieces(content: bytes, length: int) -> AsyncIterator[bytes]:
    for start in range(0, len(content), length):
        await asyncio.sleep(0)
        yield content[start : start + length]


BINARY = bytes(range(256)) * 3
LARGE = b"".join(map(b"%d\n".__mod__, range(500_000)))


async def test_a_write_returns_a_reader_and_so_does_a_read(store: SpoolStore) -> None:
    # CONTRACT 111
    written = await store.write("a", b"one\ntwo")
    assert await whole(written) == await whole(await store.read("a")) == b"one\ntwo"
    assert await written.text() == "one\ntwo"


async def test_the_size_counts_ids(store: SpoolStore) -> None:
    # CONTRACT 111
    assert (await store.size(), await store.ids()) == (0, [])
    for id in ("b", "a", "b"):
        await store.write(id, b"x")
    assert (await store.size(), await store.ids()) == (2, ["a", "b"])


@pytest.mark.parametrize("size", [3, 400_000])
async def test_a_rewrite_replaces_and_old_readers_keep_their_bytes(
    store: SpoolStore, size: int
) -> None:
    # CONTRACT 111; small spools and large ones are held in different ways
    first = await store.write("a", b"1" * size)
    same = await store.read("a")
    second = await store.write("a", b"2" * size)
    assert await store.size() == 1
    assert await whole(first) == await whole(same) == b"1" * size
    assert await whole(second) == await whole(await store.read("a")) == b"2" * size


async def test_deleting_says_whether_there_was_something(store: SpoolStore) -> None:
    # CONTRACT 111
    await store.write("a", b"x")
    assert await store.delete("a") is True
    assert await store.delete("a") is False
    assert await store.read("a") is None
    assert await store.size() == 0


async def test_all_versions_go_with_an_id(store: SpoolStore) -> None:
    for content in (b"1", b"2", b"3"):
        await store.write("a", content)
    assert await store.delete("a") is True
    assert await store.read("a") is None


async def test_clearing_leaves_nothing(place: Place) -> None:
    # CONTRACT 111
    store = place.store()
    await store.clear()
    for id in ("a", "b"):
        await store.write(id, b"1")
        await store.write(id, b"2")
    await store.clear()
    assert (await store.ids(), await store.read("a")) == ([], None)
    assert [name for name in place.files() if not name.endswith(".lock")] == []


async def test_an_unknown_id_reads_as_none(store: SpoolStore) -> None:
    assert await store.read("a") is None
    await store.write("b", b"x")
    assert await store.read("a") is None


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", []),
        (b"a", ["a"]),
        (b"a\n", ["a", ""]),
        (b"\n", ["", ""]),
        (b"a\r\nb", ["a\r", "b"]),
        ("é\u2028\x0b\x85".encode(), ["é\u2028\x0b\x85"]),
        (b"\xff\n\xe2\x82", ["\ufffd", "\ufffd"]),
    ],
)
async def test_lines_split_on_newline_only(
    store: SpoolStore, content: bytes, lines: list[str]
) -> None:
    # CONTRACT 112
    await store.write("a", content)
    spool = await store.read("a")
    assert spool is not None
    assert [line async for line in spool.lines(0, None)] == lines
    assert await spool.line_count() == len(lines)
    assert await spool.byte_length() == len(content)
    assert await spool.text() == content.decode(errors="replace")


@pytest.mark.parametrize("content", [BINARY, bytearray(BINARY), memoryview(BINARY)])
async def test_binary_is_kept_byte_for_byte(store: SpoolStore, content: Content) -> None:
    # CONTRACT 112
    await store.write("a", content)
    assert await whole(await store.read("a")) == BINARY


async def test_text_is_cleaned_and_encoded(store: SpoolStore) -> None:
    await store.write("a", "é\x00\ud800\r\n")
    assert await whole(await store.read("a")) == "é\ufffd\r\n".encode()


@pytest.mark.parametrize("length", [1000, 3_000_000])
async def test_a_stream_is_drained(store: SpoolStore, length: int) -> None:
    # CONTRACT 112
    written = await store.write("a", in_pieces(LARGE, length))
    assert await whole(written) == await whole(await store.read("a")) == LARGE
    assert await written.line_count() == 500_001
    found = [line async for line in written.lines(300_000, 300_002)]
    assert found == ["300000", "300001"]


async def test_an_empty_stream_is_an_empty_spool(store: SpoolStore) -> None:
    spool = await store.write("a", in_pieces(b"", 1))
    assert (await spool.byte_length(), await store.ids()) == (0, ["a"])


HOSTILE_IDS = [
    "",
    ".",
    "..",
    "../../etc/passwd",
    "/etc/passwd",
    "C:\\Windows",
    "a\0b",
    "CON",
    "nul.txt",
    "a",
    "A",
    "caf\u00e9",
    "cafe\u0301",
    "\ud800",
    "\U0001f600",
    "line\nbreak",
    "x" * 10_000,
    "\U0001f600" * 65_536,
    ".lock",
    "*",
    '"]',
    "a/b",
    "a%2Fb",
]


async def test_ids_may_be_anything_and_are_told_apart(place: Place) -> None:
    store = place.store()
    for number, id in enumerate(HOSTILE_IDS):
        await store.write(id, str(number))
    assert await store.ids() == sorted(HOSTILE_IDS)
    for number, id in enumerate(HOSTILE_IDS):
        assert await whole(await store.read(id)) == str(number).encode()
    assert await store.delete("A") is True
    assert await whole(await store.read("a")) == str(HOSTILE_IDS.index("a")).encode()


@pytest.mark.parametrize("id", [None, 5, b"bytes", []])
async def test_an_id_that_is_no_text_is_refused(store: SpoolStore, id: str) -> None:
    for operation in (store.write(id, b""), store.read(id), store.delete(id)):
        with pytest.raises(InputRefused, match="id of a spool is text"):
            await operation


async def test_an_id_that_is_too_long_is_refused(store: SpoolStore) -> None:
    with pytest.raises(LimitExceeded, match="at most 65,536 characters"):
        await store.write("x" * 65_537, b"")


@pytest.mark.parametrize("content", [None, 5, ["text"], iter([b""])])
async def test_content_of_another_kind_is_refused(place: Place, content: Content) -> None:
    store = place.store()
    with pytest.raises(InputRefused, match="bytes, text or an async iterator"):
        await store.write("a", content)
    assert (await store.ids(), left_over(place, spools=0)) == ([], [])


async def test_a_stream_of_another_kind_is_refused(store: SpoolStore) -> None:
    async def texts() -> AsyncIterator[bytes]:
        yield "text"  # type: ignore[misc]  # pyright: ignore[reportReturnType]

    with pytest.raises(InputRefused, match="gives bytes, not 'text'"):
        await store.write("a", texts())


async def test_a_stream_that_fails_leaves_the_old_content(place: Place) -> None:
    store = place.store()
    await store.write("a", b"old")

    async def broken() -> AsyncIterator[bytes]:
        yield b"x" * 2_000_000
        raise ConnectionResetError("the other side went away")

    with pytest.raises(ConnectionResetError, match="went away"):
        await store.write("a", broken())
    assert await whole(await store.read("a")) == b"old"
    assert left_over(place, spools=1) == []


@pytest.mark.parametrize("old", [None, b"old"])
async def test_a_write_that_is_cancelled_halfway_leaves_the_old_content(
    place: Place, old: bytes | None
) -> None:
    store, halfway = place.store(), asyncio.Event()
    if old is not None:
        await store.write("a", old)

    async def endless() -> AsyncIterator[bytes]:
        yield b"x" * 2_000_000
        halfway.set()
        await asyncio.Event().wait()
        yield b""  # pragma: no cover  # it never gets here

    writing = asyncio.create_task(store.write("a", endless()))
    await halfway.wait()
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing
    found = await store.read("a")
    assert (None if found is None else await whole(found)) == old
    assert left_over(place, spools=0 if old is None else 1) == []


async def test_a_write_that_is_cancelled_at_any_moment_leaves_old_or_new(place: Place) -> None:
    store = place.store()
    contents = [b"0" * 3_000_000]
    await store.write("a", contents[0])
    for moment in range(25):
        contents.append(b"%d" % (moment % 10) * 3_000_000)
        writing = asyncio.create_task(store.write("a", in_pieces(contents[-1], 1_500_000)))
        for _ in range(moment):
            await asyncio.sleep(0)
        writing.cancel()
        await asyncio.wait([writing])
        assert await whole(await store.read("a")) in contents
    assert left_over(place, spools=1, versions=len(contents)) == []


async def test_writes_of_one_id_at_the_same_time_do_not_mix(place: Place) -> None:
    stores = [place.store() for _ in range(3)]
    contents = [bytes([letter]) * 700_000 for letter in b"abcdef"]
    readers = await asyncio.gather(
        *(
            stores[number % 3].write("same", in_pieces(content, 100_000))
            for number, content in enumerate(contents)
        )
    )
    assert [await whole(reader) for reader in readers] == contents
    assert await whole(await stores[0].read("same")) in contents
    assert await stores[1].ids() == ["same"]


async def test_stores_over_one_place_see_each_other(place: Place) -> None:
    one, other = place.store(), place.store()
    assert await other.read("a") is None
    await one.write("a", b"first")
    assert await whole(await other.read("a")) == b"first"
    await other.write("a", b"second")
    assert await whole(await one.read("a")) == b"second"
    assert await one.delete("a") is True
    assert (await other.read("a"), await other.ids()) == (None, [])


small_ids = st.sampled_from(["a", "A", "b/c", ""])
steps = st.lists(
    st.tuples(st.just("write"), small_ids, st.binary(max_size=5))
    | st.tuples(st.sampled_from(["read", "delete", "clear"]), small_ids, st.just(b"")),
    max_size=12,
)


@pytest.mark.unmeasured
@each_store
@settings(max_examples=25)
@given(steps=steps)
async def test_a_store_does_what_a_dictionary_does(
    make: Callable[[str], Place], steps: list[tuple[str, str, bytes]]
) -> None:
    with TemporaryDirectory() as folder:
        store, expected = make(folder).store(), dict[str, bytes]()
        for operation, id, content in steps:
            if operation == "write":
                expected[id] = content
                assert await whole(await store.write(id, content)) == content
            elif operation == "delete":
                assert await store.delete(id) is (expected.pop(id, None) is not None)
            elif operation == "clear":
                expected.clear()
                await store.clear()
            found = await store.read(id)
            assert (None if found is None else await whole(found)) == expected.get(id)
            assert await store.ids() == sorted(expected)
            assert await store.size() == len(expected)


def left_over(place: Place, *, spools: int, versions: int = 1) -> list[str]:
    """Return what lies about besides whole spools: a file each, or two objects each version."""
    names = [name.rpartition("/")[2] for name in place.files()]
    marks = [name for name in names if name.endswith(".mark")]
    kept = [name for name in names if name.endswith(".spool")]
    assert len(kept) <= spools
    assert len(marks) <= spools * versions
    marked = {f"{'-'.join(mark.split('-')[1:3])}.content" for mark in marks}
    return [name for name in names if name not in {*marks, *kept, *marked, ".lock"}]
