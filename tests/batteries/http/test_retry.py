"""The wait before a request is repeated."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.batteries.http.limits import retry_after_ms
from tether.batteries.models.wire.options import RetryOptions

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
RETRY = RetryOptions(max_attempts=5)


def wait(attempt: int, asked: float = 0, chance: float = 0.5, retry: RetryOptions = RETRY) -> float:
    return retry.delay_ms(attempt, asked_ms=asked, chance=chance)


def test_the_wait_doubles_up_to_the_longest() -> None:
    assert [wait(attempt) for attempt in range(1, 9)] == [
        500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000,
    ]  # fmt: skip


def test_chance_moves_the_wait_by_a_tenth() -> None:
    assert wait(1, chance=0) == pytest.approx(450)
    assert wait(1, chance=1) == pytest.approx(550)


def test_the_endpoint_can_ask_for_more_patience_but_not_for_less() -> None:
    assert wait(1, asked=7000) == 7000
    assert wait(3, asked=10) == 2000


def test_the_endpoint_cannot_ask_for_more_than_the_longest_wait() -> None:
    assert wait(1, asked=3_600_000) == 30_000


def test_the_endpoints_wish_can_be_ignored() -> None:
    assert wait(1, asked=7000, retry=RetryOptions(honor_retry_after=False)) == 500
    at_once = RetryOptions(honor_retry_after=False, base_delay_ms=0)
    assert wait(1, asked=7000, retry=at_once) == 0


@given(
    st.integers(1, 20),
    st.floats(0, 1e12),
    st.floats(0, 1, exclude_max=True),
    st.integers(0, 86_400_000),
    st.integers(0, 86_400_000),
)
def test_a_wait_is_never_negative_and_never_over_the_longest(
    attempt: int, asked: float, chance: float, base: int, longest: int
) -> None:
    retry = RetryOptions(base_delay_ms=base, max_delay_ms=longest)
    assert 0 <= wait(attempt, asked, chance, retry) <= longest


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("3", 3000),
        (" 3 ", 3000),
        ("0.25", 250),
        ("9999999999", 9_999_999_999_000),
        ("9" * 400, float("inf")),
        ("0", 0),
        (format_datetime(NOW + timedelta(seconds=90), usegmt=True), 90_000),
        ("Thu, 01 Jan 2026 12:00:05 -0000", 5000),
        ("Thu, 01 Jan 2026 13:00:05 +0100", 5000),
        (format_datetime(NOW - timedelta(hours=1), usegmt=True), 0),
    ],
)
def test_retry_after_is_read_as_seconds_or_as_a_date(header: str, expected: float) -> None:
    assert retry_after_ms(header, NOW) == expected


@pytest.mark.parametrize(
    "header",
    [
        None, "", "soon", "-3", "inf", "nan", "1e9", "٣", "0x10", "1,2", "3;", "- 3", "+3",
        "Thu, 99 Jan 2026 12:00:05 GMT", "Thu, 01 Jan 99999999999999999999 12:00:05 GMT",
        "Thu, 01 Jan 2026 12:00:05 +99999999999999999999", "Thu, 01 Jan 0000 12:00:05 GMT",
    ],
)  # fmt: skip
def test_a_retry_after_that_says_nothing_sensible_asks_for_nothing(header: str | None) -> None:
    assert retry_after_ms(header, NOW) == 0


@pytest.mark.parametrize("header", ["10000000000", "9" * 400, "9" * 10_000])
def test_the_longest_wait_caps_whatever_is_asked_for(header: str) -> None:
    # CONTRACT 147
    retry = RetryOptions(max_delay_ms=1_000)
    assert wait(1, retry_after_ms(header, NOW), 0.5, retry) == 1_000


@given(st.text())
def test_no_retry_after_breaks_the_reading(header: str) -> None:
    assert retry_after_ms(header, NOW) >= 0
