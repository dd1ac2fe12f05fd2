"""Running a part of the benchmark in a process of its own, which answers with JSON."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]


class Answer(NamedTuple):
    """What the process said, and how many seconds it lived."""

    said: dict[str, Any]
    wall: float


def ask_child(module: str, *arguments: str, given: str = "") -> Answer:
    """Run a module of this package to its end; what it prints last is its answer."""
    command = [sys.executable, "-m", f"bench.retrieval.{module}", *arguments]
    started = time.perf_counter()
    done = subprocess.run(
        command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True, input=given
    )
    taken = time.perf_counter() - started
    return Answer(json.loads(done.stdout.splitlines()[-1]), taken)
