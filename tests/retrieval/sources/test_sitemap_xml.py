from __future__ import annotations

import gzip
import os

import pytest

from tether.core.errors import LimitExceeded
from tether.retrieval.sources.sitemap import gunzipped, is_gzipped


@pytest.mark.parametrize("data", [b"", b"x" * 900_000, os.urandom(300_000)], ids=["0", "x", "any"])
def test_what_was_packed_comes_out(data: bytes) -> None:
    packed = gzip.compress(data)
    assert is_gzipped(packed)
    assert b"".join(gunzipped(packed, 10_000_000)) == data


def test_a_bomb_goes_off_early() -> None:
    bomb = gzip.compress(bytes(40_000_000), compresslevel=9)
    taken = 0
    with pytest.raises(LimitExceeded, match="unpacks to more than"):  # noqa: PT012
        for piece in gunzipped(bomb, 30_000_000):
            taken += len(piece)
    assert taken <= 100 * len(bomb) + 1_000_000 + 65_536
    with pytest.raises(LimitExceeded, match="more than 1,000 bytes"):
        list(gunzipped(gzip.compress(bytes(2_000)), 1_000))


def test_damage_is_a_value_error() -> None:
    packed = gzip.compress(os.urandom(1_000))
    for cut in (3, 20, 500, len(packed) - 1):
        with pytest.raises(ValueError, match="breaks off"):
            list(gunzipped(packed[:cut], 10_000))
    with pytest.raises(ValueError, match="damaged"):
        list(gunzipped(packed[:10] + b"\xff" * 100, 10_000))
    with pytest.raises(ValueError, match="damaged"):
        list(gunzipped(b"plain", 10_000))
