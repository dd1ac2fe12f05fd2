"""The XML of a sitemap, parsed piece by piece without building a tree, and unpacked from gzip."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal
from xml.etree.ElementTree import ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from tether.core.errors import LimitExceeded

_LONGEST_TEXT = 4_096
_DEEPEST = 16
_KINDS: dict[str, Literal["page", "sitemap"]] = {"url": "page", "sitemap": "sitemap"}
_ROOTS = frozenset({"urlset", "sitemapindex"})

_MAGIC = b"\x1f\x8b"
_AT_ONCE = 64 * 1024
_HIGHEST_RATIO = 100
_FREE_BYTES = 1_000_000
"""Small files may grow by more than the ratio: a short sitemap repeats itself."""


@dataclass(frozen=True, slots=True)
class SitemapEntry:
    """An entry of a sitemap: a page, or another sitemap."""

    kind: Literal["page", "sitemap"]
    location: str
    lastmod: str


def sitemap_entries(pieces: Iterable[bytes]) -> Iterator[SitemapEntry]:
    """Yield the entries of a sitemap; raises `ValueError` for other or dangerous XML."""
    listed = _Listed()
    parser = DefusedXMLParser(target=listed, forbid_dtd=True)
    try:
        for piece in pieces:
            parser.feed(piece)
            yield from listed.take()
        parser.close()
    except DefusedXmlException:
        raise ValueError("it declares a document type or entities, which is not read") from None
    except (ParseError, LookupError, UnicodeError) as error:  # the last two: odd encodings
        raise ValueError(f"it is not XML ({error})") from None
    yield from listed.take()


class _Listed:
    """A parser target that collects entries until they are taken."""

    def __init__(self) -> None:
        self._path: list[str] = []
        self._texts: dict[str, list[str]] = {}
        self._room = 0
        self._found: list[SitemapEntry] = []

    def take(self) -> list[SitemapEntry]:
        """Return the entries completed since the last call."""
        found, self._found = self._found, []
        return found

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        name = tag.rpartition("}")[2]
        if not self._path and name not in _ROOTS:
            raise ValueError(f"its root is <{name[:50]}>, not <urlset> or <sitemapindex>")
        if len(self._path) == _DEEPEST:
            raise ValueError("its elements are nested too deep")
        self._path.append(name)
        if len(self._path) == 2:
            self._texts = {}
            self._room = _LONGEST_TEXT

    def data(self, text: str) -> None:
        """Some text, which may be part of a longer one."""
        if len(self._path) == 3 and self._path[-1] in ("loc", "lastmod"):
            self._texts.setdefault(self._path[-1], []).append(text[: self._room])
            self._room -= min(len(text), self._room)

    def end(self, tag: str) -> None:
        """An element is over."""
        name = self._path.pop()
        if len(self._path) == 1 and name in _KINDS and "loc" in self._texts:
            location, lastmod = (
                "".join(self._texts.get(part, ())).strip() for part in ("loc", "lastmod")
            )
            self._found.append(SitemapEntry(_KINDS[name], location, lastmod))

    def close(self) -> None:
        """The document is over."""


def is_gzipped(data: bytes) -> bool:
    """Return whether data begins like gzip."""
    return data.startswith(_MAGIC)


def gunzipped(data: bytes, most: int) -> Iterator[bytes]:
    """Yield the content in pieces; raises `LimitExceeded` if it is too long, or `ValueError`.

    Only the first member is read: sitemaps have no others, and each could be a bomb.
    """
    most = min(most, len(data) * _HIGHEST_RATIO + _FREE_BYTES)
    written = 0
    for piece in _unpacked(data):
        written += len(piece)
        if written > most:
            raise LimitExceeded(f"it unpacks to more than {most:,} bytes.")
        yield piece


def _unpacked(data: bytes) -> Iterator[bytes]:
    unpack = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    left = data
    while not unpack.eof:
        try:
            piece = unpack.decompress(left, _AT_ONCE)
        except zlib.error as error:
            raise ValueError(f"the gzip data is damaged ({error})") from error
        left = unpack.unconsumed_tail
        if not piece and not left and not unpack.eof:
            raise ValueError("the gzip data breaks off")
        yield piece
