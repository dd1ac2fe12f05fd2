"""How the cost of the lanes grows with the index: a tenth of it, all of it, ten times it.

Rows past the index's own chunks are those chunks again with their halves recombined; vectors are
real ones with noise. Lanes are built and asked as the index does it, but for the disk.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from bench.figures import Figure
from bench.retrieval.clock import timed
from bench.retrieval.corpus import recombined
from bench.retrieval.embedders import QuickEmbedder, noisy
from bench.retrieval.lines import figure
from bench.retrieval.timing import Ask, in_turns

from tether.retrieval.dense.lane import DenseLane
from tether.retrieval.lexical.lanes import GramLane, WordLane

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tether.retrieval.chunk import Chunk
    from tether.retrieval.ports import LexicalLane

LEAST = 10


class Built(NamedTuple):
    """A lane over so many rows: how to ask it, and the CPU seconds that building it took."""

    ask: Ask
    cpu: float


def growth_figures(
    chunks: Sequence[Chunk],
    pool: NDArray[np.float32],
    questions: Sequence[str],
    *,
    rounds: int,
    million: bool,
) -> list[Figure]:
    """Measure building and asking at two or three sizes, ten times apart."""
    size = len(chunks)
    sizes = [max(LEAST, size // 10), size, *([size * 10] if million else [])]
    embedder = QuickEmbedder(pool)
    vectors = {text: embedder.embed_questions([text]) for text in questions}
    makers: dict[str, Callable[[int], Built]] = {
        "words lane": lambda rows: _lexical(WordLane(), chunks, rows),
        "grams lane": lambda rows: _lexical(GramLane(), chunks, rows),
        "dense lane": lambda rows: _dense(pool, vectors, rows),
    }
    found: list[Figure] = []
    for lane, maker in makers.items():
        built = {rows: maker(rows) for rows in sizes}
        found += _costs(lane, built, questions, rounds, size)
    return found


def _lexical(lane: LexicalLane, chunks: Sequence[Chunk], rows: int) -> Built:
    step = max(1, len(chunks) // rows)
    fresh = islice(recombined(chunks[::step], rows), rows)
    arrays, taken = timed(lambda: lane.build(size=rows, fresh=fresh))
    return Built(lane.open(arrays).search, taken.cpu)


def _dense(
    pool: NDArray[np.float32], questions: Mapping[str, NDArray[np.float32]], rows: int
) -> Built:
    vectors = noisy(pool, rows, np.random.default_rng(5))
    lane = DenseLane()
    arrays, taken = timed(lambda: lane.build(vectors))
    searcher = lane.open(vectors, arrays)
    return Built(lambda question: searcher.search_many(questions[question]), taken.cpu)


def _costs(
    lane: str, built: Mapping[int, Built], questions: Sequence[str], rounds: int, large: int
) -> list[Figure]:
    engines = {str(rows): made.ask for rows, made in built.items()}
    times = in_turns(engines, questions, rounds)
    found: list[Figure] = []
    if lane != "dense lane":
        cost = built[large].cpu / large * 1e6
        found.append(figure(f"{lane} build, large", cost, "µs CPU/chunk"))
    for rows in built:
        name = f"{lane} in memory p50, {_named(rows, large)}"
        found.append(figure(name, times[str(rows)].p50, "ms"))
    for less, more in pairwise(built):
        name = f"{lane}, {_named(less, large)} to {_named(more, large)}"
        query = times[str(more)].p50 / times[str(less)].p50
        found.append(figure(f"growth of query, {name}", query, "times", more / less))
        if lane != "dense lane":
            build = built[more].cpu / built[less].cpu
            found.append(figure(f"growth of build, {name}", build, "times", more / less))
    return found


def _named(rows: int, large: int) -> str:
    if rows == large:
        return "large"
    return "tenth" if rows < large else "ten times"
