"""The parts that an index is made with when nobody says otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tether.retrieval.chunking.chunker import Chunker
from tether.retrieval.dense.lane import DenseLane
from tether.retrieval.index.parts import Parts
from tether.retrieval.lexical.gram_lane import GramLane
from tether.retrieval.lexical.word_lane import WordLane
from tether.retrieval.reading.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tether.retrieval.reading.requests import ReadRequest, ReadResult


READERS = "1"
"""Counts the versions of the readers: after a change of what they make of a document, one more."""


def default_parts() -> Parts:
    """Return parts with every setting at its default, and readers in processes of their own."""
    return Parts(
        chunker=Chunker(),
        words=WordLane(),
        grams=GramLane(),
        dense=DenseLane(),
        read=read_in_workers,
        readers=READERS,
    )


def read_in_workers(requests: Iterable[ReadRequest]) -> Iterator[ReadResult]:
    """Read documents in processes that end with the reading."""
    with Workers() as workers:
        yield from workers.read_all(requests)
