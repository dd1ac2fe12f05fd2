# pyright: reportMissingImports=false
# mypy: disable-error-code="import-not-found"
"""Compares exported verifiers, as the product runs them, on public pairs that nobody trained on.

PYTHONPATH=tools:src python3 -m verifier.compare all8.onnx verifier.onnx --claims train.jsonl.gz
    --without DATA/claims.jsonl.gz
"""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random

import numpy as np

from judge.measure import auroc
from judge.weights import Array
from tether.ask.verification.onnx import SUPPORTED_AT, OnnxVerifier
from tether.ask.verification.port import Claim
from verifier.pairs import RULES, SUPPORTS, Pair, read_public
from verifier.scores import short

MOST_WORDS = 80
"""Of a premise; the product does not read what is longer than the model."""


def main() -> None:
    """Print a row for each file; the first is what the others are compared with."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="+")
    for name in ("claims", "without"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--count", type=int, default=400)
    options = parser.parse_args()
    pairs = unseen(options.claims, options.without, options.count)
    print("| file | MB | CPU ms a pair | AUROC | correlation | other side of the threshold |")
    print("|---|---|---|---|---|---|")
    first = None
    for file in options.files:
        odds, cost = read(file, pairs)
        first = odds if first is None else first
        print(_row(file, cost, odds, first, np.array([pair.label == SUPPORTS for pair in pairs])))


def unseen(claims: Path, without: Path, count: int) -> list[Pair]:
    """Return some public pairs that are not in the sample, always the same, short enough."""
    seen = set(read_public(without))
    left = [
        one
        for one in read_public(claims)
        if one not in seen and one.kind != RULES and len(one.premise.split()) <= MOST_WORDS
    ]
    return Random(1).sample(left, count)  # noqa: S311 - draws, not secrets


def read(file: Path, pairs: Sequence[Pair]) -> tuple[Array, float]:
    """Return the logits of "supports" against the rest, and CPU milliseconds a pair."""
    verifier = OnnxVerifier(path=file, threads=1)
    claims = [Claim(pair.statement, pair.premise) for pair in pairs]
    verifier.verify(claims[:1])
    started = time.process_time()
    supports = np.array([one.supports for one in verifier.verify(claims)])
    cost = (time.process_time() - started) * 1000 / len(claims)
    supports = supports.clip(1e-9, 1 - 1e-9)
    return np.log(supports / (1 - supports)), cost


def _row(file: Path, cost: float, odds: Array, first: Array, true: Array) -> str:
    level = np.log(SUPPORTED_AT / (1 - SUPPORTED_AT))
    moved = int(np.sum((odds >= level) != (first >= level)))
    same = float(np.corrcoef(odds, first)[0, 1])
    figures = (f"{file.stat().st_size / 1e6:.1f}", f"{cost:.0f}", short(auroc(odds, true)))
    return f"| {file.name} | {' | '.join(figures)} | {same:.4f} | {moved} of {len(odds)} |"


if __name__ == "__main__":
    main()
