"""Zones by name and by offset, and what wall clocks show when they are changed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.batteries.languages.dates import time_zones
from tether.batteries.languages.dates.time_zones import (
    known_zones,
    locate,
    move,
    offset_of,
    place,
    read_zone,
    zone_name,
)
from tether.core.errors import InputRefused, LimitExceeded

CHANGING = (
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "Asia/Tokyo",
)


def wall(text: str) -> datetime:
    return datetime.strptime(text, "%Y-%m-%d %H:%M")  # noqa: DTZ007


@pytest.mark.parametrize(
    ("name", "offset"),
    [
        ("Z", "+00:00"),
        ("UTC", "+00:00"),
        ("utc", "+00:00"),
        ("+05:30", "+05:30"),
        ("-0330", "-03:30"),
        ("+14", "+14:00"),
        ("-15:13:42", "-15:13:42"),  # the local mean time of Juneau until 1867, tz database
        ("Asia/Kathmandu", "+05:45"),  # since 1986, tz database
        ("Etc/GMT+5", "-05:00"),  # the sign is the other way round, as POSIX has it
    ],
)
def test_zones_are_read_by_name_and_by_offset(name: str, offset: str) -> None:
    zone = read_zone(name)
    assert datetime(2024, 1, 1, tzinfo=zone).isoformat()[19:] == offset
    assert read_zone(zone_name(zone)) == zone


def test_every_zone_of_the_database_is_known() -> None:
    refused = {"CET", "EET", "EST", "HST", "MET", "MST", "WET"}
    for name in available_timezones() - {"localtime", "Factory"} - refused:
        assert zone_name(read_zone(name)) == name


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("europe/berlin", "Did you mean Europe/Berlin"),
        ("EUROPE/BERLIN", "Did you mean Europe/Berlin"),
        ("Berlin", "Did you mean Europe/Berlin"),
        ("new york", "Did you mean America/New_York"),
        ("Europe/Berln", "Did you mean Europe/Berlin"),
        ("PST", "America/Los_Angeles"),
        ("EST", "abbreviation 'EST' .* America/New_York"),
        ("MST", "America/Denver or America/Phoenix"),
        ("HST", "Pacific/Honolulu"),
        ("cet", "Europe/Berlin"),
        ("GMT+2", r"write the offset alone: \+02:00"),
        ("utc-5:30", r"write the offset alone: -05:30"),
        ("UTC +0530", r"write the offset alone: \+05:30"),
        ("XYZ", "abbreviations"),
        ("../etc/passwd", "Write an IANA name"),
        ("/etc/passwd", "Write an IANA name"),
        ("/usr/share/zoneinfo/UTC", "Write an IANA name"),
        ("Europe/../Europe/Berlin", "Write an IANA name"),
        ("Europe/Berlin\x00", "Write an IANA name"),
        ("Europe", "Write an IANA name"),
        ("localtime", "Write an IANA name"),
        ("posixrules", "Write an IANA name"),
        ("right/UTC", "Write an IANA name"),
        ("UTC+5", r"write the offset alone: \+05:00"),
        ("\ud800", "Write an IANA name"),
        ("", "Write an IANA name"),
        ("+99:99", "does not exist"),  # case 59
        ("+24:00", "does not exist"),
        ("-05:60", "does not exist"),
        ("+05:30:99", "does not exist"),
        ("+5:30", "Write an IANA name"),
    ],
)
def test_what_is_no_zone_is_refused_with_a_way_out(name: str, hint: str) -> None:
    with pytest.raises(InputRefused, match=hint):
        read_zone(name)


def test_a_name_longer_than_any_zone_is_not_looked_up() -> None:
    with pytest.raises(LimitExceeded, match="200000 characters; at most 64"):
        read_zone("Z" * 200_000)


@pytest.fixture
def no_database(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def none() -> set[str]:
        return set()

    monkeypatch.setattr(time_zones, "available_timezones", none)
    known_zones.cache_clear()
    yield
    known_zones.cache_clear()


@pytest.mark.usefixtures("no_database")
def test_without_a_database_the_error_says_what_to_install() -> None:
    with pytest.raises(InputRefused, match=r"pip install 'tether\[tools\]'"):
        read_zone("Europe/Berlin")
    assert read_zone("UTC") is UTC


# The tz database: when clocks were changed, and from which offset to which.
@pytest.mark.parametrize(
    ("name", "asked", "occurs", "first", "second"),
    [
        ("Europe/Berlin", "2024-03-31 02:30", "never", "2024-03-31T03:30:00+02:00", None),
        ("Europe/Berlin", "2024-03-31 02:00", "never", "2024-03-31T03:00:00+02:00", None),
        ("Europe/Berlin", "2024-03-31 03:00", "once", "2024-03-31T03:00:00+02:00", None),
        (
            *("Europe/Berlin", "2024-10-27 02:30", "twice"),
            *("2024-10-27T02:30:00+02:00", "2024-10-27T02:30:00+01:00"),
        ),
        ("Europe/Berlin", "2024-10-27 03:00", "once", "2024-10-27T03:00:00+01:00", None),
        ("America/New_York", "2024-03-10 02:30", "never", "2024-03-10T03:30:00-04:00", None),
        (
            *("America/New_York", "2024-11-03 01:30", "twice"),
            *("2024-11-03T01:30:00-04:00", "2024-11-03T01:30:00-05:00"),
        ),
        ("Australia/Lord_Howe", "2024-10-06 02:15", "never", "2024-10-06T02:45:00+11:00", None),
        (
            *("Australia/Lord_Howe", "2024-04-07 01:45", "twice"),
            *("2024-04-07T01:45:00+11:00", "2024-04-07T01:45:00+10:30"),
        ),
        ("Pacific/Apia", "2011-12-30 12:00", "never", "2011-12-31T12:00:00+14:00", None),
        ("Asia/Kathmandu", "2024-03-31 02:30", "once", "2024-03-31T02:30:00+05:45", None),
    ],
)
def test_skipped_and_repeated_times_are_decided_and_reported(
    name: str, asked: str, occurs: str, first: str, second: str | None
) -> None:  # case 59
    zone = read_zone(name)
    taken = place(wall(asked), zone)
    assert (taken.moment.isoformat(), taken.occurs) == (first, occurs)
    assert (taken.note is None) == (occurs == "once")
    assert place(wall(asked), zone, 1).moment.isoformat() == (second or first)


def test_the_note_says_what_was_decided() -> None:
    zone = read_zone("Europe/Berlin")
    skipped, repeated = wall("2024-03-31 02:30"), wall("2024-10-27 02:30")
    assert "moved forward to 2024-03-31T03:30:00+02:00" in str(place(skipped, zone).note)
    assert "the first was taken, at +02:00" in str(place(repeated, zone).note)
    assert "the second was taken, at +01:00" in str(place(repeated, zone, 1).note)


def test_a_day_begins_at_the_midnight_of_its_zone() -> None:
    berlin = read_zone("Europe/Berlin")
    assert locate(date(2024, 3, 1), berlin).moment.isoformat() == "2024-03-01T00:00:00+01:00"
    assert (
        locate(wall("2024-03-01 10:00"), berlin).moment.isoformat() == "2024-03-01T10:00:00+01:00"
    )
    noon = datetime(2024, 3, 1, 12, tzinfo=UTC)
    assert locate(noon, berlin).moment.isoformat() == "2024-03-01T13:00:00+01:00"


@pytest.mark.parametrize(
    ("moment", "hours"),
    [(datetime(1, 1, 1, tzinfo=UTC), -1), (datetime(9999, 12, 31, 23, tzinfo=UTC), 1)],
)
def test_what_leaves_the_years_is_refused(moment: datetime, hours: int) -> None:
    with pytest.raises(InputRefused, match="outside the years 0001 to 9999"):
        move(moment, timezone(timedelta(hours=hours)))


@given(st.sampled_from(CHANGING), st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)))  # noqa: DTZ001
def test_a_time_occurs_as_often_as_the_time_line_shows_it(name: str, asked: datetime) -> None:
    # The oracle, after PEP 495: a time exists if it survives the way to UTC and back.
    zone = ZoneInfo(name)
    instants = {asked.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1)}
    shown = {at for at in instants if at.astimezone(zone).replace(tzinfo=None, fold=0) == asked}
    taken = place(asked, zone)
    assert taken.occurs == {0: "never", 1: "once", 2: "twice"}[len(shown)]
    if shown:
        assert taken.moment.astimezone(UTC) == min(shown)
    assert offset_of(taken.moment) == taken.moment.utcoffset()
