"""Times: every accepted form, and every refused one."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.core.times import parse_time

NOON = datetime(2024, 2, 29, 12, 0, tzinfo=UTC)
offsets = st.integers(-23 * 60, 23 * 60).map(lambda m: timezone(timedelta(minutes=m)))


@pytest.mark.parametrize(
    "value",
    [
        NOON,
        NOON.replace(tzinfo=None),
        NOON.astimezone(timezone(timedelta(hours=5, minutes=30))),
        "2024-02-29T12:00:00Z",
        "2024-02-29T12:00:00+00:00",
        "2024-02-29T14:00:00+02:00",
        "2024-02-29T12:00:00",
        "2024-02-29 12:00",
        "20240229T120000Z",
        1_709_208_000_000,
        1_709_208_000_000.0,
    ],
)
def test_one_instant_may_be_written_in_many_forms(value: object) -> None:
    # CONTRACT 66; 1,709,208,000 seconds lie between 1970 and noon of that day:
    assert timedelta(seconds=1_709_208_000) == NOON - datetime(1970, 1, 1, tzinfo=UTC)
    assert parse_time(value) == NOON


@pytest.mark.parametrize("value", [date(2024, 2, 29), "2024-02-29"])
def test_a_date_is_its_first_moment_in_utc(value: object) -> None:
    assert parse_time(value) == NOON - timedelta(hours=12)


def test_an_aware_datetime_is_kept_by_identity() -> None:
    local = NOON.astimezone(timezone(timedelta(hours=-8)))
    assert parse_time(local) is local


@pytest.mark.parametrize("value", [NOON.replace(tzinfo=None), "2024-02-29T12:00:00", 0, 0.5])
def test_what_carries_no_zone_is_utc(value: object) -> None:
    assert parse_time(value).tzinfo is UTC


def test_milliseconds_keep_their_fraction() -> None:
    assert parse_time(1.5).microsecond == 1500
    assert parse_time(-1) == datetime(1970, 1, 1, tzinfo=UTC) - timedelta(milliseconds=1)


@pytest.mark.parametrize(
    "value",
    [
        True,
        False,
        math.nan,
        math.inf,
        -math.inf,
        10**18,
        -(10**18),
        10**400,
        1e300,
        None,
        "",
        " ",
        "yesterday",
        "2024-02-30",
        "2024-13-01T00:00:00Z",
        "12:00",
        "\ud800",
        b"2024-02-29",
        [2024, 2, 29],
        {},
        object(),
    ],
)
def test_what_means_no_time_is_refused(value: object) -> None:
    # CONTRACT 66
    with pytest.raises(ValueError, match=r"must be|is not"):
        parse_time(value)


def test_a_boolean_is_not_taken_for_a_number() -> None:
    with pytest.raises(ValueError, match="boolean"):
        parse_time(value=True)


@given(st.datetimes(timezones=offsets))
def test_aware_datetimes_survive_the_trip_through_iso_text(moment: datetime) -> None:
    restored = parse_time(moment.isoformat())
    assert restored == moment
    assert restored.utcoffset() == moment.utcoffset()


@given(st.datetimes())
def test_naive_datetimes_mean_the_same_wall_clock_in_utc(moment: datetime) -> None:
    assert parse_time(moment) == parse_time(moment.isoformat()) == moment.replace(tzinfo=UTC)


@given(st.integers(-(10**13), 10**13))
def test_whole_milliseconds_are_exact(milliseconds: int) -> None:
    passed = parse_time(milliseconds) - datetime(1970, 1, 1, tzinfo=UTC)
    assert passed == timedelta(milliseconds=milliseconds)


@given(st.text() | st.integers() | st.floats())
def test_any_input_gives_an_aware_time_or_a_value_error(value: object) -> None:
    try:
        moment = parse_time(value)
    except ValueError:
        return
    assert moment.utcoffset() is not None
