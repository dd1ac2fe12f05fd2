"""The table of true and false statements has a column for each run, and one for the gate before."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.unmeasured


def tally(name: str, count: int, total: int) -> dict[str, Any]:
    return {"name": name, "count": count, "total": total}


def test_every_run_is_a_column_beside_the_gate_before(tmp_path: Path) -> None:
    run = {
        "tallies": [tally("true kept", 3, 4), tally("false shown", 1, 50)],
        "kinds": [tally("role", 1, 10), tally("weather", 0, 40)],
        "cost": {"review_ms": 9.04, "verifier_ms": 31.0, "claims": 4.5},
    }
    path = tmp_path / "run.json"
    path.write_text(json.dumps(run))
    page = (ROOT / "docs" / "measurements.md").read_text()
    alone = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
    command = [sys.executable, "-m", "bench.truth", f"one={path}", f"a=b={path}"]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True, env=alone)
    lines = [line.strip("| ").split(" | ") for line in done.stdout.splitlines()]
    cells = {line[0]: line[1:] for line in lines}
    assert cells["statements"] == ["before, other manuals", "one", "a=b"]
    assert cells["true kept"][0].startswith("49 of 95: .516 (.4")
    assert cells["true kept"][1:] == ["3 of 4: .750 (.301 to .954)"] * 2
    assert cells["false shown"][0].startswith("85 of 206")
    assert cells["false shown, role"][1].startswith("1 of 10: .100")
    assert cells["false shown, weather"] == ["-", *["0 of 40: .000 (.000 to .088)"] * 2]
    assert cells["CPU ms of the review"] == ["-", "9.0", "9.0"]
    assert (ROOT / "docs" / "measurements.md").read_text() == page
    marks = ("<!-- truth: begin -->", "<!-- truth: end -->")
    assert all(page.count(mark) == 1 for mark in marks)
