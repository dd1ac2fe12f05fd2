"""Unpacking what a server packed, with an end to how much may come out."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from tether.core.errors import LimitExceeded

_MAGIC = b"\x1f\x8b"
_AT_ONCE = 64 * 1024
_HIGHEST_RATIO = 100
_FREE_BYTES = 1_000_000
"""Small files may grow by more than the ratio: a short sitemap repeats itself."""


def is_gzipped(data: bytes) -> bool:
    """Say whether data begins as gzip does."""
    return data.startswith(_MAGIC)


def gunzipped(data: bytes, most: int) -> Iterator[bytes]:
    """Yield the contents in pieces; raises `LimitExceeded` for too much, `ValueError` for damage.

    More members after the first are not read: nobody writes sitemaps so, and each could be a bomb.
    """
    most = min(most, len(data) * _HIGHEST_RATIO + _FREE_BYTES)
    written = 0
    for piece in _unpacked(data):
        written += len(piece)
        if written > most:
            raise LimitExceeded(f"it unpacks to more than {most:,} bytes.")
        yield piece


def _unpacked(data: bytes) -> Iterator[bytes]:
    unpack = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    left = data
    while not unpack.eof:
        try:
            piece = unpack.decompress(left, _AT_ONCE)
        except zlib.error as error:
            raise ValueError(f"the gzip data is damaged ({error})") from error
        left = unpack.unconsumed_tail
        if not piece and not left and not unpack.eof:
            raise ValueError("the gzip data breaks off")
        yield piece
