"""What a source offers: items to read, and evidence of what is gone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

from tether.retrieval.readers.anchors import AnchorStyle
from tether.retrieval.state import DocumentState


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceItem:
    """One document that can be read, before it is.

    `name` decides the reader by its ending (`guide.md`, `page.html`), also for URLs. `version` is
    evidence that lets an unchanged document go unread: size and time of a file, an ETag, a
    sitemap's lastmod; "" where there is none. `load` gives the bytes and raises
    `DocumentUnreadable` (also when they grew past the limit while being read). `content_type` is
    what a server said. `url` is where a person opens it. `title` is what the source calls it: it
    stands where the document has no title of its own. `anchors` is how the site that Markdown is
    published with makes the anchors of headings.
    """

    key: str
    name: str
    version: str
    load: Callable[[], bytes] = field(compare=False)
    url: str = ""
    content_type: str = ""
    title: str = ""
    anchors: AnchorStyle = "github"


class Source(Protocol):
    """A folder, a file, a site. Scanning yields items to read and states of what is left out.

    A scan that ends without raising has seen everything that is there: what it did not name is
    gone. Raises `SourceUnavailable` where the source as a whole cannot be seen, so that nothing is
    ever removed from an index because a disk was not mounted or a server did not answer.
    """

    @property
    def name(self) -> str:
        """Return the source's address, as the index remembers it."""
        ...

    def scan(self) -> Iterator[SourceItem | DocumentState]:
        """Yield everything there is, in a stable order."""
        ...
