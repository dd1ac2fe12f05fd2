"""Loading the package does not load the heavy parts."""

from __future__ import annotations

import os
import subprocess
import sys

HEAVY = ("asyncio", "pydantic", "httpx2", "xllamacpp", "opentelemetry")


def test_asking_for_the_package_loads_nothing_heavy() -> None:
    code = "import sys, tether.batteries.models; print(*sys.modules)"
    plain = {key: value for key, value in os.environ.items() if not key.startswith("COV")}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=plain)
    assert not set(HEAVY) & set(done.stdout.split())
