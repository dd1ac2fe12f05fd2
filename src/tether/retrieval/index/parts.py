"""The parts of an index: the chunker, the lanes, the readers, the disk, the clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from tether.retrieval import ports
from tether.retrieval.chunking.chunker import Chunker
from tether.retrieval.dense.lane import DenseLane
from tether.retrieval.index.files import Files
from tether.retrieval.lexical.lanes import GramLane, WordLane
from tether.retrieval.reading.requests import ReadAll
from tether.retrieval.reading.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tether.retrieval.reading.requests import ReadRequest, ReadResult

Progress = Callable[["Step"], None]
"""Called with the progress of the work. An error that it raises stops the work; nothing is lost."""

READERS = "3"
"""The version of the readers: increase it if they read a document differently than before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """The progress of one stage: scan, read, words, grams, write or embed."""

    stage: str
    done: int
    total: int


def unheard(step: Step) -> None:
    """Ignore the progress."""


def now() -> str:
    """Return the time as stored."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The parts that an index works with.

    `read` is a generator function, such as the `read_all` of `Workers`; the generator is closed if
    the reading ends early. `readers` is the fingerprint of the readers: if it changes, every
    document is read again.
    """

    chunker: ports.Chunker
    words: ports.LexicalLane
    grams: ports.LexicalLane
    dense: ports.DenseLane
    read: ReadAll
    readers: str = "1"
    files: Files = field(default_factory=Files)
    clock: Callable[[], str] = now

    @property
    def lanes(self) -> dict[str, ports.LexicalLane]:
        """The lexical lanes by their names."""
        return {"words": self.words, "grams": self.grams}


def default_parts() -> Parts:
    """Return parts with default settings, and readers in separate processes."""
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
