# pyright: reportMissingImports=false
# mypy: disable-error-code="import-not-found"
"""Fits probabilities to scores out of fold, and prints what each threshold lets through.

PYTHONPATH=tools python3 -m verifier.calibrate OUT/scores-fold*.json [--supported .8]
"""

import argparse
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from judge.weights import Array
from verifier import scores as stored
from verifier.scores import Scores, interval, kept_at, short, told_apart

TEMPERATURES, SHIFTS = np.arange(1.2, 4, 0.1), np.arange(-1, 2, 0.05)
SUPPORTED = (0.7, 0.75, 0.8, 0.85, 0.9)
CONTRADICTED = (0.5, 0.6, 0.7, 0.8)
FALSE = (0.06, 0.08)


class Calibration(NamedTuple):
    """Logits are divided by `temperature`, then `shift` is added to that of "supports"."""

    temperature: float
    shift: float


def main() -> None:
    """Print the calibration and its tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--supported", type=float, default=0.8)
    options = parser.parse_args()
    scores = stored.read(*options.files)
    fitted = fit(scores)
    print(f"temperature {fitted.temperature:.1f}, shift of supports {fitted.shift:.2f}")
    for line in (*figures(scores), *tables(scores, fitted, options.supported)):
        print(line)


def figures(scores: Scores) -> Iterator[str]:
    """Yield what does not depend on the calibration."""
    true, quotes = int(scores.true.sum()), len(set(scores.quotes))
    yield f"{quotes:,} quotes, {true:,} true and {len(scores.true) - true:,} false statements"
    yield f"AUROC {interval(scores, told_apart)}"
    yield f"AUROC, role {interval(scores, partial(told_apart, kind='role'))}"
    for false in FALSE:
        kept = interval(scores, partial(kept_at, false=false))
        yield f"true kept at {false:.0%} false {kept}"


def fit(scores: Scores) -> Calibration:
    """Return the calibration of the least log loss; true and false weigh the same together."""
    options = [
        (_loss(scores, temperature, shift), Calibration(float(temperature), float(shift)))
        for temperature in TEMPERATURES
        for shift in SHIFTS
    ]
    return min(options)[1]


def _loss(scores: Scores, temperature: float, shift: float) -> float:
    logits = scores.logits / temperature
    odds = logits[:, 0] - np.logaddexp(logits[:, 1], logits[:, 2]) + shift
    true = np.logaddexp(0, -odds[scores.true]).mean()
    return float(true + np.logaddexp(0, odds[~scores.true]).mean())


def tables(scores: Scores, fitted: Calibration, supported: float) -> Iterator[str]:
    """Yield tables: thresholds, kinds, corpora, and how far probabilities can be trusted."""
    supports, contradicts, _ = scores.probabilities(*fitted).T
    for name, label in (("true kept", True), ("false shown", False)):
        share = partial(_shown, fitted=fitted, level=supported, label=label)
        yield f"{name} at {supported} {interval(scores, share)}"
    yield from _thresholds("supports from", supports, scores.true, SUPPORTED)
    yield from _thresholds("contradicts from", contradicts, scores.true, CONTRADICTED)
    shown = supports >= supported
    yield from _by_kind(scores, shown)
    yield from _by_corpus(scores, shown)
    yield from _reliability(supports, scores.true)


def _shown(scores: Scores, *, fitted: Calibration, level: float, label: bool) -> float:
    supports = scores.probabilities(*fitted)[:, 0]
    return float(np.mean(supports[scores.true == label] >= level))


def _thresholds(name: str, values: Array, true: Array, levels: tuple[float, ...]) -> Iterator[str]:
    yield f"\n| {name} | of true | of false |\n|---|---|---|"
    for level in levels:
        shares = [short(float(np.mean(values[part] >= level))) for part in (true, ~true)]
        yield f"| {level:.2f} | {' | '.join(shares)} |"


def _by_kind(scores: Scores, shown: Array) -> Iterator[str]:
    yield "\n| kind | statements | shown | AUROC |\n|---|---|---|---|"
    for kind in sorted(set(scores.kinds) - {""}):
        these = scores.kinds == kind
        apart = told_apart(scores, str(kind))
        yield f"| {kind} | {these.sum():,} | {short(shown[these].mean())} | {short(apart)} |"


def _by_corpus(scores: Scores, shown: Array) -> Iterator[str]:
    yield "\n| corpus | statements | true kept | false shown | AUROC |\n|---|---|---|---|---|"
    for corpus in sorted(set(scores.corpora)):
        these = scores.corpora == corpus
        kept, let = (shown[these & part].mean() for part in (scores.true, ~scores.true))
        apart = told_apart(scores.at(these))
        yield f"| {corpus} | {these.sum():,} | {short(kept)} | {short(let)} | {short(apart)} |"


def _reliability(supports: Array, true: Array) -> Iterator[str]:
    yield "\n| probability | statements | mean | true, if half were |\n|---|---|---|---|"
    share = np.where(true, 0.5 / true.sum(), 0.5 / (~true).sum())
    for tenth in range(10):
        these = (supports * 10).astype(int).clip(max=9) == tenth
        right = share[these & true].sum() / share[these].sum()
        name = f"{tenth / 10:.1f} to {(tenth + 1) / 10:.1f}"
        yield f"| {name} | {these.sum():,} | {short(supports[these].mean())} | {short(right)} |"


if __name__ == "__main__":
    main()
