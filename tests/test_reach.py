"""Nothing in the package is out of reach: a command imports it, or a program of the documentation.

An import counts wherever it is, except for type checkers. So does the name of a module in a text,
as in the table of commands, and a public name that is loaded late counts as its own module.
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterable, Iterator
from itertools import accumulate
from pathlib import Path

from test_architecture import NAMES, ROOT, module_name, trees
from test_docs import PAGES_WITH_CODE, programs, read_page
from tether.app.cli import COMMANDS
from tether.batteries.tools import COMPUTING

LOADS_BY_NAME = {("tether.batteries.tools", "toolbox")}
"""Functions that load any public name of their package."""

FOR_COMMANDS = {
    "tether.batteries.budget.limits",
    "tether.batteries.retrieval.embedder",
    "tether.batteries.retrieval.judge",
    "tether.batteries.retrieval.web_search",
    "tether.batteries.telemetry.export",
    "tether.batteries.telemetry.telemetry",
    "tether.retrieval.providers.index",
    "tether.retrieval.providers.web",
    *(f"tether.batteries.tools.{category}" for category in COMPUTING),
}
"""Parts that a setting of the command line turns on, whatever else uses them."""


def is_for_checkers(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.If)
        and isinstance(node.test, ast.Name)
        and node.test.id == "TYPE_CHECKING"
    )


def walked(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes below one, without those for type checkers."""
    for child in ast.iter_child_nodes(node):
        if not is_for_checkers(child):
            yield child
            yield from walked(child)


def late_homes(tree: ast.Module) -> dict[str, str]:
    """Return the modules of the names that a package shows to type checkers."""
    blocks = [node for node in ast.walk(tree) if is_for_checkers(node)]
    return {
        alias.asname or alias.name: node.module
        for block in blocks
        for node in ast.walk(block)
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }


HOMES = {
    module_name(path): late_homes(tree)
    for path, tree in trees().items()
    if path.name == "__init__.py" or (path.name == "errors.py" and path.parent == ROOT)
}


def of_import(module: str, name: str) -> set[str]:
    """Return what `from module import name` loads."""
    if f"{module}.{name}" in NAMES:
        return {f"{module}.{name}"}
    homes = HOMES.get(module, {})
    if (module, name) in LOADS_BY_NAME:
        return {module, *homes.values()}
    return {module, *([homes[name]] if name in homes else [])}


def reached_by(tree: ast.AST) -> set[str]:
    """Return the modules of the package that some code names."""
    found = set[str]()
    for node in walked(tree):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                found |= of_import(node.module or "", alias.name)
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found |= {node.value} & NAMES
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found |= of_import(node.value.id, node.attr) if node.value.id == "tether" else set()
    return found & NAMES


BELOW = {module_name(path): reached_by(tree) for path, tree in trees().items()}


def closure(names: Iterable[str]) -> set[str]:
    """Return the modules that are imported with these, their packages included."""
    seen = set[str]()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        waiting += accumulate(name.split("."), lambda above, part: f"{above}.{part}")
        waiting += BELOW[name]
    return seen


def entry_points() -> set[str]:
    """Return the modules that the installed package starts with."""
    project = tomllib.loads((ROOT.parent.parent / "pyproject.toml").read_text())["project"]
    plugins = project["entry-points"]["pytest11"].values()
    started = [*project["scripts"].values(), *plugins, "tether.app.__main__"]
    return {name.partition(":")[0] for name in started}


def documented(page: Path) -> set[str]:
    """Return the modules that the programs of a page use."""
    blocks, _ = read_page(page)
    return {name for it in programs(blocks) for name in reached_by(ast.parse(it.source))}


BY_COMMANDS = closure(entry_points() | {module for module, _ in COMMANDS.values()})


def test_every_module_is_reached_by_a_command_or_by_a_page() -> None:
    shown = {name for page in PAGES_WITH_CODE for name in documented(page)}
    assert sorted(NAMES - BY_COMMANDS - closure(shown)) == []


def test_what_a_setting_turns_on_is_reached_by_a_command() -> None:
    assert FOR_COMMANDS <= NAMES
    assert sorted(FOR_COMMANDS - BY_COMMANDS) == []


def test_an_import_for_checkers_does_not_count_and_one_in_a_function_does() -> None:
    code = (
        "if TYPE_CHECKING:\n    from tether.core.memory import Memory\n"
        "def late():\n    from tether.core.message import Message\n"
        "    from tether import Registry\n    return 'tether.core.media', tether.Thought\n"
    )
    assert reached_by(ast.parse(code)) == {
        "tether",
        "tether.core.media",
        "tether.core.message",
        "tether.core.registry",
        "tether.core.thought",
    }
