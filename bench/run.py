"""Measure everything, print a table and write `bench/results.json`: `python -m bench.run`."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

from bench import cases, check, figures, models, report, toolbox

RESULTS = Path(__file__).with_name("results.json")


def main() -> None:
    """Report; a missed aim is not a failure, since machines differ and are noisy."""
    options = _options()
    rounds, seconds = (3, 0.03) if options.quick else (15, 0.1)
    check.same_work()
    found = [*figures.take(cases.all_cases(), rounds, seconds), *toolbox.take(rounds)]
    found += models.take(rounds, seconds)
    peers = [figure for file in options.peers for figure in figures.of_peer(file, found)]
    found += peers
    RESULTS.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n")
    print(f"CPU time, best of {rounds} rounds; {report.machine()}")
    print(report.table(found), flush=True)
    _retrieval(options)


def _retrieval(options: argparse.Namespace) -> None:
    """Measure retrieval in a process of its own, which adds its figures and prints its table."""
    command = [sys.executable, "-m", "bench.retrieval"]
    command += ["--corpus", str(options.corpus)] if options.corpus else []
    command += ["--quick"] if options.quick else []
    subprocess.run(command, check=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.run", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few short rounds")
    parser.add_argument(
        "--corpus", metavar="PATH", type=Path, help="what to measure retrieval on: Markdown"
    )
    parser.add_argument(
        "--peers",
        action="append",
        default=[],
        metavar="FILE.json",
        type=Path,
        help="figures of a peer, as bench/peers/<peer>.py prints them; repeatable",
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
