"""Media readers: memory, files, and whatever can be opened again."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any

import pytest

from tether.core.byte_sources import CHUNK_BYTES, BytesReader, FileReader, StreamReader
from tether.core.errors import InputRefused, InvalidInput
from tether.core.media import MediaReader

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

LARGE = bytes(range(256)) * (CHUNK_BYTES // 100)
SIZES = [0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 3 * CHUNK_BYTES + 7]


async def pieces_of(reader: MediaReader) -> list[bytes]:
    return [piece async for piece in reader.stream()]


def sample(size: int) -> bytes:
    return (LARGE * (size // len(LARGE) + 1))[:size]


@pytest.mark.parametrize("size", SIZES)
async def test_bytes_come_back_in_pieces_of_bounded_size(size: int) -> None:
    pieces = await pieces_of(BytesReader(sample(size)))
    assert b"".join(pieces) == sample(size)
    assert all(0 < len(piece) <= CHUNK_BYTES for piece in pieces)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
async def test_any_kind_of_bytes_is_read_repeatedly(kind: type[bytes]) -> None:
    reader = BytesReader(kind(LARGE))
    assert b"".join(await pieces_of(reader)) == LARGE
    assert b"".join(await pieces_of(reader)) == LARGE


async def test_later_changes_to_the_given_bytes_do_not_leak_in() -> None:
    given = bytearray(b"before")
    reader = BytesReader(given)
    given[:] = b"after!"
    assert await pieces_of(reader) == [b"before"]


@pytest.mark.parametrize("size", SIZES)
async def test_a_file_comes_back_in_pieces_of_bounded_size(size: int, tmp_path: Path) -> None:
    path = tmp_path / "asset.bin"
    path.write_bytes(sample(size))
    pieces = await pieces_of(FileReader(path))
    assert b"".join(pieces) == sample(size)
    assert all(0 < len(piece) <= CHUNK_BYTES for piece in pieces)


async def test_bytes_and_files_know_their_size_without_being_streamed(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert await BytesReader(b"12345").byte_length() == 5
    assert await FileReader(path).byte_length() == 5
    with pytest.raises(InputRefused):
        await FileReader(tmp_path / "nothing").byte_length()


async def test_a_file_is_opened_only_when_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "asset.bin"
    reader = FileReader(str(path))
    stream = reader.stream()
    path.write_bytes(LARGE)
    assert b"".join([piece async for piece in stream]) == LARGE
    path.write_bytes(b"changed")
    assert await pieces_of(reader) == [b"changed"]


async def test_a_large_file_is_not_read_ahead(tmp_path: Path) -> None:
    path = tmp_path / "asset.bin"
    path.write_bytes(b"a" * CHUNK_BYTES + b"b" * CHUNK_BYTES)
    stream = FileReader(path).stream()
    assert await anext(stream) == b"a" * CHUNK_BYTES
    with path.open("r+b") as file:
        file.seek(CHUNK_BYTES)
        file.write(b"c" * CHUNK_BYTES)
    assert await anext(stream) == b"c" * CHUNK_BYTES
    assert [piece async for piece in stream] == []


async def test_a_file_that_becomes_shorter_ends_there(tmp_path: Path) -> None:
    path = tmp_path / "asset.bin"
    path.write_bytes(b"a" * CHUNK_BYTES * 2)
    stream = FileReader(path).stream()
    await anext(stream)
    os.truncate(path, CHUNK_BYTES + 1)
    assert [piece async for piece in stream] == [b"a"]


@pytest.mark.parametrize("name", ["nothing", "a\x00b", "a\ud800b", "n" * 5000])
async def test_a_file_that_cannot_be_opened_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputRefused, match="cannot be read") as refused:
        await pieces_of(FileReader(f"{tmp_path}/{name}"))
    assert isinstance(refused.value.__cause__, (OSError, ValueError))


async def test_what_is_no_regular_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(InputRefused, match="not a regular file"):
            await asyncio.wait_for(pieces_of(FileReader(path)), 10)


@pytest.mark.parametrize("given", [5, "abc", None, [1, 2], object()])
def test_a_reader_of_bytes_takes_nothing_else(given: Any) -> None:
    with pytest.raises(InvalidInput, match="content: must be bytes, not "):
        BytesReader(given)


@pytest.mark.parametrize("given", [5, b"abc", None, object()])
def test_a_reader_of_a_file_takes_a_path(given: Any) -> None:
    with pytest.raises(InvalidInput, match="path: must be a path as text, or "):
        FileReader(given)


@pytest.mark.parametrize("given", [b"", None, 5])
def test_a_reader_of_a_stream_takes_a_function(given: Any) -> None:
    with pytest.raises(InvalidInput, match="open: must be callable, not "):
        StreamReader(given)


async def test_a_stream_reader_opens_its_source_anew_each_time() -> None:
    opened: list[int] = []

    async def source() -> AsyncIterator[bytes]:
        opened.append(len(opened))
        yield b"first"
        yield b"second"

    reader = StreamReader(source)
    assert opened == []
    assert await pieces_of(reader) == [b"first", b"second"]
    assert await pieces_of(reader) == [b"first", b"second"]
    assert opened == [0, 1]


def test_every_reader_is_a_media_reader(tmp_path: Path) -> None:
    async def source() -> AsyncIterator[bytes]:
        yield b""

    for reader in (BytesReader(b""), FileReader(tmp_path), StreamReader(source)):
        assert isinstance(reader, MediaReader)
