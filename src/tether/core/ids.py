"""Identifiers that sort by the time they were made."""

from __future__ import annotations

import os
import time

_GREGORIAN_EPOCH = 0x01B21DD213814000  # 100 ns intervals from 1582-10-15 to 1970-01-01 (RFC 9562)


def new_id() -> str:
    """Return a fresh UUID of version 6 (RFC 9562): unique, and ordered by creation time.

    The last 62 bits come from the operating system's random source, so two ids of the same tick differ.
    """
    ticks = time.time_ns() // 100 + _GREGORIAN_EPOCH
    random = int.from_bytes(os.urandom(8))
    digits = (
        f"{ticks >> 12 & 0xFFFFFFFFFFFF:012x}6{ticks & 0xFFF:03x}"
        f"{0x8000000000000000 | random & 0x3FFFFFFFFFFFFFFF:016x}"
    )
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
