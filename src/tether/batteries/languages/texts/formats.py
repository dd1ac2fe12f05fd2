"""Checks of well-known text formats: identifiers, dates, numbers with check digits, and more.

A check returns None for a valid text, and otherwise the reason; all take linear time. Dates and
times are those of RFC 3339, where the offset may also be left out. Unlike `dates.iso_dates`, which
reads dates to calculate with, they include the year 0000 and leap seconds.
"""

from __future__ import annotations

import re
from calendar import isleap
from typing import TYPE_CHECKING, Literal

from tether.batteries.languages.json.text import parse_json
from tether.batteries.languages.texts.encodings import BASE64
from tether.batteries.languages.texts.network_names import (
    email_problem,
    hostname_problem,
    ipv4_problem,
    ipv6_problem,
    mac_problem,
    url_problem,
)
from tether.core.errors import InputRefused

if TYPE_CHECKING:
    from collections.abc import Callable

FormatName = Literal[
    "email",
    "uuid",
    "iso_date",
    "iso_time",
    "iso_datetime",
    "hex_color",
    "semver",
    "ipv4",
    "ipv6",
    "hostname",
    "url",
    "mac",
    "iban",
    "credit_card",
    "isbn10",
    "isbn13",
    "e164",
    "slug",
    "json",
    "base64",
]


def format_problem(text: str, format: FormatName) -> str | None:
    """Return why a text does not have a format, or None if it does."""
    return _CHECKS[format](text)


IBAN_LENGTHS = {
    **dict.fromkeys(("NO",), 15),
    **dict.fromkeys(("BE",), 16),
    **dict.fromkeys(("DK", "FI", "FK", "FO", "GL", "NL", "SD"), 18),
    **dict.fromkeys(("MK", "SI"), 19),
    **dict.fromkeys(("AT", "BA", "EE", "KZ", "LT", "LU", "MN", "XK"), 20),
    **dict.fromkeys(("CH", "HR", "LI", "LV"), 21),
    **dict.fromkeys(("BG", "BH", "CR", "DE", "GB", "GE", "IE", "ME", "RS", "VA"), 22),
    **dict.fromkeys(("AE", "GI", "IL", "IQ", "OM", "SO", "TL"), 23),
    **dict.fromkeys(("AD", "CZ", "ES", "MD", "PK", "RO", "SA", "SE", "SK", "TN", "VG"), 24),
    **dict.fromkeys(("LY", "PT", "ST"), 25),
    **dict.fromkeys(("IS", "TR"), 26),
    **dict.fromkeys(("BI", "DJ", "FR", "GR", "IT", "MC", "MR", "SM"), 27),
    **dict.fromkeys(("AL", "AZ", "BY", "CY", "DO", "GT", "HN", "HU", "LB", "NI", "PL", "SV"), 28),
    **dict.fromkeys(("BR", "EG", "PS", "QA", "UA"), 29),
    **dict.fromkeys(("JO", "KW", "MU", "YE"), 30),
    **dict.fromkeys(("MT", "SC"), 31),
    **dict.fromkeys(("LC",), 32),
    **dict.fromkeys(("RU",), 33),
}
"""Length by country, from SWIFT's IBAN registry."""

_IBAN = re.compile("[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}")
_ISBN10 = re.compile("[0-9]{9}[0-9X]")
_ISBN13 = re.compile("97[89][0-9]{10}")
_CARD = re.compile("[0-9]{12,19}")
_LONGEST = 2 * 34
"""More than the longest IBAN has with a space after every character."""


def iban_problem(text: str) -> str | None:
    """Check an IBAN of ISO 13616, written together or in groups."""
    number = _compact(text, " ")
    if not _IBAN.fullmatch(number):
        return "it is not two capital letters, two digits and 11 to 30 more letters and digits"
    length = IBAN_LENGTHS.get(number[:2])
    if length is None:
        return f"there is no country with IBANs and the code {number[:2]}"
    if len(number) != length:
        return f"an IBAN of {number[:2]} has {length} characters, not {len(number)}"
    digits = "".join(str(int(character, 36)) for character in number[4:] + number[:4])
    return None if int(digits) % 97 == 1 else "its check digits do not fit"


def credit_card_problem(text: str) -> str | None:
    """Check a payment card number by Luhn's formula, ISO/IEC 7812-1."""
    number = _compact(text, " -")
    if not _CARD.fullmatch(number):
        return "it is not 12 to 19 digits"
    digits = [int(digit) for digit in reversed(number)]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[1::2]]
    return None if (sum(digits[::2]) + sum(doubled)) % 10 == 0 else "its check digit does not fit"


def isbn10_problem(text: str) -> str | None:
    """Check a book number of ten digits; the last may be an X, which stands for ten."""
    number = _compact(text, " -")
    if not _ISBN10.fullmatch(number):
        return "it is not nine digits and one more digit or X"
    values = [10 if character == "X" else int(character) for character in number]
    weighted = sum(weight * value for weight, value in zip(range(10, 0, -1), values, strict=True))
    return None if weighted % 11 == 0 else "its check digit does not fit"


def isbn13_problem(text: str) -> str | None:
    """Check a book number of thirteen digits, ISO 2108."""
    number = _compact(text, " -")
    if not _ISBN13.fullmatch(number):
        return "it is not 978 or 979 and ten more digits"
    weighted = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(number))
    return None if weighted % 10 == 0 else "its check digit does not fit"


def _compact(text: str, separators: str) -> str:
    """Return a number without the separators of its groups; "" if two are adjacent."""
    if len(text) > _LONGEST:
        return ""
    groups = re.split(f"[{re.escape(separators)}]", text)
    return "".join(groups) if all(groups) else ""


_DATE = re.compile("([0-9]{4})-([0-9]{2})-([0-9]{2})")
_TIME = re.compile(
    r"([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.[0-9]+)?)?([Zz]|[+-][0-9]{2}:[0-9]{2})?"
)
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_LAST_MINUTE = 24 * 60 - 1


def date_problem(text: str) -> str | None:
    """Check a day of the calendar, YYYY-MM-DD."""
    parts = _DATE.fullmatch(text)
    if parts is None:
        return "it is not written as YYYY-MM-DD"
    year, month, day = map(int, parts.groups())
    if not 1 <= month <= 12:
        return f"there is no month {month:02}"
    days = 29 if month == 2 and isleap(year) else _DAYS[month - 1]
    return None if 1 <= day <= days else f"{year:04}-{month:02} has the days 01 to {days}"


def time_problem(text: str) -> str | None:
    """Check a time of day, hh:mm or hh:mm:ss with a fraction, and Z or ±hh:mm where given."""
    parts = _TIME.fullmatch(text)
    if parts is None:
        return "it is not written as hh:mm:ss, with Z or an offset such as +02:00 where needed"
    hour, minute, second = (int(part or 0) for part in parts.groups()[:3])
    sign, away = _offset(parts[4] or "Z")
    if hour > 23 or minute > 59 or second > 60:
        return "hours end at 23, minutes at 59 and seconds at 59"
    if away // 100 > 23 or away % 100 > 59:
        return "an offset ends at 23:59"
    in_utc = hour * 60 + minute - sign * (away // 100 * 60 + away % 100)
    if second == 60 and in_utc % (24 * 60) != _LAST_MINUTE:
        return "a leap second comes only after 23:59:59 UTC"
    return None


def datetime_problem(text: str) -> str | None:
    """Check a date and a time with a T between them."""
    date, separator, time = text[:10], text[10:11], text[11:]
    if separator not in ("T", "t"):
        return "it is not written as YYYY-MM-DDThh:mm:ss"
    return date_problem(date) or time_problem(time)


def _offset(text: str) -> tuple[int, int]:
    """Return the sign and the digits hhmm of an offset."""
    if text in "Zz":
        return 1, 0
    return (-1 if text[0] == "-" else 1), int(text[1:].replace(":", ""))


_UUID = re.compile("[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}")
_HEX_COLOR = re.compile("#(?:[0-9A-Fa-f]{3,4}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})")
_E164 = re.compile(r"\+[1-9][0-9]{1,14}")
_SLUG = re.compile("[a-z0-9]+(?:-[a-z0-9]+)*")
_NUMERIC = re.compile("0|[1-9][0-9]*")
_IDENTIFIER = re.compile("[0-9A-Za-z-]+")


def _written_as(pattern: re.Pattern[str], description: str) -> Callable[[str], str | None]:
    """Return a check for texts that a pattern describes."""

    def check(text: str) -> str | None:
        return None if pattern.fullmatch(text) else f"it is not {description}"

    return check


def _semver_problem(text: str) -> str | None:
    """Check a version of Semantic Versioning 2.0.0."""
    rest, plus, build = text.partition("+")
    core, dash, prerelease = rest.partition("-")
    numbers = core.split(".")
    if len(numbers) != 3 or not all(map(_NUMERIC.fullmatch, numbers)):
        return "it does not begin with three numbers without leading zeros, such as 1.0.2"
    labels = prerelease.split(".") if dash else []
    if not all(map(_IDENTIFIER.fullmatch, labels + (build.split(".") if plus else []))):
        return "the parts after - and + are not letters, digits and hyphens between single dots"
    if any(label.isdigit() and not _NUMERIC.fullmatch(label) for label in labels):
        return "a number after the - has a leading zero"
    return None


def _accepted_by(read: Callable[[str], object]) -> Callable[[str], str | None]:
    """Return a check for texts that a reader accepts."""

    def check(text: str) -> str | None:
        try:
            read(text)
        except InputRefused as error:
            return error.message
        return None

    return check


_CHECKS: dict[FormatName, Callable[[str], str | None]] = {
    "email": email_problem,
    "uuid": _written_as(_UUID, "8-4-4-4-12 hexadecimal digits"),
    "iso_date": date_problem,
    "iso_time": time_problem,
    "iso_datetime": datetime_problem,
    "hex_color": _written_as(_HEX_COLOR, "# and 3, 4, 6 or 8 hexadecimal digits"),
    "semver": _semver_problem,
    "ipv4": ipv4_problem,
    "ipv6": ipv6_problem,
    "hostname": hostname_problem,
    "url": url_problem,
    "mac": mac_problem,
    "iban": iban_problem,
    "credit_card": credit_card_problem,
    "isbn10": isbn10_problem,
    "isbn13": isbn13_problem,
    "e164": _written_as(_E164, "+, a digit from 1 to 9 and up to 14 more digits"),
    "slug": _written_as(_SLUG, "lower-case letters and digits with single hyphens between them"),
    "json": _accepted_by(parse_json),
    "base64": _accepted_by(BASE64.decode),
}
