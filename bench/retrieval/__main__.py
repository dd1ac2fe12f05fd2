"""Measure retrieval, print a table and put the figures into `bench/results.json`.

`python -m bench.retrieval --corpus PATH`; see `bench/README.md`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from bench import report
from bench.figures import Figure
from bench.retrieval.options import parsed, planned
from bench.retrieval.take import take


def main() -> None:
    """Report; a missed aim is not a failure, since machines differ and are noisy."""
    options = parsed(sys.argv[1:])
    with TemporaryDirectory() as folder:
        plan = planned(options, Path(folder))
        found: list[Figure] = []
        for some in take(plan):
            found += some
            merge(found, options.results)  # kept, should the rest fail
    print(f"Best of {plan.rounds} rounds, {plan.questions} questions; {report.machine()}")
    print(report.table(found))


def merge(found: list[Figure], file: Path) -> None:
    """Write figures to the file in place of those of the same names; the others stay."""
    names = {figure["name"] for figure in found}
    before: list[Figure] = json.loads(file.read_text()) if file.exists() else []
    kept = [figure for figure in before if figure["name"] not in names]
    file.write_text(json.dumps([*kept, *found], indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
