"""Measures the layout of the source tree, of today's and of an earlier commit's.

    python scripts/house.py                      # the tree as it is
    python scripts/house.py --before b2fbfda     # two columns: that commit, and the tree

Static figures come from the syntax trees. Three rows count habits of English that reads as if it
were translated: "is no X" (but "there is no X" is fine), clauses such as "what was found", and
"behind" for "after". The figures of one `tether ask` come from a run of the command over
`evals/larkspur` with a profile hook: files and functions of the package that ran.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
QUESTION = "Which port does the container image listen on?"
IS_NO = re.compile(r"(?<![Tt]here )\bis no (?!longer|more)\w+")
WHAT = re.compile(
    r"\bwhat (?:is|was|are|were|may|can|has|have|had|would|could|must|should)\b", re.IGNORECASE
)
BEHIND = re.compile(r"\bbehind\b", re.IGNORECASE)

TRACED = """
import json, os, sys, threading
seen = set()
def note(frame, event, argument):
    if event == "call":
        seen.add(frame.f_code)
threading.setprofile(note)
sys.setprofile(note)
from tether.app.main import main
try:
    main()
except SystemExit as ended:
    status = ended.code
sys.setprofile(None)
import tether
top = os.path.dirname(tether.__file__)
ours = [code for code in seen if code.co_filename.startswith(top)]
named = {code for code in ours if code.co_flags & 1 and not code.co_name.startswith("<")}
print("@@" + json.dumps([status, len({code.co_filename for code in named}), len(named)]))
"""
IMPORTED = """
import json, sys, time
before = time.process_time()
import {module}
spent = time.process_time() - before
tops = {{name.partition(".")[0] for name in sys.modules}} - set(sys.stdlib_module_names)
print(json.dumps([spent * 1000, sorted(top for top in tops if not top.startswith("_"))]))
"""


@dataclass(frozen=True, slots=True)
class Module:
    """One file of the package, read once."""

    name: str
    is_package: bool
    text: str
    tree: ast.Module

    @property
    def lines(self) -> int:
        """The number of its lines."""
        return self.text.count("\n")

    @property
    def is_gerund(self) -> bool:
        """Whether the file is named by what it does instead of by a noun."""
        return self.name.rpartition(".")[2].split("_")[-1].endswith("ing")


def read_modules(source: Path) -> list[Module]:
    """Return every module below a folder, by name."""
    found: list[Module] = []
    for path in sorted((source / "tether").rglob("*.py")):
        parts = path.relative_to(source).with_suffix("").parts
        is_package = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if is_package else parts)
        text = path.read_text(encoding="utf-8")
        found.append(Module(name, is_package, text, ast.parse(text)))
    return found


def imported_by(module: Module, names: frozenset[str]) -> Iterator[str]:
    """Yield the modules of the package that a module imports, anywhere in it."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield whole if whole in names else node.module


def late_imports(module: Module) -> int:
    """Return how many import statements stand inside functions."""
    functions = (
        node
        for node in ast.walk(module.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    late = {
        inner.lineno
        for function in functions
        for inner in ast.walk(function)
        if isinstance(inner, ast.Import | ast.ImportFrom)
    }
    return len(late)


def per_100_000(pattern: re.Pattern[str], modules: Iterable[Module], lines: int) -> float:
    """Return how often a pattern occurs in 100,000 lines."""
    return sum(len(pattern.findall(module.text)) for module in modules) * 100_000 / lines


def static_figures(source: Path) -> dict[str, str]:
    """Return the figures that follow from the text of the package alone."""
    modules = read_modules(source)
    names = frozenset(module.name for module in modules)
    users: dict[str, set[str]] = {name: set() for name in names}
    for module in modules:
        for used in imported_by(module, names):
            if used in users and used != module.name:
                users[used].add(module.name)
    plain = [module for module in modules if not module.is_package]
    single = [module.name for module in plain if len(users[module.name]) == 1]
    near = [name for name in single if parent(name) == parent(next(iter(users[name])))]
    lengths = [module.lines for module in modules]
    total = sum(lengths)
    largest = max(modules, key=lambda module: module.lines)
    return {
        "lines": f"{total:,}",
        "files": f"{len(modules):,}",
        "packages": f"{sum(module.is_package for module in modules):,}",
        "median lines of a file": f"{statistics.median(lengths):.0f}",
        "median lines, without `__init__`": f"{statistics.median(m.lines for m in plain):.0f}",
        "largest file": f"{largest.lines} ({largest.name})",
        "files over 400 lines": f"{sum(length > 400 for length in lengths)}",
        "files with one importer": f"{len(single)}",
        "… in the same folder": f"{len(near)}",
        "files named by a gerund": f"{sum(module.is_gerund for module in plain)}",
        "imports inside functions": f"{sum(late_imports(module) for module in modules)}",
        "“is no X”, per 100,000 lines": f"{per_100_000(IS_NO, modules, total):.0f}",
        "“what was/may …”, per 100,000 lines": f"{per_100_000(WHAT, modules, total):.0f}",
        "“behind”, per 100,000 lines": f"{per_100_000(BEHIND, modules, total):.0f}",
    }


def parent(name: str) -> str:
    """Return the name of the package that a module is in."""
    return name.rpartition(".")[0]


def run_figures(source: Path) -> dict[str, str]:
    """Return the figures of running and importing the package."""
    environment = os.environ | {"PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": ""}
    with tempfile.TemporaryDirectory() as folder:
        environment["HOME"] = folder
        command = ["ask", "--docs", str(ROOT / "evals" / "larkspur"), QUESTION]
        python(TRACED, *command, environment=environment, folder=folder)  # makes the index
        traced = python(TRACED, *command, environment=environment, folder=folder)
        marked = next(line for line in traced.splitlines() if line.startswith("@@"))
        status, files, functions = json.loads(marked.removeprefix("@@"))
        agent = [imported("tether.ask.agent", environment, folder) for _ in range(5)]
        root = [imported("tether", environment, folder) for _ in range(5)]
    return {
        "exit status of one `tether ask`": f"{status or 0}",
        "files that it runs through": f"{files:,}",
        "functions that it runs through": f"{functions:,}",
        "third-party packages of `tether.ask.agent`": f"{len(agent[0][1]) - 1}",
        "CPU ms to import `tether.ask.agent`": f"{min(spent for spent, _ in agent):.0f}",
        "CPU ms to import `tether`": f"{min(spent for spent, _ in root):.1f}",
    }


def imported(module: str, environment: dict[str, str], folder: str) -> tuple[float, list[str]]:
    """Return the CPU milliseconds of an import, and the packages loaded after it."""
    printed = python(IMPORTED.format(module=module), environment=environment, folder=folder)
    spent, packages = json.loads(printed)
    return spent, packages


def python(code: str, *arguments: str, environment: dict[str, str], folder: str) -> str:
    """Run code in a new interpreter; return what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env=environment,
        cwd=folder,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout


def figures(source: Path, *, static: bool) -> dict[str, str]:
    """Return all figures of one source folder."""
    return static_figures(source) if static else static_figures(source) | run_figures(source)


def source_at(commit: str, folder: Path) -> Path:
    """Unpack the sources of a commit into a folder."""
    packed = subprocess.run(
        ["git", "archive", commit, "src"], cwd=ROOT, stdout=subprocess.PIPE, check=True
    )
    subprocess.run(["tar", "-x", "-C", str(folder)], input=packed.stdout, check=True)
    return folder / "src"


def table(columns: Sequence[tuple[str, dict[str, str]]]) -> str:
    """Return the figures as a Markdown table, a column for each tree."""
    lines = ["| | " + " | ".join(title for title, _ in columns) + " |"]
    lines.append("|---" * (len(columns) + 1) + "|")
    lines += [
        f"| {key} | " + " | ".join(column[key] for _, column in columns) + " |"
        for key in columns[0][1]
    ]
    return "\n".join(lines)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--before", metavar="COMMIT", help="an earlier commit to compare with")
    parser.add_argument("--static", action="store_true", help="read the tree, run nothing")
    chosen = parser.parse_args()
    columns: list[tuple[str, dict[str, str]]] = []
    if chosen.before:
        with tempfile.TemporaryDirectory() as folder:
            source = source_at(chosen.before, Path(folder))
            columns.append((f"`{chosen.before}`", figures(source, static=chosen.static)))
    columns.append(("now", figures(ROOT / "src", static=chosen.static)))
    print(table(columns))


if __name__ == "__main__":
    main()
