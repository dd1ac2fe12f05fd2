"""The names of the package, which load when they are used."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import tether.trust as face

HEAVY = ("asyncio", "pydantic", "httpx2", "xllamacpp", "opentelemetry")


def test_the_names_are_there_and_no_others() -> None:
    for name in face.__all__:
        assert getattr(face, name) is not None
        assert name in dir(face)
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = face.Nothing  # type: ignore[attr-defined]


def test_asking_for_the_package_loads_nothing_heavy() -> None:
    code = "import sys, tether.trust; print(*sys.modules)"
    plain = {key: value for key, value in os.environ.items() if not key.startswith("COV")}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=plain)
    assert not set(HEAVY) & set(done.stdout.split())
