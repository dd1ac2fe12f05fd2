"""Checks of internet addresses: hosts, URLs and mailboxes.

A check returns None for a valid address, and otherwise the reason.
"""

from __future__ import annotations

import ipaddress
import re

_LABEL = re.compile("[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
_ATOM = re.compile("[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+")
_URL = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]*://"  # scheme
    r"(?:[^/?#@\[\]]*@)?"  # user
    r"([^/?#@]*)"  # host and port
    r"(?:[/?][^#\[\]]*)?"  # path and query
    r"(?:#[^#\[\]]*)?"  # fragment
)
_NOT_IN_URLS = re.compile(r"[^A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%-]|%(?![0-9A-Fa-f]{2})")
_HOST_OF_URL = re.compile("[^:/?#]*://(?:[^/?#@]*@)?([^/?#@]*)")
_PORT = re.compile("[0-9]{0,5}")
_MAC = re.compile("[0-9A-Fa-f]{2}([:-])(?:[0-9A-Fa-f]{2}\\1){4}[0-9A-Fa-f]{2}")

_ENOUGH = 64
"""Every address is shorter, so that checking the start of a longer text is enough."""


def ipv4_problem(text: str) -> str | None:
    """Check four decimal numbers; leading zeros are refused, since some read them as octal."""
    try:
        ipaddress.IPv4Address(text[:_ENOUGH])
    except ipaddress.AddressValueError:
        return "it is not four numbers from 0 to 255 between dots, without leading zeros"
    return None


def ipv6_problem(text: str) -> str | None:
    """Check an address of RFC 4291, without a zone."""
    try:
        address = ipaddress.IPv6Address(text[:_ENOUGH])
    except ipaddress.AddressValueError:
        return "it is not eight groups of up to four hexadecimal digits, :: standing for zeros"
    return None if address.scope_id is None else "a zone after % is not part of the address"


def hostname_problem(text: str) -> str | None:
    """Check a name of RFC 1123; internationalised names are written in their xn-- form."""
    if len(text) > 253:
        return "it has more than 253 characters"
    labels = text.split(".")
    for label in labels:
        if not _LABEL.fullmatch(label):
            return (
                f"the part {label!r} is not 1 to 63 letters, digits and hyphens that begins and "
                "ends without a hyphen"
            )
    if labels[-1].isdigit():
        return "its last part is a number, as in an IPv4 address"
    return None


def url_problem(text: str) -> str | None:
    """Check an absolute URL of RFC 3986 with a host."""
    if found := _NOT_IN_URLS.search(text):
        where = f"the {found[0]!r} at position {found.start()}"
        host = _HOST_OF_URL.match(text)
        if host and host.start(1) <= found.start() < host.end(1) and not found[0].isascii():
            return f"{where} is in the host, whose part has to be written in punycode: xn--..."
        return f"{where} has to be percent-encoded"
    parts = _URL.fullmatch(text)
    if parts is None:
        return "it is not like https://host/path?query#fragment, with other @ # [ ] percent-encoded"
    return _authority_problem(parts[1])


def _authority_problem(authority: str) -> str | None:
    """Check the host and the port of a URL."""
    if authority.startswith("["):
        host, bracket, port = authority[1:].partition("]")
        problem = ipv6_problem(host) if bracket else "the [ of its host is not closed"
    else:
        host, colon, digits = authority.partition(":")
        port = colon + digits
        problem = _host_problem(host)
    if problem is not None:
        return f"its host is wrong: {problem}" if host else "it has no host"
    if port and (port[0] != ":" or not _PORT.fullmatch(port[1:]) or int(port[1:] or 0) > 65_535):
        return "its port is not a number up to 65535"
    return None


def _host_problem(host: str) -> str | None:
    looks_numeric = host.rpartition(".")[2].isdigit()
    return ipv4_problem(host) if looks_numeric else hostname_problem(host.removesuffix("."))


def email_problem(text: str) -> str | None:
    """Check a mailbox of RFC 5321 as people have them: no quoted names, no address literals."""
    local, at, domain = text.rpartition("@")
    if not at:
        return "it has no @"
    if len(text) > 254 or len(local) > 64:
        return "it has more than 64 characters before the @ or 254 in all"
    if not all(map(_ATOM.fullmatch, local.split("."))):
        return (
            "the part before the @ is not letters, digits and !#$%&'*+/=?^_`{|}~- with single dots "
            "between them"
        )
    problem = hostname_problem(domain)
    return None if problem is None else f"its domain is wrong: {problem}"


def mac_problem(text: str) -> str | None:
    """Check a hardware address of 48 bits, IEEE 802."""
    if _MAC.fullmatch(text):
        return None
    return "it is not six pairs of hexadecimal digits, all between : or all between -"
