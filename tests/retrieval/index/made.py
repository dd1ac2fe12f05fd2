"""What the tests of the index share: a source in memory, small parts, and what an index answers."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tether.retrieval.chunking.chunker import Chunker
from tether.retrieval.dense.lane import DenseLane
from tether.retrieval.errors import DocumentUnreadable, EmbeddingFailed, SourceUnavailable
from tether.retrieval.index.files import Files
from tether.retrieval.index.index import ApplyReport, Index
from tether.retrieval.index.parts import Parts, Progress, unheard
from tether.retrieval.index.snapshot import Snapshot
from tether.retrieval.lexical.lanes import GramLane, WordLane
from tether.retrieval.ports import Embedder
from tether.retrieval.readers.dispatch import read_document
from tether.retrieval.reading.requests import ReadRequest, ReadResult
from tether.retrieval.source import DocumentState, SourceItem

Texts = Mapping[str, str]

MEMORY = Path("/dev/shm")


@contextmanager
def room() -> Generator[Path]:
    """Yield a folder of one's own, in memory where there is such a place."""
    with TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as name:
        yield Path(name)


FIRST: Texts = {
    "guide/start.md": "# Start\n\nInstall it first.\n\n## Next\n\nSee [volumes](volumes.md).",
    "guide/volumes.md": "# Volumes\n\nA volume keeps data.\n\n## Size\n\nThe size is a setting.",
    "notes.txt": "Plain notes about pods and nodes.",
    "über.md": "# Über\n\nGrüße aus Köln, 東京 und Αθήνα.",
}
SECOND: Texts = {
    "guide/start.md": FIRST["guide/start.md"],
    "guide/volumes.md": "# Volumes\n\nA volume keeps data.\n\n## Size\n\nThe size can grow.",
    "guide/new.md": "# New\n\nA page about snapshots.",
    "über.md": FIRST["über.md"],
}


@dataclass(kw_only=True)
class MemorySource:
    """Documents that live in a dictionary; counts what is loaded."""

    texts: dict[str, str]
    name: str = "memory"
    states: list[DocumentState] = field(default_factory=list)
    evidence: bool = True
    is_gone: bool = False
    unloadable: set[str] = field(default_factory=set)
    loaded: list[str] = field(default_factory=list)
    base_url: str = ""

    def scan(self) -> Iterator[SourceItem | DocumentState]:
        if self.is_gone:
            raise SourceUnavailable("the disk is not there")
        yield from self.states
        for key in sorted(self.texts):
            version = sha256(self.texts[key].encode()).hexdigest()[:8] if self.evidence else ""
            url = self.base_url + key if self.base_url else ""
            yield SourceItem(key=key, name=key, version=version, load=self._loader(key), url=url)

    def _loader(self, key: str) -> Any:
        def load() -> bytes:
            self.loaded.append(key)
            if key in self.unloadable:
                raise DocumentUnreadable("vanished while it was read")
            return self.texts[key].encode()

        return load


def environment() -> dict[str, str]:
    """Return what a process needs that runs these modules unmeasured."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    return {**kept, "PYTHONPATH": os.pathsep.join(sys.path)}


def source(texts: Texts = FIRST, name: str = "memory") -> MemorySource:
    return MemorySource(texts=dict(texts), name=name)


@dataclass(kw_only=True)
class CountingReader:
    """Reads in this process and remembers which documents it read."""

    seen: list[str] = field(default_factory=list)

    def __call__(self, requests: Iterable[ReadRequest]) -> Iterator[ReadResult]:
        for request in requests:
            self.seen.append(request.key)
            yield ReadResult(key=request.key, outcome=self._read(request))

    def _read(self, request: ReadRequest) -> Any:
        if b"UNREADABLE" in request.data:
            return DocumentUnreadable("holds what no reader takes")
        try:
            return read_document(
                key=request.key,
                name=request.name,
                data=request.data,
                url=request.url,
                content_type=request.content_type,
                title=request.title,
                anchors=request.anchors,
            )
        except DocumentUnreadable as error:
            return error


def parts(files: Files | None = None, reader: CountingReader | None = None) -> Parts:
    return Parts(
        chunker=Chunker(),
        words=WordLane(),
        grams=GramLane(),
        dense=DenseLane(),
        read=reader or CountingReader(),
        files=files or Files(),
        clock=lambda: "2026-01-02T03:04:05+00:00",
    )


@dataclass(kw_only=True)
class HashEmbedder:
    """An embedder whose vectors are hashes of the texts; fails after `limit` of them."""

    fingerprint: str = "hash/1"
    dimensions: int = 8
    limit: int = 1_000_000
    embedded: list[str] = field(default_factory=list)

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if len(self.embedded) + len(texts) > self.limit:
            raise EmbeddingFailed("the model went away")
        self.embedded += texts
        return self.embed_questions(texts)

    def embed_questions(self, texts: Sequence[str]) -> NDArray[np.float32]:
        seeds = [sha256((self.fingerprint + text).encode()).digest() for text in texts]
        rows = [np.frombuffer(seed[: self.dimensions], np.uint8) for seed in seeds]
        vectors = np.stack(rows).astype(np.float32) + 1
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


def applied(
    index: Index,
    texts: Texts,
    embedder: Embedder | None = None,
    progress: Progress = unheard,
) -> ApplyReport:
    return index.apply(index.plan(source(texts)), embedder=embedder, progress=progress)


def built(folder: Path, *steps: Texts, embedder: Embedder | None = None) -> Index:
    """Return an index to which one set of documents after the other was applied."""
    index = Index.create(folder, parts())
    for texts in steps:
        applied(index, texts, embedder)
    return index


@dataclass(frozen=True, kw_only=True)
class Answers:
    """Everything that a reader of an index can see, but for generation numbers and times."""

    corpus_id: str
    chunks: tuple[Any, ...]
    texts: tuple[str, ...]
    links: tuple[tuple[int, ...], ...]
    found: tuple[Any, ...]
    embedded: int
    files: tuple[tuple[str, str], ...]

    @property
    def without_vectors(self) -> Answers:
        files = tuple(file for file in self.files if not file[0].startswith("vectors"))
        return replace(self, embedded=0, files=files)


def answers(index: Index) -> Answers:
    with index.snapshot() as snapshot:
        return answers_of(snapshot)


def answers_of(snapshot: Snapshot) -> Answers:
    keys = snapshot.document_keys()
    rankings = [
        lane.search(text, limit=10)
        for lane in (snapshot.words, snapshot.grams)
        for text in ("volume size", "pods", "東京", "snapshots")
    ]
    return Answers(
        corpus_id=snapshot.corpus_id,
        chunks=tuple(snapshot.chunks(range(snapshot.size))),
        texts=tuple(snapshot.document(key).text for key in keys),
        links=tuple(tuple(snapshot.links(at).tolist()) for at in range(len(keys))),
        found=tuple((found.rows.tolist(), found.scores.tolist()) for found in rankings),
        embedded=snapshot.embedded,
        files=snapshot.checksums(),
    )
