"""Texts of well-known formats, and what is wrong with those that are not.

Each check returns None for a good text, and otherwise why it is none; all take linear time.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from tether.batteries.languages.json.json_text import parse_json
from tether.batteries.languages.texts.base_encodings import BASE64
from tether.batteries.languages.texts.check_digits import (
    credit_card_problem,
    iban_problem,
    isbn10_problem,
    isbn13_problem,
)
from tether.batteries.languages.texts.iso_times import date_problem, datetime_problem, time_problem
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

_UUID = re.compile("[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}")
_HEX_COLOR = re.compile("#(?:[0-9A-Fa-f]{3,4}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})")
_E164 = re.compile(r"\+[1-9][0-9]{1,14}")
_SLUG = re.compile("[a-z0-9]+(?:-[a-z0-9]+)*")
_NUMERIC = re.compile("0|[1-9][0-9]*")
_IDENTIFIER = re.compile("[0-9A-Za-z-]+")


def format_problem(text: str, format: FormatName) -> str | None:
    """Return why a text is not of a format, or None where it is."""
    return _CHECKS[format](text)


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
        return "the parts behind - and + are not letters, digits and hyphens between single dots"
    if any(label.isdigit() and not _NUMERIC.fullmatch(label) for label in labels):
        return "a number behind the - has a leading zero"
    return None


def _json_problem(text: str) -> str | None:
    try:
        parse_json(text)
    except InputRefused as error:
        return error.message
    return None


def _base64_problem(text: str) -> str | None:
    try:
        BASE64.decode(text)
    except InputRefused as error:
        return error.message
    return None


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
    "json": _json_problem,
    "base64": _base64_problem,
}
