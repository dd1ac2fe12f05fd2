"""Identifiers: valid, unique, and ordered by time."""

from __future__ import annotations

import time
import uuid
from datetime import UTC, datetime, timedelta
from itertools import combinations

from tether.core.ids import new_id


def moment_of(identifier: str) -> datetime:
    """The embedded time, read by the layout of RFC 9562: 32 + 16 bits, a version digit, 12 bits."""
    groups = identifier.split("-")
    ticks = int(groups[0] + groups[1] + groups[2][1:], 16)
    return datetime(1582, 10, 15, tzinfo=UTC) + timedelta(microseconds=ticks // 10)


def wait_for_the_next_tick() -> None:
    begun = time.time_ns() // 100
    while time.time_ns() // 100 <= begun:
        pass


def test_an_id_is_a_uuid_of_version_6() -> None:
    for _ in range(1000):
        identifier = new_id()
        parsed = uuid.UUID(identifier)
        assert str(parsed) == identifier
        assert parsed.version == 6
        assert parsed.variant == uuid.RFC_4122


def test_ids_sort_by_the_time_they_were_made() -> None:
    made: list[str] = []
    for _ in range(2000):
        made.append(new_id())
        wait_for_the_next_tick()
    assert made == sorted(made)


def test_a_hundred_thousand_ids_hold_no_duplicate() -> None:
    assert len({new_id() for _ in range(100_000)}) == 100_000


def test_the_embedded_time_is_now() -> None:
    before = datetime.now(UTC)
    embedded = moment_of(new_id())
    after = datetime.now(UTC)
    leeway = timedelta(milliseconds=1)
    assert before - leeway <= embedded <= after + leeway


def test_the_last_62_bits_vary_independently_of_each_other() -> None:
    tails = [uuid.UUID(new_id()).int for _ in range(400)]
    columns = [[tail >> position & 1 for tail in tails] for position in range(62)]
    tied = [
        (low, high)
        for low, high in combinations(range(62), 2)
        if len(set(zip(columns[low], columns[high], strict=True))) < 4
    ]
    assert tied == []
