"""The names of the package, which load when they are used."""

from __future__ import annotations

import os
import pkgutil
import subprocess
import sys

import pytest

import tether.trust as face

PLAIN = {key: value for key, value in os.environ.items() if not key.startswith("COV")}
HEAVY = ("asyncio", "pydantic", "httpx2", "xllamacpp", "opentelemetry")


def test_the_names_are_there_and_no_others() -> None:
    for name in face.__all__:
        assert getattr(face, name) is not None
        assert name in dir(face)
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = face.Nothing  # type: ignore[attr-defined]


EVERYTHING = """
import importlib, pkgutil
import tether.trust as face
def load():
    for module in pkgutil.iter_modules(face.__path__):
        importlib.import_module(f"tether.trust.{module.name}")
def check():
    for name in face.__all__:
        home = importlib.import_module(f"tether.trust.{face._HOMES[name]}")
        assert getattr(face, name) is getattr(home, name), name
"""


@pytest.mark.parametrize("order", ["load(); check()", "check(); load(); check()"])
def test_each_name_is_the_object_of_its_home_in_whatever_order_things_load(order: str) -> None:
    subprocess.run([sys.executable, "-c", EVERYTHING + order], check=True, env=PLAIN)


def test_no_module_has_the_name_of_something_in_it() -> None:
    modules = {module.name for module in pkgutil.iter_modules(face.__path__)}
    assert not modules & set(face.__all__)


def test_asking_for_the_package_loads_nothing_heavy() -> None:
    code = "import sys, tether.trust; print(*sys.modules)"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=PLAIN)
    assert not set(HEAVY) & set(done.stdout.split())
