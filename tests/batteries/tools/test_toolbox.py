"""The box as a whole: what is in it, what it costs to open, and the page that lists it."""

from __future__ import annotations

import ast
import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tether import Tool, ToolRegistry, tool_definition
from tether.batteries import tools
from tether.batteries.testing import run_tool
from tether.batteries.tools import TOOLS, document_tools, fetch_url_tool, toolbox
from tether.core.errors import InvalidInitialToolValue

ROOT = Path(__file__).resolve().parents[3]
HEAVY = {"babel", "httpx2", "idna", "yaml", "re2", "fsspec", "numpy"}

KEPT = {"memory", "retrievables", "standing_instructions"}
"""Their examples speak of records; the page's test runs them on a storage that holds those."""

ALL = toolbox()


def in_a_fresh_interpreter(code: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys, json; print(json.dumps(list(sys.modules)))"],
        check=True,
        capture_output=True,
        text=True,
    )
    loaded: list[str] = json.loads(done.stdout)
    return loaded


def test_every_tool_of_the_catalogue_is_there_once() -> None:
    names = [tool.name for tool in ALL]
    assert names == [name for names in TOOLS.values() for name in names]
    assert len(ToolRegistry(ALL)) == len(names) == len(set(names)) == 56


@pytest.mark.parametrize("tool", ALL, ids=lambda tool: tool.name)
def test_a_tool_describes_itself(tool: Tool) -> None:
    schema = tool.describe()["input_schema"]
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(tool.meta.get("example"))
    Draft202012Validator.check_schema(tool_definition(tool)["function"]["parameters"])
    assert tool.name in TOOLS[tool.meta.get("category")]
    assert len(tool.description) > 20
    undescribed = [name for name, it in schema["properties"].items() if "description" not in it]
    assert undescribed == []


@pytest.mark.parametrize(
    "tool", [tool for tool in ALL if tool.meta.get("category") not in KEPT], ids=lambda it: it.name
)
async def test_its_example_runs_and_returns_what_has_a_json_form(tool: Tool) -> None:
    assert json.loads(json.dumps(await run_tool(tool, tool.meta.get("example"))))


@pytest.mark.parametrize("tool", ALL, ids=lambda tool: tool.name)
def test_what_a_tool_returns_is_not_trusted(tool: Tool) -> None:
    assert not tool.trusted
    assert not tool.ephemeral
    assert tool.on_collision == "throw"


@pytest.mark.parametrize("tool", ALL, ids=lambda tool: tool.name)
def test_every_text_and_list_has_a_limit(tool: Tool) -> None:
    def unlimited(schema: Any, path: str) -> list[str]:
        if isinstance(schema, list):
            return [found for item in schema for found in unlimited(item, path)]
        if not isinstance(schema, dict):
            return []
        closed = "enum" in schema or "const" in schema
        found = [
            path
            for kind, limit in (("string", "maxLength"), ("array", "maxItems"))
            if schema.get("type") == kind and limit not in schema and not closed
        ]
        for key, value in schema.items():
            if key not in {"default", "enum", "examples"}:
                found += unlimited(value, f"{path}.{key}")
        return found

    assert unlimited(tool.describe()["input_schema"], tool.name) == []


def test_a_category_alone_or_several_can_be_opened() -> None:
    assert [tool.name for tool in toolbox("time", "math")] == [*TOOLS["time"], *TOOLS["math"]]


def test_an_unknown_category_is_named() -> None:
    with pytest.raises(InvalidInitialToolValue, match="'maths'") as caught:
        toolbox("maths", "math")
    assert "math" in caught.value.help


EACH_ALONE = """
import importlib, json, os, sys
import tether.batteries.tools.ready_made  # needed by every category: loaded once, before the forks
for category in {categories!r}:
    reading, writing = os.pipe()
    if not os.fork():
        importlib.import_module("tether.batteries.tools." + category)
        os.write(writing, json.dumps(sorted(sys.modules)).encode())
        os._exit(0)
    os.close(writing)
    with open(reading, "rb") as child:
        print(child.read().decode())
    os.wait()
"""


def test_opening_a_category_loads_no_other_and_no_outside_library() -> None:
    done = subprocess.run(
        [sys.executable, "-c", EACH_ALONE.format(categories=list(TOOLS))],
        check=True,
        capture_output=True,
        text=True,
    )
    for category, line in zip(TOOLS, done.stdout.splitlines(), strict=True):
        loaded = set(json.loads(line))
        assert {name for name in TOOLS if f"tether.batteries.tools.{name}" in loaded} == {category}
        assert not HEAVY & loaded, category


def test_a_name_loads_its_category_and_no_other() -> None:
    loaded = in_a_fresh_interpreter("from tether.batteries.tools import calculate")
    assert {name for name in TOOLS if f"tether.batteries.tools.{name}" in loaded} == {"math"}


def test_the_public_names_are_honest() -> None:
    listed = tools.__all__
    assert len(listed) == len(set(listed))
    for name in listed:
        assert getattr(tools, name) is not None
        assert name in dir(tools)
    tree = ast.parse(Path(tools.__file__ or "").read_text(encoding="utf-8"))
    blocks = [node for node in tree.body if isinstance(node, ast.If)]
    told = {
        alias.name
        for node in blocks[0].body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert told - {"Tool"} == set(listed) - {"TOOLS", "toolbox"}
    with pytest.raises(AttributeError, match="no attribute 'calculater'"):
        _ = tools.calculater  # type: ignore[attr-defined]


def test_what_is_made_and_not_ready_has_its_own_factory() -> None:
    assert callable(document_tools)
    assert callable(fetch_url_tool)


def test_the_page_lists_every_tool_as_it_is() -> None:
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        catalogue = importlib.import_module("tool_catalogue")
    finally:
        sys.path.remove(str(ROOT / "scripts"))
    page = (ROOT / "docs" / "tools.md").read_text(encoding="utf-8")
    assert catalogue.page_with_catalogue(page) == page, "run: python scripts/tool_catalogue.py"
    for tool in ALL:
        assert page.count(f"#### `{tool.name}`") == 1
