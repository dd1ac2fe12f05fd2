# pyright: reportMissingImports=false
# mypy: disable-error-code="import-not-found"
"""Compares runs on the same quotes.

PYTHONPATH=tools python3 -m verifier.trials "NAME=scores-a.json" "NAME=scores-b.json"
"""

import argparse
from functools import partial
from pathlib import Path

import numpy as np

from verifier import scores as stored
from verifier.scores import Scores, interval, kept_at, told_apart

FALSE = 0.06


def main() -> None:
    """Print a row for each file, over the quotes that all of them have."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="+", metavar="NAME=FILE")
    named = [one.rpartition("=") for one in parser.parse_args().runs]
    runs = {name: stored.read(Path(file)) for name, _, file in named}
    shared = set.intersection(*(set(run.quotes) for run in runs.values()))
    print(f"{len(shared):,} quotes")
    print(f"| trial | AUROC | AUROC, role | true kept at {FALSE:.0%} false |\n|---|---|---|---|")
    for name, run in runs.items():
        print(_row(name, run.at(np.isin(run.quotes, sorted(shared)))))


def _row(name: str, run: Scores) -> str:
    figures = (told_apart, partial(told_apart, kind="role"), partial(kept_at, false=FALSE))
    return f"| {name} | {' | '.join(interval(run, figure) for figure in figures)} |"


if __name__ == "__main__":
    main()
