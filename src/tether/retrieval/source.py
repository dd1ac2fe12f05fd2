"""Sources: items to read, and the states of documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal, Protocol

from tether.retrieval.readers.anchors import AnchorStyle

StateName = Literal["indexed", "unchanged", "empty", "skipped", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentState:
    """The state of one document, with a reason unless it is indexed or unchanged.

    `empty` was read and has no text. `skipped` was left out by a rule: an ignored name, a draft, a
    secret, an archive, a type without a reader. `failed` could not be read.
    """

    key: str
    state: StateName
    reason: str = ""
    chunks: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceItem:
    """One document that can be read.

    The ending of `name` selects the reader (`guide.md`, `page.html`), also for URLs. `version` is
    evidence by which an unchanged document is not read again: size and time of a file, an ETag, the
    lastmod of a sitemap; "" without evidence. `load` returns the bytes and raises
    `DocumentUnreadable` (also if they exceed the limit). `content_type` is the header of the
    server. `url` is the address for people. `title` is the name that the source gives to it, for a
    document without a title. `anchors` is the style in which its site makes anchors of headings.
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
    """A folder, a file, a site. A scan yields items to read and states of other documents.

    A scan that ends without an error is complete: documents that it did not name are gone. Raises
    `SourceUnavailable` if the source as a whole cannot be read, so that no document is removed from
    an index because a disk was not mounted or a server did not answer.
    """

    @property
    def name(self) -> str:
        """Return the path or URL of the source, by which the index knows it."""
        ...

    def scan(self) -> Iterator[SourceItem | DocumentState]:
        """Yield all documents in a stable order."""
        ...
