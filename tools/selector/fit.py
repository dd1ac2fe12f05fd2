"""Fits the weights of the selector, and says what a choice by them would show.

Each set in turn is left out of the fit and measured. Then the weights of all sets are printed as
they stand in `tether/ask/quoting/selection.py`.

PYTHONPATH=tools:src python3 -m selector.fit SETS/*.jsonl.gz
"""

import argparse
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from selector.records import ANSWERABLE, CLASSES, read, set_of

ROUNDS, RIDGE = 60, 3.0


class Sample(NamedTuple):
    """One set of questions: a row for each unit, an entry for each question."""

    name: str
    names: list[str]
    features: Any
    questions: Any
    """The number of the question of each unit."""
    labels: Any
    classes: Any


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
    questions = list(read(path))
    return Sample(
        name=set_of(path),
        names=next(one.names for one in questions if one.names),
        features=np.array([unit.features for one in questions for unit in one.units]),
        questions=np.repeat(np.arange(len(questions)), [len(one.units) for one in questions]),
        labels=np.array([unit.is_wanted for one in questions for unit in one.units], int),
        classes=np.array([CLASSES.index(one.kind) for one in questions]),
    )


def fitted(samples: list[Sample]) -> dict[str, float]:
    """Return the weights of a logistic regression, for features as they are."""
    rows, labels = [], []
    for sample in samples:
        is_used = sample.classes[sample.questions] == CLASSES.index(ANSWERABLE)
        rows.append(sample.features[is_used])
        labels.append(sample.labels[is_used])
    found, label = np.concatenate(rows), np.concatenate(labels)
    mean, spread = found.mean(0), found.std(0) + 1e-6
    weights = regressed((found - mean) / spread, label)
    scaled = weights[:-1] / spread
    constant = float(weights[-1] - (scaled * mean).sum())
    return {"constant": constant, **dict(zip(samples[0].names, map(float, scaled), strict=True))}


def regressed(rows: Any, label: Any) -> Any:
    """Return the weights of a logistic regression, the constant last."""
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
        rows = np.flatnonzero(sample.questions == number)
        ranked = rows[np.argsort(-scores[rows], kind="stable")]
        best[CLASSES[kind]].append(float(scores[ranked[0]]) if len(ranked) else 0.0)
        if CLASSES[kind] == ANSWERABLE:
            counts["asked"] += 1
            counts["first"] += int(sample.labels[ranked[:1]].sum() > 0)
            counts["three"] += int(sample.labels[ranked[:3]].sum() > 0)
    firsts = " ".join(f"{name} {np.median(found):.2f}" for name, found in best.items() if found)
    return f"{dict(counts)}, median of the best: {firsts}"


if __name__ == "__main__":
    main()
