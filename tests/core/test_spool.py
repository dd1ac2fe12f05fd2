"""Spool readers: lines by position, from memory and from files, without reading the whole."""

from __future__ import annotations

import asyncio
import errno
import gc
import os
import re
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.core.artifact import BlockReader, SpooledArtifact, SpoolReader
from tether.core.byte_sources import BytesSource
from tether.core.errors import InputRefused, InvalidInput
from tether.core.media import MediaReader
from tether.core.spool import BLOCK_BYTES, BytesSpool, FileSpool, SourceSpool, TextSpool

if TYPE_CHECKING:
    from collections.abc import Callable

# Newlines, a carriage return, characters of one to four bytes, and bytes that are no UTF-8.
PARTS = [
    *(text.encode() for text in ["\n", "\n", "\n", "\r", "a", "\u00e9", "\u20ac", "\U0001f600"]),
    b"\xff",
    b"\xe2\x82",
]
parts = st.sampled_from(PARTS)
contents = (st.lists(parts, max_size=10) | st.lists(parts, min_size=20, max_size=50)).map(b"".join)
blocks = st.integers(1, 7) | st.sampled_from([16, 64])
places = st.integers(-3, 45)
NOTE = re.compile(r"… \[cut: the line has ([\d,]+) bytes\]$")


class RecordedSource(BytesSource):
    """Bytes in memory that note what was read of them, giving way to others meanwhile."""

    def __init__(self, content: bytes) -> None:
        super().__init__(content)
        self.reads: list[tuple[int, int]] = []

    async def read(self, start: int, length: int) -> bytes:
        self.reads.append((start, length))
        await asyncio.sleep(0)
        return await super().read(start, length)


class ShrinkingSource(BytesSource):
    """Bytes that say to be more than they are."""

    async def size(self) -> int:
        return await super().size() + 1


def naive_lines(content: bytes) -> list[str]:
    """The contract's rules, on the whole content at once."""
    return [line.decode(errors="replace") for line in content.split(b"\n")] if content else []


def spool(content: bytes, block_bytes: int = BLOCK_BYTES) -> SourceSpool:
    return SourceSpool(BytesSource(content), block_bytes=block_bytes)


async def lines(
    reader: SourceSpool, start: int = 0, end: int | None = None, longest: int = 1 << 20
) -> list[str]:
    return [line async for line in reader.lines(start, end, longest=longest)]


@given(contents, blocks)
async def test_it_reads_as_the_whole_content_would(content: bytes, block: int) -> None:
    # CONTRACT 98, 112
    reader = spool(content, block)
    assert await reader.byte_length() == len(content)
    assert await reader.line_count() == len(naive_lines(content))
    assert await lines(reader) == naive_lines(content)
    assert await reader.text() == content.decode(errors="replace")
    assert b"".join([piece async for piece in reader.stream()]) == content


@given(contents, blocks, st.lists(st.tuples(places, st.none() | places), max_size=5))
async def test_ranges_are_those_of_the_list_of_lines(
    content: bytes, block: int, ranges: list[tuple[int, int | None]]
) -> None:
    # CONTRACT 97; several ranges of one reader, whose index grows on the way
    reader, expected = spool(content, block), naive_lines(content)
    for start, end in ranges:
        wanted = expected[max(0, start) : None if end is None else max(0, end)]
        assert await lines(reader, start, end) == wanted
    assert await reader.line_count() == len(expected)


@given(contents, blocks, st.integers(-1, 12))
async def test_pieces_of_lines_hold_the_lines_as_they_are_shown(
    content: bytes, block: int, longest: int
) -> None:
    reader = spool(content, block)
    pieces = [piece async for piece in reader.line_blocks(longest=longest)]
    shown = [line.decode(errors="replace") for piece in pieces for line in piece.split(b"\n")]
    assert shown == await lines(reader, longest=longest)


@given(contents, blocks, st.integers(0, 12))
async def test_a_line_is_cut_at_a_whole_character_and_says_how_long_it_is(
    content: bytes, block: int, longest: int
) -> None:
    raw = content.split(b"\n") if content else []
    shown = await lines(spool(content, block), longest=longest)
    assert len(shown) == len(raw)
    for line, given_bytes in zip(shown, raw, strict=True):
        if len(given_bytes) <= longest:
            assert line == given_bytes.decode(errors="replace")
            continue
        note = NOTE.search(line)
        assert note is not None
        assert int(note[1].replace(",", "")) == len(given_bytes)
        beginning = line[: note.start()]
        assert given_bytes.decode(errors="replace").startswith(beginning)
        if "\ufffd" not in beginning:
            missing = longest - len(beginning.encode())
            assert 0 <= missing < 4  # less than a character of UTF-8


async def test_the_cut_keeps_all_characters_that_fit() -> None:
    euros = "€" * 5  # three bytes each
    assert await lines(spool(euros.encode()), longest=7) == ["€€… [cut: the line has 15 bytes]"]
    assert await lines(spool(euros.encode()), longest=14) == ["€€€€… [cut: the line has 15 bytes]"]
    assert await lines(spool(euros.encode()), longest=15) == [euros]


async def test_a_shorter_limit_cuts_only_the_lines_that_are_longer() -> None:
    shown = await lines(spool(b"one\nthree\nfive!!\ntwo\nseven"), longest=4)
    assert shown == [
        "one",
        "thre… [cut: the line has 5 bytes]",
        "five… [cut: the line has 6 bytes]",
        "two",
        "seve… [cut: the line has 5 bytes]",
    ]


async def test_lines_of_a_mebibyte_are_shown_and_longer_ones_cut_unless_said() -> None:
    whole, long = b"a" * (1 << 20), b"b" * 1_100_000
    reader = spool(b"\n".join([whole, long, b"end"]))
    shown = await lines(reader)
    assert shown == [
        whole.decode(),
        "b" * (1 << 20) + "… [cut: the line has 1,100,000 bytes]",
        "end",
    ]
    pieces = [piece async for piece in reader.line_blocks()]
    assert b"\n".join(pieces).decode().split("\n") == shown


async def test_the_first_lines_are_read_without_the_rest() -> None:
    source = RecordedSource(b"one\ntwo\nthree\nfour\n" * 100)
    reader = SourceSpool(source, block_bytes=16)
    assert await lines(reader, 0, 2) == ["one", "two"]
    assert source.reads == [(0, 16)]


async def test_a_line_that_was_passed_before_is_found_without_reading_up_to_it() -> None:
    source = RecordedSource(b"0123456789abcde\n" * 1000)
    reader = SourceSpool(source, block_bytes=64)
    assert await lines(reader, 500, 501) == ["0123456789abcde"]
    assert max(start for start, _ in source.reads) <= 500 * 16  # nothing behind it
    source.reads.clear()
    assert await lines(reader, 400, 401) == ["0123456789abcde"]
    assert len(source.reads) <= 2
    assert await reader.line_count() == 1001
    source.reads.clear()
    assert await reader.line_count() == 1001
    assert source.reads == []


async def test_readers_of_one_spool_at_the_same_time_do_not_miscount() -> None:
    content = b"".join(b"%d\n" % number for number in range(300))
    reader = SourceSpool(RecordedSource(content), block_bytes=5)
    found = await asyncio.gather(
        reader.line_count(), *(lines(reader, at, at + 1) for at in range(0, 300, 30)), lines(reader)
    )
    assert found[0] == 301
    assert found[1:-1] == [[str(at)] for at in range(0, 300, 30)]
    assert found[-1] == naive_lines(content)


async def test_content_that_became_less_is_an_error_and_no_short_answer() -> None:
    reader = SourceSpool(ShrinkingSource(b"a\nb"))
    for reading in (reader.line_count(), reader.text(), lines(reader), lines(reader, 1)):
        with pytest.raises(InputRefused, match="changed while it was read") as refused:
            await reading
        assert refused.value.retryable


@pytest.mark.parametrize(
    "make",
    [TextSpool, lambda text: BytesSpool(text.encode())],
    ids=["text", "bytes"],
)
async def test_spools_in_memory_are_readers_of_every_kind(
    make: Callable[[str], SourceSpool],
) -> None:
    reader = make("é\r\n\n")
    assert isinstance(reader, SpoolReader)
    assert isinstance(reader, BlockReader)
    assert isinstance(reader, MediaReader)
    assert await reader.byte_length() == 5
    assert await lines(reader) == ["é\r", "", ""]
    assert await reader.text() == "é\r\n\n"
    assert [piece async for piece in reader.stream()] == ["é\r\n\n".encode()]


async def test_a_text_spool_cleans_its_text_and_a_bytes_spool_keeps_its_bytes() -> None:
    # CONTRACT 112
    assert await TextSpool("a\x00\ud800b").text() == "a\ufffdb"
    raw = bytes(range(256)) * 2
    assert b"".join([piece async for piece in BytesSpool(raw).stream()]) == raw


async def test_a_bytes_spool_does_not_change_with_what_it_was_made_from() -> None:
    content = bytearray(b"old")
    reader = BytesSpool(content)
    content[:] = b"new"
    assert await reader.text() == "old"


@pytest.mark.parametrize("given", [5, None, 1.5])
def test_what_a_reader_cannot_be_made_from_is_refused(given: Any) -> None:
    with pytest.raises(InvalidInput, match="content: must be bytes, not "):
        BytesSpool(given)
    with pytest.raises(InvalidInput, match="text: must be text, not "):
        TextSpool(given)
    with pytest.raises(InvalidInput, match="path: must be a path"):
        FileSpool(given)


async def test_a_file_is_read_by_line(tmp_path: Path) -> None:
    path = tmp_path / "log"
    content = b"".join(b"line %d\n" % number for number in range(100_000))
    path.write_bytes(content)
    artifact = SpooledArtifact(FileSpool(path))
    assert await artifact.byte_length() == len(content)
    assert await artifact.line_count() == 100_001
    assert await artifact.head(2) == ["line 0", "line 1"]
    assert await artifact.tail(2) == ["line 99999", ""]
    assert await artifact.cat(70_000, 70_001) == ["line 70000"]
    assert await artifact.grep(re.compile("line 777$")) == ["line 777"]
    assert await artifact.as_string() == content.decode()


async def test_an_empty_file_has_no_lines(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    reader = FileSpool(str(tmp_path / "empty"))
    assert (await reader.line_count(), await lines(reader), await reader.text()) == (0, [], "")
    assert [piece async for piece in reader.line_blocks()] == []


def pipe(folder: Path) -> Path:
    os.mkfifo(folder / "pipe")
    return folder / "pipe"


def link_to_a_device(folder: Path) -> Path:
    (folder / "link").symlink_to("/dev/zero")
    return folder / "link"


@pytest.mark.parametrize("make", [pipe, link_to_a_device, lambda folder: folder])
async def test_what_is_no_regular_file_is_refused_and_never_waited_for(
    make: Callable[[Path], Path], tmp_path: Path
) -> None:
    # SECURITY 54
    with pytest.raises(InputRefused, match="not a regular file"):
        await asyncio.wait_for(FileSpool(make(tmp_path)).line_count(), 10)


@pytest.mark.parametrize("name", ["missing", "a\0b", "x" * 5000])
async def test_a_file_that_cannot_be_opened_is_refused(name: str, tmp_path: Path) -> None:
    # SECURITY 54
    reader = FileSpool(tmp_path / name)
    with pytest.raises(InputRefused, match="cannot be read") as refused:
        await reader.byte_length()
    assert isinstance(refused.value.__cause__, (OSError, ValueError))
    assert len(refused.value.message) < 400


async def test_a_file_stays_the_same_when_its_name_goes_or_it_grows(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"one\ntwo")
    reader = FileSpool(path)
    assert await reader.byte_length() == 7
    with path.open("ab") as file:
        file.write(b"\nthree")
    assert await lines(reader) == ["one", "two"]
    path.unlink()
    path.write_bytes(b"another")
    assert await reader.text() == "one\ntwo"
    assert await FileSpool(path).text() == "another"


async def test_a_file_that_became_shorter_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"line\n" * 10)
    reader = FileSpool(path)
    assert await reader.line_count() == 11
    os.truncate(path, 7)
    with pytest.raises(InputRefused, match="changed while it was read"):
        await reader.text()


async def test_a_failing_disk_is_a_refusal_with_its_cause(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "log").write_bytes(b"text")

    def fail(descriptor: int, length: int, position: int) -> bytes:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "pread", fail)
    with pytest.raises(InputRefused, match="Input/output error") as refused:
        await FileSpool(tmp_path / "log").text()
    assert isinstance(refused.value.__cause__, OSError)
    assert refused.value.retryable


async def test_a_system_that_reads_little_at_a_time_is_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "log").write_bytes(b"0123456789")
    pread = os.pread
    monkeypatch.setattr(os, "pread", lambda fd, length, at: pread(fd, min(length, 3), at))
    assert await FileSpool(tmp_path / "log").text() == "0123456789"


async def test_a_file_is_opened_once_and_closed_with_its_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "log").write_bytes(b"a\nb")
    opened: list[int] = []
    open_file, go_on = os.open, threading.Event()

    def recorded(path: str, flags: int) -> int:
        go_on.wait(30)
        opened.append(open_file(path, flags))
        return opened[-1]

    closed: list[int] = []
    close_file = os.close

    def recorded_close(descriptor: int) -> None:
        closed.append(descriptor)
        close_file(descriptor)

    monkeypatch.setattr(os, "open", recorded)
    monkeypatch.setattr(os, "close", recorded_close)
    reader = FileSpool(tmp_path / "log")
    counting = [asyncio.create_task(reader.line_count()) for _ in range(8)]
    await asyncio.sleep(0)  # all of them want it open now
    assert opened == []
    go_on.set()
    assert await asyncio.gather(*counting) == [2] * 8
    assert len(opened) == 1
    assert closed == []
    del reader, counting
    for _ in range(500):  # a thread may hold the last result for a moment
        gc.collect()
        if closed:
            break
        await asyncio.sleep(0.01)
    assert closed == opened
