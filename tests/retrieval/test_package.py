"""Loading a name of the package does not load the heavy parts."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PLAIN = {key: value for key, value in os.environ.items() if not key.startswith("COV")}
HEAVY = ("asyncio", "numpy", "onnxruntime", "docutils", "selectolax", "markdown_it", "pydantic")


@pytest.mark.parametrize(
    "code",
    [
        "import tether.retrieval",
        "from tether.retrieval import Chunk, Document, Hit, Passage, Query, SourceItem",
    ],
    ids=["package", "values"],
)
def test_values_load_nothing_heavy(code: str) -> None:
    command = [sys.executable, "-c", f"import sys; {code}; print(*sys.modules)"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=PLAIN)
    assert not set(HEAVY) & set(done.stdout.split())
