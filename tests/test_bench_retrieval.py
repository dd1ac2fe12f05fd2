"""The benchmark of retrieval runs from end to end and produces every figure that it promises."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
PLACES = ("given", "large")
LANES = ("words lane", "grams lane", "dense lane")
ASKED = (*LANES, "question embedding", "pipeline", "pipeline without model", "pipeline with judge")
OTHERS = {"tantivy": "tantivy", "bm25s": "bm25s", "SQLite FTS5": "sqlite3"}
PEERS = [name for name, module in OTHERS.items() if find_spec(module)]
TOPICS = ("harbours", "orchards", "railways", "lighthouses", "windmills", "aqueducts")

Run = tuple[list[dict[str, Any]], str]

pytestmark = pytest.mark.unmeasured


def _page(topic: str) -> str:
    sections = [
        f"## Building {topic}, part {part}\n\n"
        + " ".join(
            f"Workers measure {topic} with tool {part} and note result {at}." for at in "abc"
        )
        for part in range(1, 4)
    ]
    return "\n\n".join([f"# All about {topic}", *sections]) + "\n"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """One small run, with the figures it wrote and the lines it printed."""
    folder = tmp_path_factory.mktemp("bench")
    pages, results = folder / "pages", folder / "results.json"
    pages.mkdir()
    for topic in TOPICS:
        (pages / f"{topic}.md").write_text(_page(topic))
    kept = {"name": "import", "value": 1, "unit": "ms CPU", "baseline": None, "ratio": None}
    replaced = {**kept, "name": "open, large", "value": -1}
    results.write_text(json.dumps([kept, replaced]))
    options = ["--size", "30", "--questions", "2", "--rounds", "1", "--sample", "4", "--million"]
    command = [sys.executable, "-m", "bench.retrieval", "--corpus", str(pages), *options]
    command += ["--work", str(folder / "work"), "--results", str(results)]
    alone = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True, env=alone)
    return json.loads(results.read_text()), done.stdout


def _promised() -> Iterator[str]:
    yield from ("embedding, real model", "index with embeddings")
    for place in PLACES:
        yield from (f"{what}, {place}" for what in ("documents", "chunks", "index", "open", "disk"))
        yield from (f"{what}, {place}" for what in ("unchanged run", "one changed page"))
        yield from (f"index {of}, {place}" for of in ("of chunks", "of bytes", "CPU"))
        yield from (f"disk of {part}, {place}" for part in ("texts", "words", "grams", "vectors"))
        yield from (f"peak memory, {kind}, {place}" for kind in ("lexical", "whole"))
        yield f"index peak memory, {place}"
        yield from (f"{lane} {what}, {place}" for lane in ASKED for what in ("p50", "p95"))
        yield from (f"words lane p50, {place} [{peer}]" for peer in PEERS)
        yield from (f"words lane p95, {place} [{peer}]" for peer in PEERS)
        yield from (f"same among first ten as {peer}, {place}" for peer in PEERS)
    for step in ("tenth to large", "large to ten times"):
        yield from (f"growth of query, {lane}, {step}" for lane in LANES)
        yield from (f"growth of build, {lane}, {step}" for lane in LANES[:2])


def test_every_promised_figure_is_there_once(run: Run) -> None:
    names = [figure["name"] for figure in run[0]]
    assert set(_promised()) <= set(names)
    assert len(names) == len(set(names))


def test_every_value_is_a_finite_number(run: Run) -> None:
    for figure in run[0]:
        assert math.isfinite(figure["value"]), figure
        assert figure["value"] >= 0, figure
        if figure["baseline"] is not None:
            assert figure["ratio"] == pytest.approx(figure["value"] / figure["baseline"])


def test_the_lanes_stand_beside_tantivy_of_the_same_run(
    run: Run,
) -> None:
    figures = {figure["name"]: figure for figure in run[0]}
    for place in PLACES:
        peer = figures.get(f"words lane p50, {place} [tantivy]")
        for lane in ("words lane", "grams lane"):
            beside = figures[f"{lane} p50, {place}"]["baseline"]
            assert beside == (peer["value"] if peer else None)


def test_an_unchanged_tree_embeds_nothing_and_the_large_corpus_is_larger(
    run: Run,
) -> None:
    values = {figure["name"]: figure["value"] for figure in run[0]}
    for place in PLACES:
        assert values[f"texts embedded by unchanged runs, {place}"] == 0
    assert values["documents, given"] == len(TOPICS)
    assert 15 <= values["chunks, large"] <= 45
    assert values["documents, large"] % len(TOPICS) == 0


def test_earlier_figures_stay_and_those_of_the_same_name_are_replaced(
    run: Run,
) -> None:
    values = {figure["name"]: figure["value"] for figure in run[0]}
    assert values["import"] == 1
    assert values["open, large"] > 0


def test_the_table_says_whether_the_aims_are_met(run: Run) -> None:
    lines = run[1].splitlines()
    for aimed in ("open, large", "pipeline p95, large", "unchanged run, large"):
        line = next(line for line in lines if line.startswith(f"{aimed} "))
        assert "met: " in line or "missed: " in line
