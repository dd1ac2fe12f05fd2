"""Reading one document so that nothing but a result can come of it."""

from __future__ import annotations

from tether.core.errors import DocumentUnreadable
from tether.retrieval.document import Document
from tether.retrieval.reading.requests import Reader, ReadRequest, ReadResult

_LONGEST_MESSAGE = 300


def read_one(reader: Reader, request: ReadRequest) -> ReadResult:
    """Return what a reader makes of a document, its failures of every kind included.

    A parser that stumbles over a hostile file raises whatever it likes; that too is a reason. Only
    what is no `Exception` passes through, and a lack of memory, which concerns the process.
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
