"""Reading in this process: without protection, for documents that are known to be harmless."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tether.retrieval.readers.dispatch import read_document
from tether.retrieval.reading.one import read_one
from tether.retrieval.reading.requests import Reader, ReadRequest, ReadResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Here:
    """Reads documents one after the other in the calling thread: no limits, no processes."""

    reader: Reader = read_document

    def read_all(self, requests: Iterable[ReadRequest]) -> Iterator[ReadResult]:
        """Yield one result for each request, in their order."""
        for request in requests:
            yield read_one(self.reader, request)
