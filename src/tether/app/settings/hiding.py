"""Addresses without their secrets, for people to look at."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

STARS = "***"
SAFE_PARAMETERS = frozenset({"host", "port", "user", "dbname", "sslmode", "application_name"})
"""What a query may show; anything else there may be a secret."""


def hidden(text: str) -> str:
    """Return a text with the password and the unknown parameters of an address hidden."""
    if "://" not in text:
        return text
    try:
        parts = urlsplit(text)
        pairs = parse_qsl(parts.query, keep_blank_values=True)
    except ValueError:
        return f"{text.partition('://')[0]}://{STARS}"
    user, at, host = parts.netloc.rpartition("@")
    if at:
        name, colon, _ = user.partition(":")
        user = f"{name}:{STARS}" if colon else STARS
    query = "&".join(_shown(name, value) for name, value in pairs)
    return f"{parts.scheme}://{user}{at}{host}{parts.path}{'?' if query else ''}{query}"


def _shown(name: str, value: str) -> str:
    """Return a parameter; one without a value may be a secret as a whole."""
    if not value:
        return STARS
    return f"{name}={value if name in SAFE_PARAMETERS else STARS}"
