"""Identifiers that sort by the time they were made."""

from __future__ import annotations

import os
import time

_GREGORIAN_EPOCH = 0x01B21DD213814000  # 100 ns intervals from 1582-10-15 to 1970-01-01 (RFC 9562)


def new_id() -> str:
    """Return a fresh UUID of version 6 (RFC 9562): unique, and ordered by creation time.

    The last 62 bits come from the operating system's random source, so two ids of the same tick
    differ.
    """
    ticks = f"{time.time_ns() // 100 + _GREGORIAN_EPOCH:015x}"
    noise = os.urandom(8)
    digits = noise.hex()
    variant = "89ab"[noise[0] >> 6]  # two random bits after the two fixed bits of the variant
    return f"{ticks[:8]}-{ticks[8:12]}-6{ticks[12:]}-{variant}{digits[1:4]}-{digits[4:]}"
