"""Quantities are the same amount of the same, and bounds stay on their side."""

from __future__ import annotations

import pytest

from tether.ask.citations.quantities import bounds_oppositely, is_measured_as


@pytest.mark.parametrize(
    ("statement", "quote"),
    [
        ("It holds 5 GB.", "The limit is 5GB."),
        ("It holds 5000 MB.", "The limit is 5 GB."),
        ("It holds 2 KiB.", "The limit is 2048 bytes."),
        ("It waits 2 minutes.", "The wait is 120 seconds."),
        ("It waits 1.5 h.", "The wait is 90 min."),
        ("It waits 1,000 ms.", "The wait is 1 s."),
        ("It waits 5 \u03bcs.", "The wait is 5 \u00b5s."),
        ("It waits two years.", "The wait is 24 months."),
        ("It waits 60 seconds.", "It waits one minute."),
        ("It waits thirty-five seconds.", "It waits 35 s."),
        ("It lasts 2 years.", "It lasts 24 months."),
        ("It runs at 3 GHz.", "The rate is 3000 MHz."),
        ("It is 5 percent.", "The share is 5%."),
        ("A 30-second delay", "The delay is 30 seconds."),
        ("It waits 30 seconds.", "delay: 30"),
        ("It waits 30 seconds.", "The delay is 30 ticks."),
        ("It waits.", "The delay is 30 seconds."),
        ("It has 30 lines.", "It waits 30 seconds."),
        ("It waits 5 m\u017f and 5 m\u0131n.", "It waits."),
    ],
)
def test_the_same_amount_in_other_words_is_the_same(statement: str, quote: str) -> None:
    assert is_measured_as(statement, quote)


@pytest.mark.parametrize(
    ("statement", "quote"),
    [
        ("It holds 5 GB.", "The limit is 5 TB."),
        ("It holds 5 GB.", "The limit is 5 GiB."),
        ("It holds 5 GB.", "The limit is 5 seconds."),
        ("It waits 30 seconds.", "The wait is 30 minutes."),
        ("It waits 30 seconds.", "The wait is 20 seconds."),
        ("It waits up to five seconds.", "It waits up to five minutes."),
        ("It waits 30 days.", "The wait is 30 months, or 30 weeks."),
        ("It waits 30 seconds.", "The wait is 30 ms for 30 clients."),
        ("It is 5 bits.", "It is 5 bytes."),
        ("It holds 5 GB.", "It holds some."),
    ],
)
def test_another_unit_or_amount_is_not(statement: str, quote: str) -> None:
    assert not is_measured_as(statement, quote)


@pytest.mark.parametrize(
    ("statement", "quote"),
    [
        ("It holds at least 5.", "It holds at most 5."),
        ("It holds no fewer than 5.", "It holds up to 5."),
        ("It holds at least five tasks.", "It holds at most 5 tasks."),
        ("It holds up to 5 tasks.", "It holds a minimum of 5 tasks."),
        ("It waits more than 30 seconds.", "It waits less than 30 seconds."),
        ("It waits under 30 seconds.", "It waits over 30 seconds."),
        ("x >= 5", "x <= 5"),
        ("It needs version 5 or later.", "It needs version 5 or older."),
        ("It needs 5+ workers.", "It needs at most 5 workers."),
        ("It needs 1,000 or more.", "It needs not more than 1000."),
        ("The maximum is 5.", "The minimum is 5."),
        ("It exceeds 5.", "It must not exceed 5."),
    ],
)
def test_a_bound_from_the_other_side_is_known(statement: str, quote: str) -> None:
    assert bounds_oppositely(statement, quote)
    assert bounds_oppositely(quote, statement)


@pytest.mark.parametrize(
    ("statement", "quote"),
    [
        ("It holds at most 5.", "It holds no more than 5."),
        ("It holds at least 5.", "It holds more than 5."),
        ("It holds at least 5.", "It holds 5."),
        ("It holds 5.", "It holds at least 5."),
        ("It holds at least 5.", "It holds at most 6."),
        ("It holds at least 5.", "It holds at least 5 and at most 5."),
        ("It holds not more than 5.", "It holds at most 5."),
        ("", ""),
    ],
)
def test_other_bounds_are_not_opposite(statement: str, quote: str) -> None:
    assert not bounds_oppositely(statement, quote)
