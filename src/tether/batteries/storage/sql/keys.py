"""The key that a store signs rows with: made once, kept where only its owner reads."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from secrets import token_bytes
from tempfile import NamedTemporaryFile

from tether.batteries.storage.sql.database import Database
from tether.core.errors import StoreDamaged

KEY_BYTES = 32


def key_beside(path: Path) -> Path:
    """Return where the key of a store's file is."""
    return path.with_name(f"{path.name}-key")


def file_key(path: Path) -> bytes:
    """Return the key in a file, made where there is none; of several processes one makes it.

    Raises `StoreDamaged` where the file holds something else, and `OSError`.
    """
    try:
        key = path.read_bytes()
    except FileNotFoundError:
        write_key(path, token_bytes(KEY_BYTES))
        key = path.read_bytes()
    return _checked(key, str(path))


def write_key(path: Path, key: bytes) -> None:
    """Write a key, whole and private, unless there is one; raises `OSError`."""
    with NamedTemporaryFile(dir=path.parent, prefix=f"{path.name}.") as part:
        os.fchmod(part.fileno(), 0o600)  # whatever the umask took away
        part.write(key)
        part.flush()
        os.fsync(part.fileno())
        with suppress(FileExistsError):  # somebody was faster; that key is as good
            path.hardlink_to(part.name)


async def database_key(database: Database) -> bytes:
    """Return the key in a database, made where there is none; raises `StoreDamaged`."""
    async with database.writing() as transaction:
        await transaction.execute(
            "INSERT INTO tether_keys (one, key) VALUES (1, ?) ON CONFLICT (one) DO NOTHING",
            (token_bytes(KEY_BYTES),),
        )
        rows = await transaction.query("SELECT key FROM tether_keys WHERE one = 1")
    return _checked(bytes(rows[0]["key"]), "the table tether_keys")


def _checked(key: bytes, place: str) -> bytes:
    if len(key) != KEY_BYTES:
        raise StoreDamaged(
            f"{place} does not hold a key of {KEY_BYTES} bytes: put the right one back from a "
            "backup, or remove it, and confirm the memories anew"
        )
    return key
