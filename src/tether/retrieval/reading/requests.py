"""What is asked of a reader, and what comes back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

from tether.core.errors import DocumentUnreadable
from tether.retrieval.document import Document
from tether.retrieval.readers.anchors import AnchorStyle


class Reader(Protocol):
    """A function that reads any document; `read_document` is the one that is meant."""

    def __call__(
        self,
        *,
        key: str,
        name: str,
        data: bytes,
        url: str = "",
        content_type: str = "",
        title: str = "",
        anchors: AnchorStyle = "github",
    ) -> Document:
        """Return the document; raises `DocumentUnreadable`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRequest:
    """One document to read: the arguments of `read_document`."""

    key: str
    name: str
    data: bytes = field(repr=False)
    url: str = ""
    content_type: str = ""
    title: str = ""
    anchors: AnchorStyle = "github"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadResult:
    """How the reading of one document ended: with the document, or with the reason why not."""

    key: str
    outcome: Document | DocumentUnreadable


ReadAll = Callable[[Iterable[ReadRequest]], Iterator[ReadResult]]
"""Reads documents and yields one result for each, in their order."""
