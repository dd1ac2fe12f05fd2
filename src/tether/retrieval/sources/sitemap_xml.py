"""The XML of a sitemap, read piece by piece without ever making a tree of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal
from xml.etree.ElementTree import ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

_LONGEST_TEXT = 4_096
_DEEPEST = 16
_KINDS: dict[str, Literal["page", "sitemap"]] = {"url": "page", "sitemap": "sitemap"}
_ROOTS = frozenset({"urlset", "sitemapindex"})


@dataclass(frozen=True, slots=True)
class SitemapEntry:
    """What a sitemap lists: a page, or a further sitemap."""

    kind: Literal["page", "sitemap"]
    location: str
    lastmod: str


def sitemap_entries(pieces: Iterable[bytes]) -> Iterator[SitemapEntry]:
    """Yield what a sitemap lists; raises `ValueError` for what is none, or is dangerous."""
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
    """Takes what the parser reports and keeps the entries, until they are taken."""

    def __init__(self) -> None:
        self._path: list[str] = []
        self._texts: dict[str, list[str]] = {}
        self._room = 0
        self._found: list[SitemapEntry] = []

    def take(self) -> list[SitemapEntry]:
        """Return the entries that were completed since the last time."""
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
