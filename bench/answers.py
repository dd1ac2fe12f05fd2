"""Turns results of `tether eval answers --json` into the table of docs/measurements.md.

    python -m bench.answers --write "larkspur, quotation=a.json" "larkspur, 1.5B alone=b.json"

Each file is one run. What should have been answered and what should have been refused are counted
apart: a model that refuses everything, or nothing, looks half right otherwise.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from statistics import median
from typing import Any

from bench.page import line, write_section

HEADER = (
    "run",
    "right answers",
    "partly",
    "right in words",
    "yes or no right",
    "right refusals",
    "wrong",
    "links to unread pages",
    "quotes not found",
    "with a citation",
    "retries",
    "seconds",
    "CPU seconds",
    "tokens",
)

Row = dict[str, Any]


def main() -> None:
    """Print the table, and write the page where it is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="+", metavar="NAME=FILE")
    parser.add_argument("--write", action="store_true", help="write docs/measurements.md")
    options = parser.parse_args()
    rows = [HEADER, ("---",) * len(HEADER)]
    for run in options.runs:
        name, _, path = run.rpartition("=")
        results = json.loads(Path(path).read_text(encoding="utf-8"))["results"]
        rows.append((name, *cells(results)))
    table = "\n".join(map(line, rows))
    print(table)
    if options.write:
        write_section("answers", table)


def cells(results: list[Row]) -> tuple[str, ...]:
    """Return the figures of one run."""
    wanted = [row for row in results if row["expect"] == "answered"]
    unwanted = [row for row in results if row["expect"] == "abstained"]
    answered = [row for row in results if row["verdict"] == "answered"]
    grades = [row["grade"] for row in results]
    yes_no = [grade["yes_no"] for grade in grades if grade["yes_no"] is not None]
    asked = [row for row in results if row["attempts"]]
    tokens = [row["prompt_tokens"] + row["answer_tokens"] for row in asked]
    return (
        _of(sum(row["right"] for row in wanted), len(wanted)),
        _of(sum(row["partly"] for row in wanted), len(wanted)),
        _of(sum(_says_it(row) for row in wanted), len(wanted)),
        _of(sum(yes_no), len(yes_no)),
        _of(sum(row["verdict"] == "abstained" for row in unwanted), len(unwanted)),
        _of(sum(row["wrong"] for row in results), len(results)),
        str(sum(not grade["links"] for grade in grades)),
        str(sum(not grade["quotes"] for grade in grades)),
        _of(sum(bool(row["grade"]["cited"]) for row in answered), len(answered)),
        str(sum(max(row["attempts"] - 1, 0) for row in results)),
        f"{median(row['milliseconds'] for row in asked) / 1000:.1f}" if asked else "-",
        f"{median(row['cpu_ms'] for row in asked) / 1000:.1f}" if asked else "-",
        f"{median(tokens):.0f}" if tokens else "0",
    )


def _says_it(row: Row) -> bool:
    """Say whether an answer was given and says what it should, whatever it cites."""
    grade = row["grade"]
    return bool(grade["verdict"]) and False not in (grade["says"], grade["yes_no"])


def _of(count: int, total: int) -> str:
    return f"{count} of {total}" if total else "-"


if __name__ == "__main__":
    main()
