"""The text of a document's bytes, or `DocumentUnreadable` where they are not text."""

from __future__ import annotations

from collections.abc import Callable

from tether.retrieval.errors import DocumentUnreadable
from tether.text import charsets
from tether.text.charsets import Decoded, NotText


def decode(data: bytes) -> Decoded:
    """Return the text of a file; see `tether.text.charsets.decode`."""
    return _readable(lambda: charsets.decode(data))


def decode_html(data: bytes, content_type: str = "") -> Decoded:
    """Return the text of a web page; see `tether.text.charsets.decode_html`."""
    return _readable(lambda: charsets.decode_html(data, content_type))


def _readable(read: Callable[[], Decoded]) -> Decoded:
    try:
        return read()
    except NotText as error:
        raise DocumentUnreadable(str(error)) from None
