"""The layers, enforced: imports point one way, cores stay clean, nothing hides in a function."""

from __future__ import annotations

import ast
import re
import sys
from functools import cache
from graphlib import TopologicalSorter
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).parent.parent / "src" / "tether"
MODULES = sorted(ROOT.rglob("*.py"))

MAY_IMPORT: dict[str, set[str]] = {
    "core": set(),
    "text": {"core"},
    "runtime": {"core"},
    "trust": {"core", "runtime"},
    "retrieval": {"core", "text"},
    "batteries": {"core", "text", "runtime", "trust", "retrieval"},
    "ask": {"core", "text", "runtime", "trust", "retrieval", "batteries"},
    "app": {"core", "text", "runtime", "trust", "retrieval", "batteries", "ask"},
}
"""The layers, and the layers that each may import beside itself."""

FACES = {"tether", "tether.errors"}
"""Modules of no layer that show names of all layers; nothing inside imports them."""

LATE = "tether.late"
"""The helper of the packages that load names late; any of them may import it."""

THIRD_PARTY: dict[str, set[str]] = {
    "core": set(),
    "text": {"Stemmer"},
    "runtime": {"pydantic", "pydantic_core", "re2"},
    "trust": set(),
    "retrieval": {
        "Stemmer",
        "defusedxml",
        "markdown_it",
        "numpy",
        "onnxruntime",
        "pypdf",
        "selectolax",
        "yaml",
    },
    "app": {"click", "rich"},
}
LAZY_IMPORTS = {
    "tether.app.agent": {"tether"},
    "tether.app.cli": {"tether"},
    "tether.app.models": {"tether"},
    "tether.app.settings.places": {"tether"},
    "tether.app.telemetry": {"tether"},
    "tether.batteries.retrieval.endpoint": {"httpx2"},
    "tether.retrieval.dense.onnx_model": {"onnxruntime"},
    "tether.retrieval.readers.dispatch": {"tether"},
    "tether.retrieval.readers.pdf": {"pypdf"},
    "tether.runtime.schema": {"pydantic", "pydantic_core"},
    "tether.runtime.patterns": {"re2"},
    "tether.batteries.languages.records.safe_yaml": {"yaml"},
    "tether.batteries.languages.texts.localized_numbers": {"babel"},
    "tether.batteries.web.urls": {"httpx2", "idna"},
    "tether.batteries.web.transport": {"httpcore2"},
    "tether.batteries.models.anthropic.executor": {"httpx2"},
    "tether.batteries.models.chat_completions.executor": {"httpx2"},
    "tether.batteries.models.local.llama": {"xllamacpp"},
    "tether.batteries.models.responses.executor": {"httpx2"},
    "tether.batteries.models.wire.attempt": {"httpx2"},
    "tether.batteries.models.wire.exchange": {"httpx2"},
    "tether.batteries.models.wire.failures": {"httpx2"},
    "tether.batteries.http.client": {"httpx2"},
    "tether.batteries.storage.spools.objects": {"fsspec"},
    "tether.batteries.storage.postgres": {"psycopg", "psycopg_pool"},
    "tether.batteries.telemetry.signals": {"opentelemetry"},
    "tether.batteries.telemetry.telemetry": {"opentelemetry"},
}
"""Imports inside functions: which module may load which package late."""

BATTERY_PACKAGES = {
    "tether.batteries.retrieval.embedder": {"numpy"},
    "tether.batteries.models.anthropic.options": {"pydantic"},
    "tether.batteries.models.chat_completions.options": {"pydantic"},
    "tether.batteries.models.local.executor": {"pydantic"},
    "tether.batteries.models.responses.options": {"pydantic"},
    "tether.batteries.models.wire.layers": {"pydantic"},
    "tether.batteries.models.wire.options": {"pydantic"},
    "tether.batteries.telemetry.export": {"opentelemetry", "requests"},
    "tether.batteries.testing.plugin": {"pytest"},
}
"""One outside library per battery file, named here, beside what the file may load late."""


EARLY = {
    "tether.retrieval.readers.front_matter": {"yaml"},
}
"""Where a package that others load late is what the module is for."""


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


NAMES = frozenset(module_name(path) for path in MODULES)


@cache
def trees() -> dict[Path, ast.Module]:
    """Return the modules, parsed when the first test needs them."""
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in MODULES}


def layer_of(name: str) -> str | None:
    parts = name.split(".")
    return None if name in FACES or name == LATE else parts[1]


def names_in(node: ast.Import | ast.ImportFrom) -> set[str]:
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names}
    assert node.level == 0, "imports are absolute"
    module = node.module or ""
    return {
        f"{module}.{alias.name}" if f"{module}.{alias.name}" in NAMES else module
        for alias in node.names
    }


class Imports(ast.NodeVisitor):
    """Collects a module's imports: at its top, inside functions, and for type checkers only."""

    def __init__(self, path: Path) -> None:
        self.top: set[str] = set()
        self.lazy: set[str] = set()
        self.typing: set[str] = set()
        self._into = self.top
        self.visit(trees()[path])

    @property
    def all(self) -> set[str]:
        return self.top | self.lazy | self.typing

    def visit_Import(self, node: ast.Import) -> None:
        self._into |= names_in(node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        self._into |= names_in(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._inside(self.lazy, node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._inside(self.lazy, node)

    def generic_visit(self, node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.expr):  # none holds an import
                self.visit(child)

    def visit_If(self, node: ast.If) -> None:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            self._inside(self.typing, node)
        else:
            self.generic_visit(node)

    def _inside(self, into: set[str], node: ast.AST) -> None:
        outer, self._into = self._into, into
        self.generic_visit(node)
        self._into = outer


@cache
def all_imports() -> dict[str, Imports]:
    """Return the imports of every module by its name."""
    return {module_name(path): Imports(path) for path in MODULES}


def third_party(names: set[str]) -> set[str]:
    tops = {name.split(".")[0] for name in names}
    return {top for top in tops if top not in sys.stdlib_module_names and top != "tether"}


def test_every_module_belongs_to_a_layer_of_the_design() -> None:
    for name in all_imports():
        assert layer_of(name) in {None, *MAY_IMPORT}, name


def test_imports_point_to_the_own_layer_or_to_layers_above() -> None:
    wrong = [
        f"{name} imports {imported}"
        for name, imports in all_imports().items()
        if (layer := layer_of(name)) is not None
        for imported in imports.all
        if imported.split(".")[0] == "tether"
        and imported != LATE
        and layer_of(imported) not in MAY_IMPORT[layer] | {layer}
    ]
    assert not wrong


def allowed_packages(name: str) -> set[str]:
    """Return the packages from outside that a module may import, early or late."""
    layer = layer_of(name)
    if layer is None:
        return set()
    if layer in THIRD_PARTY:
        return THIRD_PARTY[layer]
    schema = {"pydantic"} if name.startswith("tether.batteries.tools.") else set[str]()
    return schema | BATTERY_PACKAGES.get(name, set()) | LAZY_IMPORTS.get(name, set())


def test_third_party_packages_stay_where_they_are_allowed() -> None:
    found = {name: third_party(imports.all) for name, imports in all_imports().items()}
    wrong = {name: tops for name, tops in found.items() if not tops <= allowed_packages(name)}
    assert not wrong


def test_no_import_inside_a_function_but_the_declared_late_ones() -> None:
    late = {
        name: {top.split(".")[0] for top in imports.lazy} for name, imports in all_imports().items()
    }
    wrong = {name: tops for name, tops in late.items() if not tops <= LAZY_IMPORTS.get(name, set())}
    assert not wrong


def test_the_tables_name_modules_that_exist_and_packages_that_they_load() -> None:
    for name, tops in LAZY_IMPORTS.items():
        late = {top.split(".")[0] for top in all_imports()[name].lazy}
        assert tops <= late | third_party(all_imports()[name].typing), name
    for table in (BATTERY_PACKAGES, EARLY):
        for name, tops in table.items():
            assert tops <= third_party(all_imports()[name].top), name


def test_a_package_that_is_loaded_late_is_loaded_nowhere_early() -> None:
    late = set().union(*LAZY_IMPORTS.values())
    for name, imports in all_imports().items():
        wanted = BATTERY_PACKAGES.get(name, set[str]()) | EARLY.get(name, set())
        if name.startswith("tether.batteries.tools."):
            wanted = {"pydantic"}
        assert not third_party(imports.top) & late - wanted, name


def test_there_are_no_import_cycles() -> None:
    inside = {
        name: {
            imported for imported in imports.top if imported in all_imports() and imported != name
        }
        for name, imports in all_imports().items()
        if name not in FACES
    }
    TopologicalSorter(inside).prepare()  # raises CycleError


def test_nothing_inside_imports_the_faces_of_the_package() -> None:
    for name, imports in all_imports().items():
        assert not FACES & imports.all, name


SHARED = {"Aborted", "LimitExceeded", "ProviderFailed"}
"""Errors that a layer defines for the layers after it to raise."""

RESERVED = {"NoReaderResolver", "ReaderNotDescribable"}
"""Errors of the contract that nothing raises yet."""


def names_raised(tree: ast.Module) -> set[str]:
    """Return the names a module uses, except those it only catches."""
    caught = {
        id(name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ExceptHandler) and node.type is not None
        for name in ast.walk(node.type)
    }
    return {
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in caught
    }


def test_an_error_lives_in_the_package_that_raises_it() -> None:
    by_name = {module_name(path): tree for path, tree in trees().items()}
    used = {name: names_raised(tree) for name, tree in by_name.items()}
    for name, tree in by_name.items():
        if not name.endswith(".errors") or name in FACES:
            continue
        package = name.removesuffix("errors")
        raised = set[str]().union(*(used[other] for other in used if other.startswith(package)))
        defined = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
        assert defined <= raised | SHARED | RESERVED, name


def test_importing_a_module_defines_names_and_does_nothing_else() -> None:
    allowed = (
        ast.Import,
        ast.ImportFrom,
        ast.FunctionDef,
        ast.AsyncFunctionDef,
        ast.ClassDef,
        ast.Assign,
        ast.AnnAssign,
        ast.If,
    )
    for path, tree in trees().items():
        for node in tree.body:
            is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            assert isinstance(node, allowed) or is_text, f"{path}:{node.lineno}"
            if isinstance(node, ast.If) and path.name != "__main__.py":
                assert "TYPE_CHECKING" in ast.unparse(node.test), f"{path}:{node.lineno}"


def test_no_module_is_longer_than_400_lines() -> None:
    lengths = {path: path.read_text(encoding="utf-8").count("\n") for path in MODULES}
    assert not {path.name: length for path, length in lengths.items() if length > 400}


def test_no_module_declares_a_global() -> None:
    for path, tree in trees().items():
        for node in ast.walk(tree):
            assert not isinstance(node, ast.Global), f"{path}:{node.lineno}"


def test_the_tests_mirror_the_package() -> None:
    here = Path(__file__).parent
    for folder in here.iterdir():
        if folder.is_dir() and any(folder.glob("test_*.py")):
            assert (ROOT / folder.name).is_dir(), folder.name


def drawings() -> list[str]:
    """Return the drawings of the page about the architecture, without their first line."""
    page = (ROOT.parent.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
    return re.findall(r"^```mermaid\nflowchart TB\n(.*?)^```", page, re.DOTALL | re.MULTILINE)


def test_the_drawing_of_the_house_shows_the_layers() -> None:
    arrows: dict[str, set[str]] = {layer: set() for layer in MAY_IMPORT}
    for line in drawings()[0].splitlines():
        for above, below in pairwise(line.split(" --> ")):
            arrows[above.strip()].add(below.strip())

    def reached(layer: str) -> set[str]:
        return arrows[layer].union(*map(reached, arrows[layer]))

    assert {layer: reached(layer) for layer in MAY_IMPORT} == MAY_IMPORT


def test_the_drawing_of_a_questions_way_names_the_stages_and_values() -> None:
    drawing = drawings()[1]
    agent = ast.parse((ROOT / "ask" / "agent.py").read_text(encoding="utf-8"))
    used = {node.id for node in ast.walk(agent) if isinstance(node, ast.Name)}
    values = ast.parse((ROOT / "ask" / "values.py").read_text(encoding="utf-8"))
    made = {node.name for node in values.body if isinstance(node, ast.ClassDef)} | {"Answer"}
    boxes = set(re.findall(r"[A-Z]\w+", " ".join(re.findall(r"\w[\[{(]+([^\]})]+)", drawing))))
    arrows = set(re.findall(r"-- ([A-Z]\w+) -->", drawing))
    assert boxes <= used
    assert arrows == made
