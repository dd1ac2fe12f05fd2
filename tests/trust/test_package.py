"""The names of the package are those of its modules; loading it loads nothing heavy."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PLAIN = {key: value for key, value in os.environ.items() if not key.startswith("COV")}
HEAVY = ("asyncio", "pydantic", "httpx2", "xllamacpp", "opentelemetry")


EVERYTHING = """
import importlib, pkgutil
import tether.trust as face
def load():
    names = [f"tether.trust.{module.name}" for module in pkgutil.iter_modules(face.__path__)]
    return [importlib.import_module(name) for name in names]
def check():
    values = {name: getattr(face, name) for name in face.__all__}
    for module in load():
        for name in values.keys() & vars(module).keys():
            assert values[name] is getattr(module, name), name
"""


@pytest.mark.parametrize("order", ["load(); check()", "check(); load(); check()"])
def test_each_name_is_the_object_of_its_home_in_whatever_order_things_load(order: str) -> None:
    subprocess.run([sys.executable, "-c", EVERYTHING + order], check=True, env=PLAIN)


def test_asking_for_the_package_loads_nothing_heavy() -> None:
    code = "import sys, tether.trust; print(*sys.modules)"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=PLAIN)
    assert not set(HEAVY) & set(done.stdout.split())
