"""Reads the raw collections and writes the pools and answer pairs that training takes.

PYTHONPATH=tools python3 -m judge.prepare --data DATA --corpora CORPORA --into FOLDER
"""

import argparse
import random
from pathlib import Path

from judge import answers, human, trees
from judge.record import Pool, save


def main() -> None:
    """Write one file a pool, and `pairs` with the answer pairs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--into", type=Path, required=True)
    options = parser.parse_args()
    for pool in pools(options.data, options.corpora):
        save(options.into / f"{pool.name}.pool.xz", pool)
        uses = [question.use for question in pool.questions]
        counts = {use: uses.count(use) for use in sorted(set(uses))}
        print(pool.name, len(pool.passages), "passages", counts, "weight", pool.weight)
    draw = random.Random(5)  # noqa: S311 - draws, not secrets
    pairs = answers.pairs(options.data, draw)
    save(options.into / "pairs.xz", pairs)
    print("pairs", len(pairs), "held", sum(pair.held for pair in pairs))


def pools(data: Path, corpora: Path) -> list[Pool]:
    """Every pool, in a fixed order and with fixed draws."""
    draw = random.Random(11)  # noqa: S311 - draws, not secrets
    return [
        *human.documentation(data),
        human.pool(data, "stackexchange", limit=None, weight=2.0, draw=draw),
        human.pool(data, "nq-oracle-qed", limit=None, weight=1.0, draw=draw),
        human.pool(data, "covidqa-deepset", limit=None, weight=1.0, draw=draw),
        human.pool(data, "policyqa", limit=2000, weight=1.0, draw=draw, same_page_only=True),
        human.pool(data, "medquad", limit=1500, weight=1.0, draw=draw),
        human.pool(data, "tldr", limit=1500, weight=1.0, draw=draw),
        human.pool(data, "perlfaq", limit=None, weight=0.0, draw=draw, use="held"),
        human.pool(data, "stackoverflow-cli", limit=None, weight=0.0, draw=draw, use="held"),
        trees.tree(corpora, "kubernetes", limit=14000, draw=draw),
        trees.tree(corpora, "rust-book", limit=2000, draw=draw),
        trees.tree(corpora, "fastapi", limit=600, draw=draw, use="held"),
        trees.ray(data, draw=draw),
        trees.scifact(data, draw=draw),
    ]


if __name__ == "__main__":
    main()
