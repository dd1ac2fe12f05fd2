"""What can be said on the command line: what to measure, and how thoroughly."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bench.retrieval.take import LARGE, OWN_CORPUS, Plan

RESULTS = Path(__file__).parents[1] / "results.json"

COUNTS = {
    "questions": "how many are asked (default: 200)",
    "rounds": "in each of which all of them are asked (default: 5)",
    "sample": "passages that the real model embeds (default: 300)",
}

QUICK, SMALL = 2_000, 5_000
"""How many chunks the large corpus has in a quick run, and if it is made from our own docs."""


def parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """Return what the command line says."""
    parser = argparse.ArgumentParser(prog="python -m bench.retrieval", description=__doc__)
    parser.add_argument(
        "--corpus",
        type=Path,
        metavar="PATH",
        help="a folder of Markdown, or an archive of one; this project's docs without it",
    )
    parser.add_argument(
        "--size", type=int, metavar="CHUNKS", help="of the large corpus (default: 100000)"
    )
    parser.add_argument(
        "--million", action="store_true", help="also measure the lanes at ten times the large size"
    )
    parser.add_argument(
        "--work", type=Path, metavar="FOLDER", help="keep the corpora and indexes here"
    )
    for name, help_text in COUNTS.items():
        parser.add_argument(f"--{name}", type=int, metavar="COUNT", help=help_text)
    parser.add_argument("--quick", action="store_true", help="a small corpus and few questions")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the file to add to")
    return parser.parse_args(arguments)


def planned(options: argparse.Namespace, folder: Path) -> Plan:
    """Return what to measure; `folder` is where to work unless the options say otherwise."""
    corpus: Path | None = options.corpus and options.corpus.resolve()
    if corpus is None:
        print(f"retrieval: no corpus was named, so it is measured on {OWN_CORPUS.name}/")
    size = options.size or (SMALL if corpus is None else LARGE)
    work = options.work or folder
    plan = Plan(
        corpus=corpus or OWN_CORPUS, work=work.resolve(), size=size, million=options.million
    )
    if options.quick:
        plan = replace(plan, size=options.size or QUICK, questions=20, rounds=2, sample=40)
    given = {name: getattr(options, name) for name in COUNTS}
    return replace(plan, **{name: count for name, count in given.items() if count})
