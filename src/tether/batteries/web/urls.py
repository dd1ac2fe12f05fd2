"""URLs that mean the same to everybody: one strict reading, agreed on by two parsers.

A URL is dangerous where the one who checks it and the one who opens it read it differently. So
everything on which parsers are known to differ is refused: backslashes, `@`, control characters,
numbers in the place of a host, empty labels. What is left is opened from the checked parts, never
from the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from tether.batteries.web.addresses import parse_address
from tether.core.checks import in_short
from tether.core.errors import InputRefused, LimitExceeded

if TYPE_CHECKING:
    from tether.batteries.web.rules import UrlRules

LONGEST_URL = 2_048
DEFAULT_PORTS = {"http": 80, "https": 443}

_AUTHORITY = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^\[\]:%]+)(?::([1-9][0-9]{0,4}))?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class SafeUrl:
    """The parts of a URL that passed every check; only `check_url` makes them."""

    scheme: str
    host: str
    """In lower case and ASCII; an IPv6 address without its brackets."""

    port: int
    target: str
    """The path and the query, percent-encoded; the fragment is gone."""

    @property
    def authority(self) -> str:
        """The host, with the port where it is not the usual one: what the `Host` header says."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def query(self) -> str:
        """What follows the question mark."""
        return self.target.partition("?")[2]

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}{self.target}"


def check_url(text: str, rules: UrlRules) -> SafeUrl:
    """Return the parts of a URL that may be read under `rules`; nothing is looked up or opened.

    Raises `InputRefused` for a URL that parsers could read in two ways, or that the rules do not
    allow, and `LimitExceeded` for one that is too long.
    """
    if not isinstance(text, str):
        raise InputRefused(f"a URL is text, not {in_short(text)}.")
    check_characters(text)
    try:
        parts = urlsplit(text)
    except ValueError as error:
        raise InputRefused(f"{in_short(text)} is not a URL: {error}") from None
    rules.check_scheme(parts.scheme)
    authority = _AUTHORITY.fullmatch(parts.netloc)
    if authority is None:
        raise InputRefused(
            f"the part of {in_short(text)} after {parts.scheme}:// must be a host, with a port "
            "number if need be: https://example.org/page"
        )
    host = canonical_host(authority[1])
    port = int(authority[2] or DEFAULT_PORTS[parts.scheme])
    target = _agreed_target(text, (parts.scheme, host, port))
    rules.check_host(host, port)
    return SafeUrl(scheme=parts.scheme, host=host, port=port, target=target)


def check_redirect(current: SafeUrl, location: str, rules: UrlRules) -> SafeUrl:
    """Return where a server sends its reader, after all the checks of `check_url`.

    Raises `InputRefused`, also for a step from https down to http.
    """
    try:
        check_characters(location)
        following = check_url(urljoin(str(current), location), rules)
    except (InputRefused, ValueError) as error:
        why = error.message if isinstance(error, InputRefused) else str(error)
        raise InputRefused(f"{current.host} redirects to a place that is refused: {why}") from None
    if current.scheme == "https" and following.scheme == "http":
        raise InputRefused(f"{current.host} redirects from https to http, which is not followed.")
    return following


def check_characters(text: str) -> None:
    """Refuse the characters that no URL needs and that parsers treat differently."""
    if len(text) > LONGEST_URL:
        raise LimitExceeded(
            f"a URL may have {LONGEST_URL:,} characters; this one has {len(text):,}."
        )
    for character in text:
        if character in " \\@" or not character.isprintable():
            raise InputRefused(
                f"the URL {in_short(text)} contains {character!a}, which is not accepted; "
                "leave out names and passwords, and write it as %XX in a path or query."
            )


def canonical_host(text: str) -> str:
    """Return a host in the one form in which hosts are compared; raise `InputRefused`.

    Names are lower case, ASCII, and written without a dot at the end. Other scripts pass through
    IDNA (UTS 46, non-transitional, with the letter rules of STD 3). An address has its usual form.
    """
    if text.startswith("["):
        return _usual_address(text[1:-1])
    name = _ascii_name(text)
    return _usual_address(name) if _NUMBER.fullmatch(name.rpartition(".")[2]) else name


def _ascii_name(text: str) -> str:
    import idna  # noqa: PLC0415

    try:
        name = idna.encode(text, uts46=True, std3_rules=True).decode("ascii")
    except UnicodeError as error:
        raise InputRefused(f"{in_short(text)} is not the name of a host: {error}") from None
    if name.endswith("."):
        raise InputRefused(f"write the host {in_short(text)} without the dot at its end.")
    return name


def _usual_address(text: str) -> str:
    """Return an address as everybody writes it: `127.1` and `0x7f000001` are names to some."""
    address = parse_address(text)
    if address is None:
        raise InputRefused(
            f"the host {in_short(text)} is a number in an unusual form; give a name, for instance "
            "example.org."
        )
    return str(address)


def _agreed_target(text: str, parts: tuple[str, str, int]) -> str:
    """Return the path and query as a second parser reads them, if it agrees on all the rest."""
    import httpx2  # noqa: PLC0415

    try:
        second = httpx2.URL(text)
        seen = second.scheme, second.raw_host.decode("ascii"), second.port or parts[2]
    except httpx2.InvalidURL as error:
        raise InputRefused(f"{in_short(text)} is not a URL: {error}") from None
    if seen != parts:
        raise InputRefused(f"{in_short(text)} can be read in two ways; write its host plainly.")
    return second.raw_path.decode("ascii")
