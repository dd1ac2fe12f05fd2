"""How good the ranking is, stage by stage, with and without vectors, against plain fusion.

    python -m bench.ranking --shared SHARED [--work FOLDER] [--write]

SHARED holds `data` and `corpora`; see `bench.subsets` for the sets and how they are cut. Indexes
are kept in FOLDER, so that a second run embeds nothing.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp
from typing import NamedTuple

from bench.page import line, share, write_section
from bench.subsets import SETS, Cut, write_subset

from tether.app.commands.evaluate import indexed
from tether.retrieval.dense.embedder import MiniLm
from tether.retrieval.evaluation.dataset import load_questions
from tether.retrieval.evaluation.stages import StageResult, evaluate, stages
from tether.retrieval.measures import paired_bootstrap
from tether.retrieval.search.retriever import Retriever

FIRST = ("words", "grams", "dense", "fusion", "fusion + boost", "mix")
BARE = ("fusion", "fusion + boost", "mix")
WITHOUT = ", no vectors"
MEASURES = ("ndcg@10", "hit@1")


class Measured(NamedTuple):
    """One side of a set: its size, and the results of every stage by its name."""

    name: str
    pages: int
    passages: int
    results: dict[str, StageResult]


def main() -> None:
    """Measure, print, and write the page."""
    options = _options()
    found = [one for cut in SETS for one in _measured(cut, options)]
    text = "\n\n".join([_stages(found), _differences(found), _sizes(found)])
    print(text)
    if options.write:
        write_section("ranking", text)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.ranking", description=__doc__)
    parser.add_argument("--shared", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path(mkdtemp()))
    parser.add_argument("--write", action="store_true", help="write docs/measurements.md")
    return parser.parse_args()


def _measured(cut: Cut, options: argparse.Namespace) -> list[Measured]:
    data = write_subset(cut, options.shared, options.work / "data")
    index = indexed(data, options.work / "index" / cut.name)
    with index.snapshot() as snapshot:
        retriever = Retriever(index=snapshot, embedder=MiniLm())
        pages = len(snapshot.document_keys())
        return [
            Measured(_name(cut, side), pages, snapshot.size, _results(retriever, data, side))
            for side in cut.sides
        ]


def _name(cut: Cut, side: str) -> str:
    return f"{cut.name} ({side or 'report'})"


def _results(retriever: Retriever, data: Path, side: str) -> dict[str, StageResult]:
    asked = load_questions(data, side=side)
    whole = evaluate(stages(retriever), asked, progress=_unheard)
    bare = stages(replace(retriever, embedder=None))
    kept = evaluate([one for one in bare if one.name in BARE], asked, progress=_unheard)
    return {one.stage: one for one in whole} | {f"{one.stage}{WITHOUT}": one for one in kept}


def _unheard(done: int, total: int) -> None:
    """Progress that nobody watches."""


def _stages(found: Sequence[Measured]) -> str:
    """Return one row for each stage, nDCG@10 and hit@1 of each side in one cell."""
    lines = [line(["stage", *(one.name for one in found)]), line(["---"] * (len(found) + 1))]
    for stage in (*FIRST, *(f"{name}{WITHOUT}" for name in BARE)):
        cells = [" / ".join(_shares(one.results[stage])) for one in found]
        lines.append(line([stage, *cells]))
    return "\n".join(lines)


def _shares(result: StageResult) -> list[str]:
    return [share(result.measures[name]) for name in MEASURES]


def _differences(found: Sequence[Measured]) -> str:
    """Return the paired differences of the mix to plain fusion and to the best lane."""
    heads = ["side", "mix - fusion", "mix - best lane", "the same without vectors", ""]
    lines = [line(heads), line(["---"] * len(heads))]
    for one in found:
        cells = [
            cell
            for ending, lanes in (("", FIRST[:3]), (WITHOUT, FIRST[:2]))
            for other in (f"fusion{ending}", _best(one, lanes))
            for cell in [_difference(one, f"mix{ending}", other)]
        ]
        lines.append(line([one.name, *cells]))
    return "\n".join(lines)


def _best(one: Measured, lanes: Sequence[str]) -> str:
    return max(lanes, key=lambda lane: one.results[lane].measures["ndcg@10"])


def _difference(one: Measured, stage: str, other: str) -> str:
    ours, theirs = (one.results[name].by_question["ndcg@10"] for name in (stage, other))
    found = paired_bootstrap(ours, theirs)
    against = "" if other.startswith("fusion") else f" ({other})"
    return f"{found.value:+.3f} [{found.low:+.3f}, {found.high:+.3f}]{against}"


def _sizes(found: Sequence[Measured]) -> str:
    sizes = [
        f"{one.name}: {one.results['mix'].questions} questions, {one.pages} pages,"
        f" {one.passages} passages"
        for one in found
    ]
    return "; ".join(sizes) + "."


if __name__ == "__main__":
    main()
