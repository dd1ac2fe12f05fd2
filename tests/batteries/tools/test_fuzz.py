"""Whatever a parsing tool is fed: an answer or a typed refusal, twenty thousand times each."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from support.fuzz import SUBJECTS

pytestmark = pytest.mark.unmeasured

FUZZ = Path(__file__).resolve().parents[2] / "support" / "fuzz.py"
PARSING = 20_000
OTHERS = 4_000
"""For what is no parsing tool: artifacts, and tools that look one name up in a list."""

NO_PARSING_TOOLS = ("convert_time, zone", "convert_unit", "csv artifact", "markdown artifact")

Runs = dict[str, Future[subprocess.CompletedProcess[str]]]


def count(subject: str) -> int:
    return OTHERS if subject in NO_PARSING_TOOLS else PARSING


def feed(subject: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(FUZZ), subject, str(count(subject))]
    untraced = {key: value for key, value in os.environ.items() if "COVERAGE" not in key}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=untraced)


@pytest.fixture(scope="module")
def runs() -> Runs:
    """Start all subjects, as many at once as there are cores."""
    pool = ThreadPoolExecutor(os.cpu_count())
    started = {subject: pool.submit(feed, subject) for subject in SUBJECTS}
    pool.shutdown(wait=False)
    return started


@pytest.mark.parametrize("subject", SUBJECTS)
def test_nothing_but_answers_and_typed_refusals(subject: str, runs: Runs) -> None:
    done = runs[subject].result()
    assert done.returncode == 0, done.stderr[-2_000:]
    fared = json.loads(done.stdout)
    assert fared["answered"] + fared["refused"] == count(subject)
    assert fared["answered"] > count(subject) / 200  # the inputs reach past the first check
