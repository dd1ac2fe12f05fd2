"""`__all__` is the public face, and it is honest."""

from __future__ import annotations

import ast
import importlib
import importlib.metadata
import inspect
import os
import pkgutil
import re
import subprocess
import sys
from types import ModuleType

import pytest

import tether
import tether.ask
import tether.batteries.artifacts
import tether.batteries.budget
import tether.batteries.models
import tether.batteries.storage
import tether.batteries.testing
import tether.batteries.tools
import tether.errors
import tether.retrieval
import tether.trust
from tether import errors

LATE = [
    tether,
    tether.ask,
    tether.batteries.artifacts,
    tether.batteries.budget,
    tether.batteries.models,
    tether.batteries.storage,
    tether.batteries.testing,
    tether.batteries.tools,
    tether.retrieval,
    tether.trust,
]
"""The packages whose names are loaded when they are first used."""

FACES = [*LATE, tether.errors]


def of_every(faces: list[ModuleType]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("face", faces, ids=lambda face: face.__name__)


def test_these_are_the_packages_that_load_names_late() -> None:
    late = set[str]()
    for info in pkgutil.walk_packages(tether.__path__, "tether."):
        module = importlib.import_module(info.name)
        if "__getattr__" in vars(module):
            late.add(info.name)
    assert late == {face.__name__ for face in LATE} - {"tether"} | {"tether.errors"}


@of_every(FACES)
def test_every_listed_name_exists_once(face: ModuleType) -> None:
    assert len(face.__all__) == len(set(face.__all__))
    for name in face.__all__:
        assert hasattr(face, name), name


def imports_for_checkers(face: ModuleType) -> list[tuple[str, str]]:
    """Return the public names that type checkers see a package import, with their modules."""
    tree = ast.parse(inspect.getsource(face))
    block = next(node for node in tree.body if ast.unparse(node).startswith("if TYPE_CHECKING"))
    assert isinstance(block, ast.If)
    return [
        (node.module or "", alias.name)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname == alias.name
    ]


@of_every(LATE)
def test_a_name_is_listed_shown_to_checkers_and_loaded_from_the_same_place(
    face: ModuleType,
) -> None:
    shown = imports_for_checkers(face)
    defined = {"__version__", "TOOLS", "toolbox"} & set(vars(face))
    assert sorted(name for _, name in shown) == sorted(set(face.__all__) - defined)
    source = inspect.getsource(face)
    for home, name in shown:
        assert getattr(face, name) is getattr(importlib.import_module(home), name)
        assert face is tether.batteries.tools or f"{home}:" in source


@of_every([*LATE, tether.errors])
def test_a_name_that_is_not_there_is_an_attribute_error_and_dir_lists_the_others(
    face: ModuleType,
) -> None:
    with pytest.raises(AttributeError, match=f"module '{face.__name__}' has no attribute 'Nthing'"):
        _ = face.Nthing
    assert set(face.__all__) <= set(dir(face))


@of_every(LATE)
def test_no_module_has_the_name_of_something_in_its_package(face: ModuleType) -> None:
    modules = {module.name for module in pkgutil.iter_modules(face.__path__)}
    assert not modules & set(face.__all__)


@of_every(LATE)
def test_every_public_class_and_function_says_what_it_is_for(face: ModuleType) -> None:
    for name in face.__all__:
        value = getattr(face, name)
        if isinstance(value, type) or inspect.isroutine(value):
            assert (value.__doc__ or "").strip(), name


def test_the_tree_of_errors_is_that_of_the_modules_that_checkers_see() -> None:
    homes = re.findall(r"from (tether\S+) import \*", inspect.getsource(errors))
    defined = {
        name
        for home in homes
        for name, value in vars(importlib.import_module(home)).items()
        if isinstance(value, type) and value.__module__ == home
    }
    assert defined == set(errors.__all__)


def test_every_error_can_be_imported_from_one_module() -> None:
    raised = {getattr(errors, name) for name in errors.__all__}
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
    assert tether.__version__ == importlib.metadata.version("tether-kit")


def test_the_values_of_core_do_not_load_asyncio() -> None:
    program = "import sys; from tether import Message, Registry; print('asyncio' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
