"""Requests to readers, their results and limits, and the reading of one document."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields
from typing import Protocol

from tether.core.errors import Problem
from tether.retrieval.document import Document
from tether.retrieval.errors import DocumentUnreadable, InvalidRetrievalSettings
from tether.retrieval.readers.anchors import AnchorStyle

_LONGEST_MESSAGE = 300


class Reader(Protocol):
    """A function that reads any document, such as `read_document`."""

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
    """The result of reading one document: the document, or the reason of the failure."""

    key: str
    outcome: Document | DocumentUnreadable


ReadAll = Callable[[Iterable[ReadRequest]], Iterator[ReadResult]]
"""Reads documents and yields one result for each, in their order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadLimits:
    """The limits for one document, after which its reading fails with a reason.

    `seconds` applies to the clock and to processor time. `megabytes` is the address space of a
    reading process, of which the interpreter and the parsers take about a fifth. `bytes` is the
    size of a document, `answer_bytes` that of its extracted text. A process is replaced after
    `documents` of them, which limits the memory that parsers leak. Raises
    `InvalidRetrievalSettings` for a limit that is not positive.
    """

    seconds: float = 30.0
    megabytes: int = 1_024
    bytes: int = 20_000_000
    answer_bytes: int = 256_000_000
    documents: int = 2_000

    def __post_init__(self) -> None:
        problems = [
            Problem(field.name, f"must be more than 0, not {getattr(self, field.name)!r}")
            for field in fields(self)
            if not getattr(self, field.name) > 0
        ]
        if problems:
            raise InvalidRetrievalSettings(problems)


def read_one(reader: Reader, request: ReadRequest) -> ReadResult:
    """Return the result of a reader, including failures of any kind.

    A parser may raise any exception for a hostile file; it becomes the reason. Only a
    `MemoryError`, which concerns the process, and exceptions outside `Exception` pass through.
    """
    return ReadResult(key=request.key, outcome=_outcome(reader, request))


def _outcome(reader: Reader, request: ReadRequest) -> Document | DocumentUnreadable:
    try:
        return reader(
            key=request.key,
            name=request.name,
            data=request.data,
            url=request.url,
            content_type=request.content_type,
            title=request.title,
            anchors=request.anchors,
        )
    except MemoryError:
        raise
    except DocumentUnreadable as error:
        return error
    except Exception as error:  # noqa: BLE001  # a parser's failure is the document's state
        text = " ".join(f"{type(error).__name__}: {error}".split())
        return DocumentUnreadable(f"its parser failed: {text[:_LONGEST_MESSAGE]}")
