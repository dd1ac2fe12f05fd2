"""What a question costs in each lane and as a whole, beside others, on one index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bench.figures import Figure
from bench.retrieval.clock import MEGABYTE, timed
from bench.retrieval.embedders import QuickEmbedder
from bench.retrieval.lines import figure
from bench.retrieval.peers import PEERS, Peer
from bench.retrieval.timing import Ask, Times, in_turns

from tether.retrieval.index.snapshot import Snapshot
from tether.retrieval.judge import OnnxJudge
from tether.retrieval.query import Query
from tether.retrieval.search.retriever import Retriever
from tether.text.stop_words import StopWords
from tether.text.words import Words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tether.retrieval.chunk import Chunk

BLOCK = 2_000
ALIKE = 10
PEER = "tantivy"
"""The peer that the lexical lanes are measured against."""

LEXICAL = ("words lane", "grams lane")


def read_chunks(snapshot: Snapshot) -> list[Chunk]:
    """Return all chunks of an index by row."""
    starts = range(0, snapshot.size, BLOCK)
    return [
        chunk
        for start in starts
        for chunk in snapshot.chunks(range(start, min(start + BLOCK, snapshot.size)))
    ]


def built_peers(
    chunks: Sequence[Chunk], folder: Path, label: str
) -> tuple[dict[str, Peer], list[Figure]]:
    """Return the peers that are installed with the same texts in them, and what that cost."""
    texts = [f"{chunk.heading}\n{chunk.heading}\n{chunk.body}" for chunk in chunks]
    peers: dict[str, Peer] = {}
    figures: list[Figure] = []
    for name, build in PEERS.items():
        place = folder / f"{label}-{name.replace(' ', '-')}"
        place.mkdir(parents=True)
        try:
            peers[name], taken = timed(lambda build=build, place=place: build(texts, place))  # type: ignore[misc]
        except ModuleNotFoundError as error:
            print(f"{name} is left out: {error}")
            continue
        cost = taken.cpu / len(texts) * 1e6
        figures.append(figure(f"words lane build, {label} [{name}]", cost, "µs CPU/chunk"))
        if size := _size(place):
            figures.append(figure(f"disk of words, {label} [{name}]", size, "MB"))
    return peers, figures


def _size(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / MEGABYTE


def query_figures(
    snapshot: Snapshot,
    embedder: QuickEmbedder,
    peers: Mapping[str, Peer],
    questions: Sequence[str],
    *,
    rounds: int,
    label: str,
) -> list[Figure]:
    """Time every lane, the whole and the peers, question by question in turns."""
    vectors = {text: embedder.embed_questions([text]) for text in questions}
    engines = {**_own(snapshot, embedder, vectors), **_others(peers, questions)}
    times = in_turns(engines, questions, rounds)
    found = [line for name in engines for line in _lines(name, times, label)]
    return found + _overlaps(snapshot, peers, questions, label)


def judged_figures(
    snapshot: Snapshot,
    embedder: QuickEmbedder,
    questions: Sequence[str],
    *,
    rounds: int,
    label: str,
) -> list[Figure]:
    """Time the whole with the judge, on fewer questions: it takes a hundred times as long."""
    retriever = Retriever(index=snapshot, embedder=embedder, judge=OnnxJudge())
    engines = {"pipeline with judge": _asking(retriever)}
    times = in_turns(engines, questions, rounds)
    return _lines("pipeline with judge", times, label)


def _own(
    snapshot: Snapshot, embedder: QuickEmbedder, vectors: Mapping[str, NDArray[np.float32]]
) -> dict[str, Ask]:
    words, grams, dense = snapshot.words, snapshot.grams, snapshot.dense
    if dense is None:
        raise LookupError("the index has no vectors")
    return {
        "words lane": words.search,
        "grams lane": grams.search,
        "dense lane": lambda question: dense.search_many(vectors[question]),
        "question embedding": lambda question: embedder.embed_questions([question]),
        "pipeline": _asking(Retriever(index=snapshot, embedder=embedder)),
        "pipeline without model": _asking(Retriever(index=snapshot)),
    }


def _asking(retriever: Retriever) -> Ask:
    return lambda question: retriever.search(Query(question=question))


def _others(peers: Mapping[str, Peer], questions: Sequence[str]) -> dict[str, Ask]:
    """Return the peers as they are, and the first also with the words that our lanes look for.

    Our lanes leave out the words that every text has; a peer that looks for them does more.
    """
    found: dict[str, Ask] = {f"words lane [{name}]": peer.search for name, peer in peers.items()}
    if PEER in peers:
        told, search = _telling(questions), peers[PEER].search
        found[f"words lane [{PEER}, telling words]"] = lambda question: search(told[question])
    return found


def _telling(questions: Sequence[str]) -> dict[str, str]:
    words, stop_words = Words(), StopWords()
    return {text: " ".join(stop_words.telling(words.words(text), ("en",))) for text in questions}


def _lines(name: str, times: Mapping[str, Times], label: str) -> list[Figure]:
    lane, bracket, peer = name.partition(" [")
    floor = times.get(f"words lane [{PEER}]") if name in LEXICAL else None
    mine = times[name]
    return [
        figure(
            f"{lane} {measure}, {label}{bracket}{peer}",
            getattr(mine, short),
            unit,
            floor and getattr(floor, short),
        )
        for measure, short, unit in (
            ("p50", "p50", "ms"),
            ("p95", "p95", "ms"),
            ("CPU p50", "cpu", "ms CPU"),
        )
    ]


def _overlaps(
    snapshot: Snapshot, peers: Mapping[str, Peer], questions: Sequence[str], label: str
) -> list[Figure]:
    """Say how many of our first ten in the lane of words are among a peer's first ten."""
    own = [set(snapshot.words.search(text, limit=ALIKE).rows.tolist()) for text in questions]
    found: list[Figure] = []
    for name, peer in peers.items():
        pairs = zip(own, questions, strict=True)
        shares = [len(rows & set(peer.rows(text)[:ALIKE])) for rows, text in pairs]
        share = sum(shares) / len(shares)
        found.append(figure(f"same among first ten as {name}, {label}", share, "of 10"))
    return found
