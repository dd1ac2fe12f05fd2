"""Whatever a parsing tool is fed: an answer or a typed refusal, four thousand times each.

With EXPLORE=deep it is twenty thousand times.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.fuzz import SUBJECTS

pytestmark = pytest.mark.unmeasured

FUZZ = Path(__file__).resolve().parents[2] / "support" / "fuzz.py"
DEEP = os.environ.get("EXPLORE") == "deep"
PARSING = 20_000 if DEEP else 4_000
OTHERS = 4_000 if DEEP else 800
"""For artifacts, and tools that look up one name in a list: they do not parse."""

NO_PARSING_TOOLS = ("convert_time, zone", "convert_unit", "csv artifact", "markdown artifact")


def count(subject: str) -> int:
    return OTHERS if subject in NO_PARSING_TOOLS else PARSING


def feed(subject: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(FUZZ), subject, str(count(subject))]
    untraced = {key: value for key, value in os.environ.items() if "COVERAGE" not in key}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=untraced)


@pytest.mark.parametrize("subject", SUBJECTS)
def test_nothing_but_answers_and_typed_refusals(subject: str) -> None:
    done = feed(subject)
    assert done.returncode == 0, done.stderr[-2_000:]
    fared = json.loads(done.stdout)
    assert fared["answered"] + fared["refused"] == count(subject)
    assert fared["answered"] > count(subject) / 250  # the inputs reach past the first check
