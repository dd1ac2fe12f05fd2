"""What is set about an HTTP endpoint that embeds, judges or searches."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tether.core.errors import InvalidRetrievalSettings, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

MEBI = 1 << 20
LARGEST_LIMIT = 1 << 40
MOST_ATTEMPTS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where an endpoint is, what opens it, and how patient to be with it.

    `base_url` ends before the name of the operation (`https://api.jina.ai/v1`) and has no
    parameters. `api_key` is sent as a bearer token; `headers` are added. `timeout_seconds` is for
    one question with all its attempts. Neither key nor headers are ever shown, and the address
    only as `place`. Raises `InvalidRetrievalSettings`.
    """

    base_url: str = field(repr=False)
    api_key: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    timeout_seconds: float = 30.0
    max_response_bytes: int = 32 * MEBI
    max_attempts: int = 3
    first_wait_seconds: float = 0.5
    longest_wait_seconds: float = 10.0

    def __post_init__(self) -> None:
        problems = list(_problems(self))
        if problems:
            raise InvalidRetrievalSettings(problems)

    @property
    def place(self) -> str:
        """The address as it may be shown: without users, passwords and parameters."""
        parts = urlsplit(self.base_url)
        port = f":{parts.port}" if parts.port else ""
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
        return f"{parts.scheme}://{host}{port}{parts.path.rstrip('/')}"

    @property
    def digest(self) -> str:
        """A short digest of the place, for fingerprints."""
        return hashlib.sha256(self.place.encode()).hexdigest()[:16]


def _problems(endpoint: Endpoint) -> Iterator[Problem]:
    if not _is_address(endpoint.base_url):
        yield Problem("base_url", "must be an address such as https://api.example.org/v1")
    elif "@" in urlsplit(endpoint.base_url).netloc and endpoint.api_key:
        yield Problem("base_url", "must not hold a user where there is an api_key")
    if not _is_header_text(endpoint.api_key):
        yield Problem("api_key", "must be ASCII without line breaks: is it a whole line of a file?")
    for name, value in endpoint.headers.items():
        if not name or not _is_header_text(name + value):
            yield Problem(f"headers.{name!r}", "must be ASCII without line breaks")
    if endpoint.max_attempts > MOST_ATTEMPTS:
        yield Problem("max_attempts", f"must be at most {MOST_ATTEMPTS}")
    limits: dict[str, tuple[float, float]] = {
        "timeout_seconds": (endpoint.timeout_seconds, 0.001),
        "max_response_bytes": (endpoint.max_response_bytes, 1),
        "max_attempts": (endpoint.max_attempts, 1),
        "first_wait_seconds": (endpoint.first_wait_seconds, 0),
        "longest_wait_seconds": (endpoint.longest_wait_seconds, 0),
    }
    for name, (given, least) in limits.items():
        if not least <= given <= LARGEST_LIMIT:
            yield Problem(name, f"must lie between {least} and {LARGEST_LIMIT}")


def _is_address(url: str) -> bool:
    if not url.isprintable() or " " in url:
        return False
    try:
        parts = urlsplit(url)
        has_place = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    is_plain = not parts.query and not parts.fragment
    return parts.scheme in ("http", "https") and has_place and is_plain


def _is_header_text(text: str) -> bool:
    return text.isascii() and (text.isprintable() or not text)
