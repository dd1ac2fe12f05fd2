"""The names of the package, which load when they are used."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys

import pytest

import tether.retrieval as face

PLAIN = {key: value for key, value in os.environ.items() if not key.startswith("COV")}
HEAVY = ("asyncio", "numpy", "onnxruntime", "docutils", "selectolax", "markdown_it", "pydantic")


def test_the_names_are_those_of_their_homes_and_there_are_no_others() -> None:
    homes = face._HOMES  # pyright: ignore[reportPrivateUsage]
    assert sorted(homes) == sorted(face.__all__)
    for name, home in homes.items():
        module = importlib.import_module(f"tether.retrieval.{home}")
        assert getattr(face, name) is getattr(module, name)
        assert name in dir(face)
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = face.Nothing  # type: ignore[attr-defined]


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
