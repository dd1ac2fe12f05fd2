"""From samples to figures, and what each of them aims at."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

from bench import measure, startup
from bench.cases import Case

THROUGHPUT = "concurrent tool turns"
EMPTY, IMPORT, EVERYTHING = "pass", "import tether", "from tether import *"


class Figure(TypedDict):
    """One line of `results.json`. `ratio` is how many times the floor's cost: lower is better."""

    name: str
    value: float
    unit: str
    baseline: float | None
    ratio: float | None


class Aim(NamedTuple):
    """What a figure should reach."""

    text: str
    reached: Callable[[Figure], bool]


AIMS = {
    "tool turn": Aim("<= 4.5 times the floor", lambda figure: (figure["ratio"] or 0) <= 4.5),
    "streamed chunk": Aim("<= 5 µs", lambda figure: figure["value"] <= 5),
    THROUGHPUT: Aim(">= 12000 turns/CPU-s", lambda figure: figure["value"] >= 12_000),
    "import": Aim("< 100 ms", lambda figure: figure["value"] < 100),
    "modules, all names": Aim("< 250", lambda figure: figure["value"] < 250),
    "packages installed": Aim("<= 6", lambda figure: figure["value"] <= 6),
    **{
        f"{lane} lane p50, large": Aim(
            "<= twice tantivy", lambda figure: (figure["ratio"] or 99) <= 2
        )
        for lane in ("words", "grams")
    },
    **{
        f"unchanged run, {corpus}": Aim(
            "< a tenth of a full run", lambda figure: (figure["ratio"] or 99) < 0.1
        )
        for corpus in ("given", "large")
    },
    "open, large": Aim("< 200 ms", lambda figure: figure["value"] < 200),
    "pipeline p95, large": Aim("< 30 ms", lambda figure: figure["value"] < 30),
    **{
        f"growth of {cost}, {lane} lane, {step}": Aim(
            "no faster than the corpus", lambda figure: (figure["ratio"] or 99) <= 1
        )
        for cost in ("query", "build")
        for lane in ("words", "grams", "dense")
        for step in ("tenth to large", "large to ten times")
    },
}


def take(cases: Sequence[Case], rounds: int, seconds: float) -> list[Figure]:
    """Measure all cases, their floors and the import in the same rounds."""
    startup.child_cpu_seconds(EVERYTHING)  # compiles what is not compiled yet
    with asyncio.Runner() as runner:
        samples: dict[str, measure.Sample] = {
            EMPTY: lambda: startup.child_cpu_seconds(EMPTY),
            IMPORT: lambda: startup.child_cpu_seconds(IMPORT),
            EVERYTHING: lambda: startup.child_cpu_seconds(EVERYTHING),
        }
        for case in cases:
            name, units = case.name, case.units
            samples[name] = measure.repeated(runner, case.tether, units, seconds)
            samples[f"floor: {name}"] = measure.repeated(runner, case.floor, units, seconds)
        taken = measure.best(samples, rounds)
    turns = [_figure(case.name, taken[case.name], taken[f"floor: {case.name}"]) for case in cases]
    return [*turns, *_startup(taken)]


def of_peer(file: Path, own: Sequence[Figure]) -> list[Figure]:
    """Read a peer's figures and set them beside the floor of the same case, taken here."""
    peer: dict[str, Any] = json.loads(file.read_text())
    known = {figure["name"]: figure for figure in own}
    found: list[Figure] = []
    for name, value in peer["figures"].items():
        mine = known[name]
        baseline = mine["baseline"]
        ratio = value / baseline if baseline else None
        label = f"{name} [{peer['peer']}]"
        found.append(
            Figure(name=label, value=value, unit=mine["unit"], baseline=baseline, ratio=ratio)
        )
    return found


def _figure(name: str, seconds: float, floor: float) -> Figure:
    ratio = seconds / floor
    if name == THROUGHPUT:
        return Figure(
            name=name, value=1 / seconds, unit="turns/CPU-s", baseline=1 / floor, ratio=ratio
        )
    return Figure(name=name, value=seconds * 1e6, unit="µs CPU", baseline=floor * 1e6, ratio=ratio)


def _startup(taken: dict[str, float]) -> list[Figure]:
    values = [
        ("import", (taken[IMPORT] - taken[EMPTY]) * 1e3, "ms CPU"),
        ("import, all names", (taken[EVERYTHING] - taken[EMPTY]) * 1e3, "ms CPU"),
        ("modules", startup.modules_after(IMPORT), "modules"),
        ("modules, all names", startup.modules_after(EVERYTHING), "modules"),
        ("packages installed", len(startup.packages_behind("tether")), "packages"),
    ]
    return [
        Figure(name=name, value=value, unit=unit, baseline=None, ratio=None)
        for name, value, unit in values
    ]
