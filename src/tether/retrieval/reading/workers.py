"""Reading documents in a few processes at once, each of which may hang, crash or blow up."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from types import TracebackType

from tether.core.errors import InvalidRetrievalSettings, Problem
from tether.retrieval.reading.limits import ReadLimits
from tether.retrieval.reading.process import Process
from tether.retrieval.reading.requests import ReadRequest, ReadResult
from tether.retrieval.reading.run import Run

READ_DOCUMENT = "tether.retrieval.readers.dispatch:read_document"


class Workers:
    """At most `count` processes that read documents under limits; a context manager.

    Leaving it ends every process. One whose document took too long, needed too much memory or
    crashed it is replaced, and that document alone is unreadable. `reader` names the function that
    reads as `module:function`; it is imported in the processes only, with the same search path as
    here. Raises `InvalidRetrievalSettings` where `count` is not positive.
    """

    def __init__(
        self, *, count: int = 2, limits: ReadLimits | None = None, reader: str = READ_DOCUMENT
    ) -> None:
        if count < 1:
            raise InvalidRetrievalSettings([Problem("count", f"must be at least 1, not {count}")])
        self._count = count
        self._limits = limits or ReadLimits()
        self._reader = reader
        self._idle: list[Process] = []
        self._is_busy = False

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End every process; a reading that is under way ends its own."""
        while self._idle:
            self._idle.pop().end()

    def read_all(self, requests: Iterable[ReadRequest]) -> Generator[ReadResult]:
        """Yield one result for each request, in their order.

        Requests are taken a few ahead of the results that were asked for, never all at once.
        Raises `SourceUnavailable` where no process starts, `InvalidRetrievalSettings` while another
        reading of these workers is under way, and what taking the requests raises. Whenever it
        stops early, nothing that it began goes on.
        """
        if self._is_busy:
            problem = Problem("workers", "read one set of documents at a time")
            raise InvalidRetrievalSettings([problem])
        self._is_busy = True
        run = Run(self._reader, self._limits, self._count, self._idle, iter(requests))
        try:
            yield from run.results()
        finally:
            run.end()
            self._is_busy = False
