"""Bytes that records refer to, stored once by their hash while a record needs them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping
from hashlib import sha256

from tether.batteries.storage.sql.database import Database, Transaction
from tether.core.artifact import SpooledArtifact
from tether.core.errors import LimitExceeded
from tether.core.media import Media, MediaReader

LARGEST_BLOB = 256 * 1024 * 1024


class BlobSource:
    """The bytes of one blob, read by position from the database.

    A deleted blob reads as empty, which readers report as content that became shorter.
    """

    def __init__(self, database: Database, id: str, length: int) -> None:
        self._database = database
        self._id = id
        self._length = length

    async def size(self) -> int:
        """Return how many bytes there are."""
        return self._length

    async def read(self, start: int, length: int) -> bytes:
        """Return a part of them."""
        rows = await self._database.query(
            "SELECT substr(bytes, ?, ?) AS part FROM blobs WHERE id = ?",
            (start + 1, length, self._id),
        )
        return bytes(rows[0]["part"]) if rows else b""


class Drained:
    """The bytes of the attachments and artifacts of one record, in memory."""

    def __init__(self) -> None:
        self._contents: dict[str, bytes] = {}

    @property
    def contents(self) -> Mapping[str, bytes]:
        """The bytes by their hash."""
        return self._contents

    async def add_media(self, media: Media) -> tuple[str, int]:
        """Read a media asset; return its hash and length. Raises `LimitExceeded`."""
        return self._add(await _read(media.stream()))

    async def add_artifact(self, artifact: SpooledArtifact) -> tuple[str, int]:
        """Read an artifact, as bytes if its reader has them; raises `LimitExceeded`."""
        reader: object = artifact.reader
        if isinstance(reader, MediaReader):
            return self._add(await _read(reader.stream()))
        return self._add((await artifact.as_string()).encode())

    def _add(self, content: bytes) -> tuple[str, int]:
        id = sha256(content).hexdigest()
        self._contents[id] = content
        return id, len(content)


async def keep_blobs(transaction: Transaction, record: int, contents: Mapping[str, bytes]) -> None:
    """Keep bytes for the record with that sequence number."""
    for id, content in contents.items():
        await transaction.execute(
            "INSERT INTO blobs (id, bytes) VALUES (?, ?) ON CONFLICT (id) DO NOTHING", (id, content)
        )
        await transaction.execute(
            "INSERT INTO blob_uses (record, blob) VALUES (?, ?) ON CONFLICT DO NOTHING",
            (record, id),
        )


async def drop_blobs(transaction: Transaction, records: Iterable[int]) -> None:
    """Drop the references of records, and the bytes without a reference."""
    for record in records:
        gone = await transaction.query(
            "DELETE FROM blob_uses WHERE record = ? RETURNING blob", (record,)
        )
        for row in gone:
            await transaction.execute(
                "DELETE FROM blobs WHERE id = ? AND NOT EXISTS "
                "(SELECT 1 FROM blob_uses WHERE blob = ?)",
                (row["blob"], row["blob"]),
            )


async def _read(stream: AsyncIterator[bytes]) -> bytes:
    content = bytearray()
    try:
        async for piece in stream:
            content += piece
            if len(content) > LARGEST_BLOB:
                raise LimitExceeded(
                    f"an attachment or a result has more than {LARGEST_BLOB:,} bytes: "
                    "keep it in a file and store its path"
                )
    finally:
        if isinstance(stream, AsyncGenerator):
            await stream.aclose()
    return bytes(content)
