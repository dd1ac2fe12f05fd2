"""Fits the weights of the selector, and says what a choice by them would show.

Each set in turn is left out of the fit and measured. Then the weights of all sets are printed as
they stand in `tether/ask/quoting/selection.py`.

PYTHONPATH=tools:src python3 -m selector.fit SET.npz SET.npz ...
"""

import argparse
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from selector.collect import CLASSES

ROUNDS, RIDGE = 60, 3.0


class Sample(NamedTuple):
    """One set of questions, as `selector.collect` writes it."""

    name: str
    names: list[str]
    features: Any
    facts: Any
    said: Any
    classes: Any
    wanted: Any


def main() -> None:
    """Read the sets, print figures and weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", type=Path, nargs="+")
    samples = [_read(path) for path in parser.parse_args().sets]
    for at, sample in enumerate(samples):
        others = [*samples[:at], *samples[at + 1 :]] or samples
        print(sample.name, _shown(sample, _scores(sample, fitted(others))))
    for name, weight in fitted(samples).items():
        print(f'        "{name}": {weight:.3f},')


def _read(path: Path) -> Sample:
    with np.load(path) as arrays:
        names = [str(name) for name in arrays["names"]]
        kept = {name: arrays[name] for name in arrays.files if name != "names"}
    return Sample(name=path.stem, names=names, **kept)


def fitted(samples: list[Sample]) -> dict[str, float]:
    """Return the weights of a logistic regression, for features as they are."""
    rows, labels = [], []
    for sample in samples:
        is_used = sample.classes[sample.facts[:, 0]] == CLASSES.index("answerable")
        rows.append(sample.features[is_used])
        labels.append(sample.facts[is_used, 4])
    found, label = np.concatenate(rows), np.concatenate(labels)
    mean, spread = found.mean(0), found.std(0) + 1e-6
    weights = _regressed((found - mean) / spread, label)
    scaled = weights[:-1] / spread
    constant = float(weights[-1] - (scaled * mean).sum())
    return {"constant": constant, **dict(zip(samples[0].names, map(float, scaled), strict=True))}


def _regressed(rows: Any, label: Any) -> Any:
    rows = np.c_[rows, np.ones(len(rows))]
    ridge = np.r_[np.full(rows.shape[1] - 1, RIDGE), 1e-6]
    weights = np.zeros(rows.shape[1])
    for _ in range(ROUNDS):
        sure = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (sure - label) + ridge * weights
        curve = (rows * (sure * (1 - sure))[:, None]).T @ rows + np.diag(ridge)
        weights = weights - np.linalg.solve(curve, slope)
    return weights


def _scores(sample: Sample, weights: dict[str, float]) -> Any:
    total = sample.features @ np.array([weights[name] for name in sample.names])
    return 1 / (1 + np.exp(-(total + weights["constant"])))


def _shown(sample: Sample, scores: Any) -> str:
    """Return how often the best unit, and the best three, are wanted; by class, the best score."""
    counts: Counter[str] = Counter()
    best: dict[str, list[float]] = {name: [] for name in CLASSES}
    for number, kind in enumerate(sample.classes):
        rows = np.flatnonzero(sample.facts[:, 0] == number)
        ranked = rows[np.argsort(-scores[rows], kind="stable")]
        best[CLASSES[kind]].append(float(scores[ranked[0]]) if len(ranked) else 0.0)
        if CLASSES[kind] == "answerable":
            counts["asked"] += 1
            counts["first"] += int(sample.facts[ranked[:1], 4].sum() > 0)
            counts["three"] += int(sample.facts[ranked[:3], 4].sum() > 0)
    firsts = " ".join(f"{name} {np.median(found):.2f}" for name, found in best.items() if found)
    return f"{dict(counts)}, median of the best: {firsts}"


if __name__ == "__main__":
    main()
