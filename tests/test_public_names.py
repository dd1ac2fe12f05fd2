"""`__all__` is the public face, and it is honest."""

from __future__ import annotations

import importlib
import importlib.metadata
import inspect
import pkgutil
import subprocess
import sys
from types import ModuleType

import pytest

import tether
import tether.batteries.testing
from tether.core import errors

FACES = [tether, tether.batteries.testing]


@pytest.mark.parametrize("face", FACES, ids=lambda face: face.__name__)
def test_every_listed_name_exists_once(face: ModuleType) -> None:
    assert len(face.__all__) == len(set(face.__all__))
    for name in face.__all__:
        assert hasattr(face, name), name


@pytest.mark.parametrize("face", FACES, ids=lambda face: face.__name__)
def test_everything_that_is_there_is_listed(face: ModuleType) -> None:
    public = {
        name
        for name, value in vars(face).items()
        if not name.startswith("_") and not isinstance(value, ModuleType) and name != "annotations"
    }
    assert public == set(face.__all__) - {"__version__"}


def test_every_public_class_and_function_says_what_it_is_for() -> None:
    for name in tether.__all__:
        value = getattr(tether, name)
        if isinstance(value, type) or inspect.isroutine(value):
            assert (value.__doc__ or "").strip(), name


def test_every_error_can_be_imported_from_one_module() -> None:
    raised = {
        value
        for value in vars(errors).values()
        if isinstance(value, type) and issubclass(value, errors.TetherError)
    }
    for info in pkgutil.walk_packages(tether.__path__, "tether."):
        module = importlib.import_module(info.name)
        for value in vars(module).values():
            if isinstance(value, type) and issubclass(value, errors.TetherError):
                assert value in raised, f"{info.name}.{value.__name__}"


def test_importing_the_package_loads_no_third_party_package_and_few_modules() -> None:
    program = (
        "import sys; before = set(sys.modules); import tether;"
        "new = {name.split('.')[0] for name in set(sys.modules) - before};"
        "print(len(sys.modules)); print(sorted(new - sys.stdlib_module_names - {'tether'}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    modules, foreign = done.stdout.splitlines()
    assert int(modules) < 250
    assert foreign == "[]"


def test_the_version_is_the_one_of_the_distribution() -> None:
    assert tether.__version__ == importlib.metadata.version("tether")
