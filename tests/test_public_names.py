"""`__all__` is the public face, and it is honest."""

from __future__ import annotations

import ast
import importlib
import importlib.metadata
import inspect
import os
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


def test_everything_that_is_there_is_listed() -> None:
    face = tether.batteries.testing
    public = {
        name
        for name, value in vars(face).items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    }
    assert public == set(face.__all__)


def imports_for_checkers() -> dict[str, tuple[str, ...]]:
    """Return what type checkers are told that the package imports, by module."""
    tree = ast.parse(inspect.getsource(tether))
    (block,) = (node for node in tree.body if ast.unparse(node).startswith("if TYPE_CHECKING"))
    return {
        node.module or "": tuple(alias.name for alias in node.names)
        for node in ast.walk(block)
        if isinstance(node, ast.ImportFrom)
    }


def test_a_name_is_listed_told_to_checkers_and_loaded_from_the_same_place() -> None:
    homes = tether._HOMES  # pyright: ignore[reportPrivateUsage]
    assert imports_for_checkers() == homes
    names = [name for home in homes.values() for name in home]
    assert sorted(names) == sorted(set(tether.__all__) - {"__version__"})


def test_a_name_that_is_not_there_is_an_attribute_error_and_dir_lists_the_others() -> None:
    with pytest.raises(AttributeError, match="no attribute 'TurnRuner'"):
        _ = tether.TurnRuner  # type: ignore[attr-defined]  # pyright: ignore
    assert set(tether.__all__) <= set(dir(tether))


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


@pytest.mark.parametrize("load", ["import tether", "from tether import *"])
def test_importing_loads_no_third_party_package_and_few_modules(load: str) -> None:
    program = (
        f"import sys; before = set(sys.modules)\n{load}\n"
        "new = {name.split('.')[0] for name in set(sys.modules) - before}\n"
        "print(len(sys.modules)); print(sorted(new - sys.stdlib_module_names - {'tether'}))"
    )
    untraced = {key: value for key, value in os.environ.items() if "COVERAGE" not in key}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=untraced
    )
    modules, foreign = done.stdout.splitlines()
    assert int(modules) < 250
    assert foreign == "[]"


def test_the_version_is_the_one_of_the_distribution() -> None:
    assert tether.__version__ == importlib.metadata.version("tether")


def test_the_values_of_core_do_not_load_asyncio() -> None:
    program = "import sys; from tether import Message, Registry; print('asyncio' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
