"""Stores for large results: in memory, in a folder, or in an object store."""

from tether.batteries.storage.spools.disk import DiskSpools
from tether.batteries.storage.spools.memory import MemorySpools
from tether.batteries.storage.spools.objects import ObjectSpools
from tether.batteries.storage.spools.store import (
    Content,
    Spool,
    SpoolByteStore,
    SpoolStore,
    spool_id,
)

__all__ = [
    "Content",
    "DiskSpools",
    "MemorySpools",
    "ObjectSpools",
    "Spool",
    "SpoolByteStore",
    "SpoolStore",
    "spool_id",
]
