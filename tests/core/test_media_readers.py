"""Media readers: memory, files, and whatever can be opened again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tether.core.media import MediaReader
from tether.core.media_readers import CHUNK_BYTES, BytesReader, FileReader, StreamReader

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


async def test_a_missing_file_raises_as_open_does(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        await pieces_of(FileReader(tmp_path / "nothing"))


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
