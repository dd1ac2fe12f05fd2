"""Turns results of `tether eval truth --json` into the table of docs/measurements.md.

    python -m bench.truth --write "report side=a.json" "held out=b.json"

Each file is one run, and a column. The first column is the gate before it had a verifier: it was
measured once, by commit b2fbfda, on manuals that are in none of the files.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from bench.page import line, share, write_section

from tether.ask.evaluation.truth import (
    FALSE_EXACT,
    FALSE_QUOTED,
    FALSE_SHOWN,
    TRUE_KEPT,
    TRUE_QUOTED,
)
from tether.retrieval.measures import wilson

BEFORE = "before, other manuals"
BEFORE_COUNTS = {TRUE_KEPT: (49, 95), FALSE_SHOWN: (85, 206), FALSE_EXACT: (11, 35)}
BEFORE_KINDS = {
    "role": (12, 19),
    "scope": (10, 15),
    "quantifier": (9, 15),
    "cause": (7, 10),
    "comparator": (6, 10),
    "condition": (8, 15),
    "entity": (11, 21),
    "antonym": (7, 17),
    "extra": (4, 14),
    "number": (2, 11),
    "negation": (3, 14),
    "time": (3, 12),
    "modality": (2, 11),
    "near": (1, 11),
    "yesno": (0, 11),
}
COSTS = {
    "review_ms": "CPU ms of the review",
    "verifier_ms": "CPU ms of the verifier",
    "claims": "pairs that the verifier reads",
}

Run = dict[str, str]


def main() -> None:
    """Print the table, and write the page where it is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="+", metavar="NAME=FILE")
    parser.add_argument("--write", action="store_true", help="write docs/measurements.md")
    options = parser.parse_args()
    runs = {BEFORE: before()}
    for run in options.runs:
        name, _, path = run.rpartition("=")
        runs[name] = cells(json.loads(Path(path).read_text(encoding="utf-8")))
    text = table(runs)
    print(text)
    if options.write:
        write_section("truth", text)


def table(runs: dict[str, Run]) -> str:
    """Return a row for each count, and a column for each run; "-" where a run has none."""
    counts = [TRUE_KEPT, TRUE_QUOTED, FALSE_SHOWN, FALSE_EXACT, FALSE_QUOTED]
    kinds = dict.fromkeys(name for run in runs.values() for name in run)
    rows = [*counts, *(name for name in kinds if name.startswith(_kind(""))), *COSTS.values()]
    rows = list(dict.fromkeys(rows))
    lines = [line(["statements", *runs]), line(["---"] * (len(runs) + 1))]
    lines += [line([name, *(run.get(name, "-") for run in runs.values())]) for name in rows]
    return "\n".join(lines)


def before() -> Run:
    """Return the figures of the gate before."""
    counted = BEFORE_COUNTS | {_kind(name): counts for name, counts in BEFORE_KINDS.items()}
    return {name: _cell(*counts) for name, counts in counted.items()}


def cells(found: dict[str, Any]) -> Run:
    """Return the figures of one run, by name."""
    run = {one["name"]: _cell(one["count"], one["total"]) for one in found["tallies"]}
    run |= {_kind(one["name"]): _cell(one["count"], one["total"]) for one in found["kinds"]}
    return run | {title: f"{found['cost'][name]:.1f}" for name, title in COSTS.items()}


def _kind(name: str) -> str:
    return f"{FALSE_SHOWN}, {name}"


def _cell(count: int, total: int) -> str:
    interval = wilson(count, total)
    between = f"{share(interval.low)} to {share(interval.high)}"
    return f"{count} of {total}: {share(interval.value)} ({between})"


if __name__ == "__main__":
    main()
