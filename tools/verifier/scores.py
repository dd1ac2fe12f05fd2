# pyright: reportMissingImports=false
# mypy: disable-error-code="import-not-found"
"""Logits of statements that a run did not see, as `verifier.measure` writes them."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from judge.measure import auroc
from judge.weights import Array

DRAWS = 300

Figure = Callable[["Scores"], float]


class Scores(NamedTuple):
    """One entry for each statement; `quotes` name the quote, with its corpus."""

    logits: Array
    true: Array
    kinds: Array
    corpora: Array
    quotes: Array

    @property
    def weights(self) -> Array:
        """How much more "supports" weighs than the other two together."""
        weights: Array = self.logits[:, 0] - np.logaddexp(self.logits[:, 1], self.logits[:, 2])
        return weights

    def at(self, places: Array) -> "Scores":
        """Return the entries at some places."""
        return Scores(*(part[places] for part in self))

    def probabilities(self, temperature: float, shift: float) -> Array:
        """Return the calibrated probabilities [statements, 3]."""
        logits = self.logits / temperature
        logits[:, 0] += shift
        weights = np.exp(logits - logits.max(1, keepdims=True))
        result: Array = weights / weights.sum(1, keepdims=True)
        return result


def read(*paths: Path) -> Scores:
    """Read files of scores as one."""
    return collected([row for path in paths for row in json.loads(path.read_text())])


def collected(rows: Sequence[Mapping[str, Any]]) -> Scores:
    """Return rows of statement, label, kind and logits as columns."""
    corpora = [row["corpus"].partition("invented")[1] or row["corpus"] for row in rows]
    return Scores(
        logits=np.array([row["logits"] for row in rows]),
        true=np.array([row["label"] == 0 for row in rows]),
        kinds=np.array([row["kind"] for row in rows]),
        corpora=np.array(corpora),
        quotes=np.array([f"{row['corpus']} {row['quote']}" for row in rows]),
    )


def told_apart(scores: Scores, kind: str = "") -> float:
    """Return the AUROC of true statements against false ones, or those of one kind."""
    chosen = scores.at(scores.true | (scores.kinds == kind)) if kind else scores
    return auroc(chosen.weights, chosen.true)


def kept_at(scores: Scores, false: float) -> float:
    """Return the share of true statements above a level that so many false ones pass."""
    level = np.quantile(scores.weights[~scores.true], 1 - false)
    return float(np.mean(scores.weights[scores.true] > level))


def interval(scores: Scores, figure: Figure) -> str:
    """Return a figure with its 95 % interval: quotes are drawn again, with their statements."""
    found = [figure(scores.at(places)) for places in _drawn(scores.quotes)]
    low, high = np.quantile(found, [0.025, 0.975])
    return f"{short(figure(scores))} [{short(low)}, {short(high)}]"


def _drawn(quotes: Array) -> Iterator[Array]:
    _, numbers = np.unique(quotes, return_inverse=True)
    places = np.split(np.argsort(numbers, kind="stable"), np.cumsum(np.bincount(numbers))[:-1])
    draw = np.random.default_rng(0)
    for _ in range(DRAWS):
        yield np.concatenate([places[n] for n in draw.integers(0, len(places), len(places))])


def short(value: float) -> str:
    """Return a share as the pages write it: .677."""
    return f"{value:.3f}".removeprefix("0")
