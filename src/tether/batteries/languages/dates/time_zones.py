"""Time zones: their names, and the meaning of local times.

Twice a year, in most zones, an hour of local time is skipped or repeated. `place` chooses a moment
for such a time and adds a note: a skipped time is moved forward by the length of the gap, and of a
repeated one the first is taken unless the second is asked for.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from difflib import get_close_matches
from functools import cache
from typing import Literal, NamedTuple
from zoneinfo import ZoneInfo, available_timezones

from tether.core.checks import in_short
from tether.core.errors import InputRefused, LimitExceeded

LONGEST_ZONE = 64
OFFSET = r"[+-][0-9]{2}(?::?[0-9]{2}(?::?[0-9]{2})?)?"
NOT_ZONES = frozenset({"Factory", "localtime", "posixrules"})
"""Files of the zone database that are not zones, or stand for the zone of this machine."""

ABBREVIATIONS = {
    **dict.fromkeys(("EST", "EDT", "ET"), "America/New_York"),
    **dict.fromkeys(("CST", "CDT"), "America/Chicago or Asia/Shanghai"),
    **dict.fromkeys(("MST", "MDT"), "America/Denver or America/Phoenix"),
    **dict.fromkeys(("PST", "PDT", "PT"), "America/Los_Angeles"),
    "HST": "Pacific/Honolulu",
    **dict.fromkeys(("CET", "CEST", "MET", "MEST"), "Europe/Berlin or Europe/Paris"),
    **dict.fromkeys(("EET", "EEST"), "Europe/Athens or Europe/Helsinki"),
    **dict.fromkeys(("WET", "WEST"), "Europe/Lisbon"),
    "BST": "Europe/London or Asia/Dhaka",
    "IST": "Asia/Kolkata, Europe/Dublin or Asia/Jerusalem",
    "JST": "Asia/Tokyo",
    "KST": "Asia/Seoul",
    "MSK": "Europe/Moscow",
    "SGT": "Asia/Singapore",
    **dict.fromkeys(("AEST", "AEDT"), "Australia/Sydney or Australia/Brisbane"),
    **dict.fromkeys(("NZST", "NZDT"), "Pacific/Auckland"),
}
"""Possible meanings of abbreviations. All are refused, even the few that the database has as names:
its EST is at -05:00 in summer too, which is seldom intended."""

SHIFTED = r"(?:UTC|GMT) ?([+-])([0-9]{1,2})(?::?([0-9]{2}))?"
"""A common way to write an offset. Only in the database, Etc/GMT+2 is at -02:00."""

Occurrence = Literal["once", "twice", "never"]


class LocalTime(NamedTuple):
    """A local time with the moment it stands for."""

    moment: datetime
    occurs: Occurrence
    """How often the local time occurs on that day."""
    note: str | None
    """A note on the choice that was made; None for a time that occurs once."""


def read_zone(name: str) -> tzinfo:
    """Return the zone of an IANA name, of an offset such as +05:30, or of Z or UTC.

    Names are written as in the database, upper and lower case included, but no abbreviations. An
    offset is less than 24 hours, as in RFC 3339. Raises `InputRefused`, suggesting names, and
    `LimitExceeded`.
    """
    if len(name) > LONGEST_ZONE:
        raise LimitExceeded(
            f"the time zone has {len(name)} characters; at most {LONGEST_ZONE} are allowed"
        )
    if name.upper() in ("Z", "UTC"):
        return UTC
    if re.fullmatch(OFFSET, name):
        return read_offset(name)
    if name not in known_zones():
        raise InputRefused(_unknown(name))
    return ZoneInfo(name)


def read_offset(text: str) -> timezone:
    """Return the zone of a text that matches `OFFSET`; raise `InputRefused` from 24 hours on."""
    digits = text[1:].replace(":", "").ljust(6, "0")
    hours, minutes, seconds = int(digits[:2]), int(digits[2:4]), int(digits[4:])
    if hours > 23 or minutes > 59 or seconds > 59:
        raise InputRefused(
            f"the offset {text!r} does not exist: its hours run to 23 and its minutes to 59, "
            "as in +05:30"
        )
    distance = timedelta(hours=hours, minutes=minutes, seconds=seconds)
    return timezone(-distance if text.startswith("-") else distance)


def zone_name(zone: tzinfo | None) -> str:
    """Return a name that `read_zone` would read as the same zone."""
    if isinstance(zone, ZoneInfo):
        return zone.key
    return "UTC" if zone is UTC else offset_text(datetime(2000, 1, 1, tzinfo=zone))


@cache
def known_zones() -> frozenset[str]:
    """Return the names of the zone database of this machine, or of the package tzdata.

    Without those of its names that are abbreviations.
    """
    return frozenset(available_timezones() - NOT_ZONES - ABBREVIATIONS.keys())


def place(wall: datetime, zone: tzinfo, fold: int = 0) -> LocalTime:
    """Return the moment of the naive time `wall` in `zone`.

    `fold` chooses between two moments where clocks are set back. Raises
    `InputRefused` where the time, in UTC, is outside the years 1 to 9999.
    """
    first, second = wall.replace(tzinfo=zone, fold=0), wall.replace(tzinfo=zone, fold=1)
    before, after = offset_of(first), offset_of(second)
    moment = move(second if fold and before > after else first, zone)
    if before == after:
        return LocalTime(moment, "once", None)
    where = f"{wall.isoformat(' ')} in {zone_name(zone)}"
    if before > after:
        which = "second" if fold else "first"
        taken = f"the {which} was taken, at {offset_text(moment)}"
        return LocalTime(moment, "twice", f"{where} occurs twice, as clocks are set back: {taken}")
    moved = f"moved forward to {moment.isoformat()}"
    return LocalTime(moment, "never", f"{where} is skipped, as clocks are set forward: {moved}")


def locate(value: date | datetime, zone: tzinfo) -> LocalTime:
    """Return a moment in `zone`: a day begins there, a naive time is placed, others are moved."""
    if not isinstance(value, datetime):
        return place(datetime.combine(value, time.min), zone)
    if value.tzinfo is None:
        return place(value, zone)
    return LocalTime(move(value, zone), "once", None)


def move(moment: datetime, zone: tzinfo) -> datetime:
    """Return the same moment as the clocks of `zone` show it."""
    try:
        return moment.astimezone(UTC).astimezone(zone)
    except OverflowError:
        raise InputRefused(
            f"{moment.isoformat()} in {zone_name(zone)} is outside the years 0001 to 9999"
        ) from None


def offset_of(moment: datetime) -> timedelta:
    """Return how far the clock is ahead of UTC; zero for a time without a zone."""
    return moment.utcoffset() or timedelta()


def offset_text(moment: datetime) -> str:
    """Return the offset as ISO 8601 writes it, with seconds where an old one has them."""
    return moment.isoformat(timespec="seconds")[19:]


def _unknown(name: str) -> str:
    if not known_zones():
        return "there is no time zone database on this machine: pip install 'tether[tools]'"
    if found := re.fullmatch(SHIFTED, name, re.IGNORECASE | re.ASCII):
        offset = f"{found[1]}{found[2]:0>2}:{found[3] or '00'}"
        return f"write the offset alone: {offset}, and not {name!r}"
    if name.upper() in ABBREVIATIONS:
        return (
            f"the abbreviation {name!r} does not name one zone with its changes of clocks: write "
            f"{ABBREVIATIONS[name.upper()]}, or an offset such as +05:30"
        )
    near = _suggestions(name)
    meant = f" Did you mean {' or '.join(near)}?" if near else ""
    return (
        f"there is no time zone {in_short(name)}.{meant} Write an IANA name such as Europe/Berlin, "
        "an offset such as +05:30, or Z; abbreviations such as PST mean several zones."
    )


def _suggestions(name: str) -> list[str]:
    """Return up to three names: the same in other letters, the same city, or a similar one."""
    wanted = name.casefold().replace(" ", "_")
    folded = {zone.casefold(): zone for zone in sorted(known_zones())}
    if wanted in folded:
        return [folded[wanted]]
    cities = [zone for key, zone in folded.items() if key.rpartition("/")[2] == wanted]
    if cities or len(name) < 5:  # three letters are similar to too much
        return cities[:3]
    return [folded[key] for key in get_close_matches(wanted, folded, 3, 0.75)]
