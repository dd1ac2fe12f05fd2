"""The key that a store signs rows with, and the tags made with it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from hashlib import blake2b
from hmac import compare_digest
from pathlib import Path
from secrets import token_bytes
from tempfile import NamedTemporaryFile

from tether.batteries.storage.errors import StoreDamaged
from tether.batteries.storage.sql.database import Database
from tether.core.plain_data import canonical_json

KEY_BYTES = 32


def key_beside(path: Path) -> Path:
    """Return the path of the key of a store's file."""
    return path.with_name(f"{path.name}-key")


def file_key(path: Path) -> bytes:
    """Return the key in a file, created once if missing, whichever process is first.

    Raises `StoreDamaged` if the file contains something else, and `OSError`.
    """
    try:
        key = path.read_bytes()
    except FileNotFoundError:
        write_key(path, token_bytes(KEY_BYTES))
        key = path.read_bytes()
    return _checked(key, str(path))


def write_key(path: Path, key: bytes) -> None:
    """Write a key atomically, readable by its owner only, unless one exists; raises `OSError`."""
    with NamedTemporaryFile(dir=path.parent, prefix=f"{path.name}.") as part:
        os.fchmod(part.fileno(), 0o600)  # whatever the umask took away
        part.write(key)
        part.flush()
        os.fsync(part.fileno())
        with suppress(FileExistsError):  # another process was faster; its key will do
            path.hardlink_to(part.name)


async def database_key(database: Database) -> bytes:
    """Return the key in a database, created if missing; raises `StoreDamaged`."""
    async with database.writing() as transaction:
        await transaction.execute(
            "INSERT INTO tether_keys (one, key) VALUES (1, ?) ON CONFLICT (one) DO NOTHING",
            (token_bytes(KEY_BYTES),),
        )
        rows = await transaction.query("SELECT key FROM tether_keys WHERE one = 1")
    return _checked(bytes(rows[0]["key"]), "the table tether_keys")


def tag(key: bytes, kind: str, columns: Sequence[str]) -> str:
    """Return the keyed hash of a row's texts; nobody without the key can make one."""
    text = canonical_json([kind, *columns])
    return blake2b(text.encode(), digest_size=32, key=key, person=b"tether.row").hexdigest()


def is_tagged(key: bytes, kind: str, columns: Sequence[str], given: object) -> bool:
    """Return whether a tag belongs to these texts."""
    found = given if isinstance(given, str) else ""
    return compare_digest(tag(key, kind, columns).encode(), found.encode())


def _checked(key: bytes, place: str) -> bytes:
    if len(key) != KEY_BYTES:
        raise StoreDamaged(
            f"{place} does not contain a key of {KEY_BYTES} bytes: restore the right one from a "
            "backup, or remove it and confirm the memories again"
        )
    return key
