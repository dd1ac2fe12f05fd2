"""The syntax of addresses and headers, checked before anything is sent."""

from __future__ import annotations

from urllib.parse import urlsplit


def is_http_address(url: str) -> bool:
    """Say whether a URL can be an endpoint's: http or https, with a host and without spaces."""
    if not url.isprintable() or " " in url:
        return False
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def address_fault(url: str, *, has_key: bool) -> str | None:
    """Return the fault of an endpoint's base address, None if it can be used."""
    if not is_http_address(url):
        return "must be an address such as https://api.example.org/v1"
    if has_key and "@" in urlsplit(url).netloc:
        return "must not contain a user together with an api_key: which one is it?"
    return None


def is_header_text(text: str) -> bool:
    """Say whether a text can be the value of a header."""
    return text.isascii() and text.isprintable()


def is_header_name(name: str) -> bool:
    """Say whether a text can be the name of a header."""
    return bool(name) and " " not in name and is_header_text(name)


def media_type(content_type: str) -> str:
    """Return the type in a Content-Type header, in lower case and without parameters."""
    return content_type.partition(";")[0].strip().lower()


def is_compressed(content_encoding: str) -> bool:
    """Say whether a Content-Encoding header names anything but `identity`."""
    return bool(_codings(content_encoding))


def is_compressed_twice(content_encoding: str) -> bool:
    """Say whether a Content-Encoding header names several codings, one over the other."""
    return len(_codings(content_encoding)) > 1


def _codings(content_encoding: str) -> list[str]:
    steps = (step.strip().lower() for step in content_encoding.split(","))
    return [step for step in steps if step not in ("", "identity")]
