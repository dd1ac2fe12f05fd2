# pyright: reportMissingImports=false
# mypy: disable-error-code="import-not-found"
"""The batches of a run: hand-written, public and rule-made pairs, drawn anew for each epoch."""

from collections.abc import Iterator, Sequence
from random import Random

from verifier.batches import Batch, packed
from verifier.bench import Bench
from verifier.pairs import Pair, Quote, foreign, formed, itself, neighbour
from verifier.recipe import Run


def epochs(run: Run, bench: Bench, quotes: Sequence[Quote], limit: int) -> Iterator[list[Batch]]:
    """Yield the batches of each epoch, in order."""
    draw = Random(run.seed)  # noqa: S311 - draws, not secrets
    pieces = bench.pieces(run.encoder)
    for _ in range(run.epochs):
        clusters = _clusters(run, bench, quotes, draw, limit)
        yield list(packed(clusters, pieces, draw, bench.device))


def _clusters(
    run: Run, bench: Bench, quotes: Sequence[Quote], draw: Random, limit: int
) -> list[list[Pair]]:
    """Return each quote in several forms, and pairs of its own from everywhere else, shuffled."""
    rules = _drawn(bench.rules, run.rules, draw, limit)
    public = _drawn(bench.public, run.public, draw, limit)
    quotes = quotes[: limit or None]
    clusters = [formed(one, draw) for one in quotes for _ in range(run.copies)]
    for one in quotes:
        singles = (itself(one, draw), foreign(one, draw.choice(quotes), draw), neighbour(one, draw))
        clusters += [[pair] for pair in singles if pair]
    clusters += [[one] for one in (*rules, *public)]
    draw.shuffle(clusters)
    return clusters


def _drawn(pairs: Sequence[Pair], count: int, draw: Random, limit: int) -> list[Pair]:
    return draw.sample(pairs, min(limit or count, count, len(pairs)))
