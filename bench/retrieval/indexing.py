"""One index from nothing, unchanged, and with one page changed, in a process of its own.

`python -m bench.retrieval.indexing PAGES INDEX --embedder real|quick --pool FILE --repeats N`
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from bench.retrieval.clock import MEGABYTE, Taken, best, peak_megabytes, timed
from bench.retrieval.corpus import pages_of, size_of
from bench.retrieval.embedders import QuickEmbedder, WatchedEmbedder

from tether.retrieval.index.index import ApplyReport, Index
from tether.retrieval.index.parts import default_parts
from tether.retrieval.sources.folder import FolderSource

PARTS = ("texts", "words", "grams", "vectors", "other")

AnyEmbedder = WatchedEmbedder | QuickEmbedder


def main() -> None:
    """Measure and print one object."""
    options = _options()
    shutil.rmtree(options.index, ignore_errors=True)
    embedder = _embedder(options.embedder, options.pool)
    said = _full(options.pages, options.index, embedder)
    if isinstance(embedder, WatchedEmbedder):
        np.save(options.pool, np.concatenate(embedder.made))
    embedded = embedder.texts
    said["unchanged"] = _unchanged(options.pages, options.index, embedder, options.repeats)
    said["embedded_again"] = embedder.texts - embedded
    said["changed"] = _changed(options.pages, options.index, embedder, options.repeats)
    print(json.dumps(said))


def _embedder(kind: str, pool: Path) -> AnyEmbedder:
    return WatchedEmbedder() if kind == "real" else QuickEmbedder(np.load(pool))


def _full(pages: Path, folder: Path, embedder: AnyEmbedder) -> dict[str, Any]:
    index = Index.create(folder, default_parts())
    report, full = timed(lambda: _run(index, pages, None))
    peak, lexical = peak_megabytes(), disk(folder)
    embedder.embed_questions(["Which file is read first?"])  # loads the model, which is not timed
    done, embed = timed(lambda: index.embed(embedder))
    return {
        "documents": report.documents,
        "chunks": report.chunks,
        "failed": sum(state.state == "failed" for state in report.states),
        "megabytes": size_of(pages) / MEGABYTE,
        "full": full,
        "peak": peak,
        "disk": lexical,
        "disk_embedded": disk(folder),
        "embed": embed,
        "texts": done.texts,
    }


def _run(index: Index, pages: Path, embedder: AnyEmbedder | None) -> ApplyReport:
    return index.apply(index.plan(FolderSource(pages)), embedder=embedder)


def _unchanged(pages: Path, folder: Path, embedder: AnyEmbedder, repeats: int) -> Taken:
    index = Index.open(folder, default_parts())
    return _best_of(repeats, lambda: _run(index, pages, embedder))


def _changed(pages: Path, folder: Path, embedder: AnyEmbedder, repeats: int) -> Taken:
    """Time runs before each of which one page was changed; it is put back in the end."""
    index = Index.open(folder, default_parts())
    every = pages_of(pages)
    page = every[len(every) // 2]
    before = page.read_bytes()
    takes: list[Taken] = []
    try:
        for turn in range(repeats):
            page.write_bytes(before + f"\n\nThis page was changed {turn + 1} times.\n".encode())
            takes.append(timed(lambda: _run(index, pages, embedder))[1])
    finally:
        page.write_bytes(before)
    return best(takes)


def _best_of(repeats: int, work: Callable[[], object]) -> Taken:
    return best([timed(work)[1] for _ in range(repeats)])


def disk(folder: Path) -> dict[str, float]:
    """Return the megabytes of an index by what they are for."""
    sizes: dict[str, float] = dict.fromkeys(PARTS, 0.0)
    for path in folder.rglob("*"):
        if path.is_file():
            sizes[_purpose(path.relative_to(folder))] += path.stat().st_size / MEGABYTE
    return sizes


def _purpose(path: Path) -> str:
    if ".sqlite" in path.name or path.name.endswith((".db", ".db-wal", ".db-shm")):
        return "texts"
    if any(part.startswith("dense-") for part in path.parts):
        return "vectors"
    lane = path.name.split(".")[0]
    return lane if lane in ("words", "grams") else "other"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", type=Path)
    parser.add_argument("index", type=Path)
    parser.add_argument("--embedder", choices=("real", "quick"), required=True)
    parser.add_argument("--pool", type=Path, required=True, help="vectors: written, or used")
    parser.add_argument("--repeats", type=int, default=3)
    return parser.parse_args()


if __name__ == "__main__":
    main()
