"""All figures of retrieval: on the corpus as it is, and on a large one made from it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from bench.figures import Figure
from bench.retrieval import corpus
from bench.retrieval.children import ROOT, ask_child
from bench.retrieval.clock import Taken, best
from bench.retrieval.embedders import QuickEmbedder
from bench.retrieval.growth import growth_figures
from bench.retrieval.lines import figure
from bench.retrieval.searching import built_peers, judged_figures, query_figures, read_chunks

from tether.retrieval.chunk import Chunk
from tether.retrieval.index.index import Index
from tether.retrieval.index.parts import default_parts

OWN_CORPUS = ROOT / "docs"
LARGE = 100_000
BYTES_A_CHUNK = 800


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to measure, and how thoroughly.

    `size` is about how many chunks the large corpus has. `sample` passages are embedded by the real
    model. The corpora and the indexes are made in `work`; the large corpus is used again there.
    """

    corpus: Path
    work: Path
    size: int = LARGE
    questions: int = 200
    rounds: int = 5
    sample: int = 300
    million: bool = False

    @property
    def judged(self) -> int:
        """How many of the questions the judge is asked, and a fresh process."""
        return max(1, self.questions // 10)

    @property
    def pool(self) -> Path:
        """Where the vectors of the sample are kept."""
        return self.work / "pool.npy"


def take(plan: Plan) -> Iterator[list[Figure]]:
    """Measure everything that is said of retrieval; yield the figures as they come."""
    plan.work.mkdir(parents=True, exist_ok=True)
    for name in ("peers", "indexes", "given", "sample"):
        shutil.rmtree(plan.work / name, ignore_errors=True)
    source = corpus.unpacked(plan.corpus, plan.work / f"unpacked-{plan.corpus.name}")
    given = corpus.repeated(source, plan.work / "given", 1)
    yield _sample(plan, given)
    found, chunks = _measured(plan, given, "given")
    yield found
    copies = max(1, round(plan.size / chunks))
    print(f"the corpus has {chunks:,} chunks; the large one is {copies} times as large", flush=True)
    large = corpus.repeated(source, plan.work / "large", copies)
    found, _ = _measured(plan, large, "large")
    yield found


def _sample(plan: Plan, given: Path) -> list[Figure]:
    """Index a part of the corpus with the real embedder; keep its vectors for the others."""
    pages = corpus.sample(given, plan.work / "sample", plan.sample * BYTES_A_CHUNK)
    said = _indexed(plan, pages, "sample", "real")
    full, embed = Taken(*said["full"]), Taken(*said["embed"])
    return [
        figure("embedding, real model", said["texts"] / embed.wall, "passages/s"),
        figure("embedding CPU, real model", embed.cpu / said["texts"] * 1e3, "ms CPU/passage"),
        figure("index with embeddings", said["chunks"] / (full.wall + embed.wall), "chunks/s"),
    ]


def _indexed(plan: Plan, pages: Path, label: str, embedder: str) -> dict[str, Any]:
    print(f"indexing {label}", flush=True)
    index = plan.work / "indexes" / label
    index.parent.mkdir(exist_ok=True)
    arguments = [
        "--embedder",
        embedder,
        "--pool",
        str(plan.pool),
        "--repeats",
        str(min(3, plan.rounds)),
    ]
    return ask_child("indexing", str(pages), str(index), *arguments).said


def _measured(plan: Plan, pages: Path, label: str) -> tuple[list[Figure], int]:
    """Return the figures of one corpus, and how many chunks it has."""
    said = _indexed(plan, pages, label, "quick")
    print(f"{said['documents']:,} documents, {said['failed']} failed", flush=True)
    found = _index_figures(said, label) + _disk_figures(said, label)
    folder = plan.work / "indexes" / label
    embedder = QuickEmbedder(np.load(plan.pool))
    with Index.open(folder, default_parts()).snapshot() as snapshot:
        chunks = read_chunks(snapshot)
        questions = corpus.questions(chunks, plan.questions)
        found += _fresh_figures(plan, folder, questions, label)
        peers, lines = built_peers(chunks, plan.work / "peers", label)
        print(f"asking {label}", flush=True)
        found += query_figures(
            snapshot, embedder, peers, questions, rounds=plan.rounds, label=label
        )
        few = questions[: plan.judged]
        found += judged_figures(snapshot, embedder, few, rounds=min(2, plan.rounds), label=label)
    if label == "large":
        found += _growth(plan, chunks, questions)
    return found + [line for line in lines if label == "large"], len(chunks)


def _growth(plan: Plan, chunks: Sequence[Chunk], questions: Sequence[str]) -> list[Figure]:
    print("growing", flush=True)
    pool = np.load(plan.pool)
    return growth_figures(chunks, pool, questions, rounds=plan.rounds, million=plan.million)


def _index_figures(said: dict[str, Any], label: str) -> list[Figure]:
    full, embed = Taken(*said["full"]), Taken(*said["embed"])
    same, changed = Taken(*said["unchanged"]), Taken(*said["changed"])
    documents, chunks = said["documents"], said["chunks"]
    return [
        figure(f"documents, {label}", documents, "documents"),
        figure(f"chunks, {label}", chunks, "chunks"),
        figure(f"index, {label}", documents / full.wall, "documents/s"),
        figure(f"index of chunks, {label}", chunks / full.wall, "chunks/s"),
        figure(f"index of bytes, {label}", said["megabytes"] / full.wall, "MB/s"),
        figure(f"index CPU, {label}", full.cpu / documents * 1e3, "ms CPU/document"),
        figure(f"index peak memory, {label}", said["peak"], "MB"),
        figure(f"unchanged run, {label}", same.wall * 1e3, "ms", full.wall * 1e3),
        figure(f"unchanged run CPU, {label}", same.cpu * 1e3, "ms CPU", full.cpu * 1e3),
        figure(f"texts embedded by unchanged runs, {label}", said["embedded_again"], "texts"),
        figure(f"one changed page, {label}", changed.wall * 1e3, "ms", full.wall * 1e3),
        figure(f"storing vectors, {label}", embed.wall / chunks * 1e6, "µs/chunk"),
    ]


def _disk_figures(said: dict[str, Any], label: str) -> list[Figure]:
    lexical, whole = said["disk"], said["disk_embedded"]
    vectors = sum(whole.values()) - sum(lexical.values())
    return [
        figure(f"disk, {label}", sum(whole.values()), "MB", said["megabytes"]),
        figure(f"disk of texts, {label}", lexical["texts"], "MB", said["megabytes"]),
        figure(f"disk of words, {label}", lexical["words"], "MB", said["megabytes"]),
        figure(f"disk of grams, {label}", lexical["grams"], "MB", said["megabytes"]),
        figure(f"disk of vectors, {label}", vectors, "MB", said["megabytes"]),
    ]


def _fresh_figures(plan: Plan, folder: Path, questions: Sequence[str], label: str) -> list[Figure]:
    arguments = [str(folder), "--pool", str(plan.pool)]
    given = "\n".join(questions[: plan.judged])
    answers = [ask_child("fresh", *arguments, given=given) for _ in range(plan.rounds)]
    opened = best([Taken(*answer.said["open"]) for answer in answers])
    first = best([Taken(*answer.said["first"]) for answer in answers])
    least = {name: min(answer.said[name] for answer in answers) for name in answers[0].said}
    return [
        figure(f"open, {label}", opened.wall * 1e3, "ms"),
        figure(f"open CPU, {label}", opened.cpu * 1e3, "ms CPU"),
        figure(f"first answer with model, {label}", first.wall * 1e3, "ms"),
        figure(f"peak memory, lexical, {label}", least["peak_lexical"], "MB"),
        figure(f"peak memory, whole, {label}", least["peak"], "MB"),
        figure(f"memory without mapped files, {label}", least["own"], "MB"),
    ]
