"""The documentation runs: every code block is executed or parsed, and every link leads somewhere.

A block is judged by the words after its opening fence:

    python              a program; runs alone, in a fresh interpreter, warnings are errors
    python continued    is appended to the program before it
    text output         what the program before it prints, to the letter
    sh                  commands a reader may type; each is checked or run
    json, toml          are parsed
    text, ini, mermaid  are only looked at by people

A program that reads OPENAI_BASE_URL gets the endpoint of a real, small model.

A page that states how many there are of something names the count in a comment right after the
number, as in `56<!--count:tools-->`, and `COUNTS` says how it is counted.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

import tether
from support.local_engine import engine, smollm2
from tether import errors
from tether.batteries.models.local import LocalEngine
from tether.batteries.tools import TOOLS
from tether.core import events
from tether.runtime.bus import FUNCTIONAL_EVENTS, OBSERVABILITY_EVENTS
from tether.runtime.storage import OPERATIONS
from tether.trust import Steps

__all__ = ["engine", "smollm2"]  # fixtures

ROOT = Path(__file__).resolve().parent.parent
DOCS = sorted((ROOT / "docs").rglob("*.md"))
PAGES_WITH_CODE = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS]
PAGES = [*PAGES_WITH_CODE, ROOT / "CHANGELOG.md", ROOT / "SECURITY.md"]

PROSE = ("text", "ini", "mermaid")
PARSED = ("json", "toml")
KNOWN = ("python", "python continued", "text output", "sh", *PARSED, *PROSE)

_FENCE = re.compile(r"^(?P<fence>`{3,})(?P<info>.*)$")
_LINK = re.compile(r"\[[^\]]*\]\((?P<target>[^)\s]+)\)")
_CODE_SPAN = re.compile(r"`[^`]*`")
_COUNT = re.compile(r"(?P<number>\d+)<!--count:(?P<name>[a-z-]+)-->")
_UNCHECKED = re.compile(
    r"\b(?:\d+|[a-z]+teen|twenty[a-z-]*|fift[a-z-]+) (?:ready-made )?"
    r"(?:tools|categories|operations|events|rendering steps)\b",
    re.IGNORECASE,
)
_CATALOGUE = re.compile(r"<!-- catalogue: .*<!-- end of the catalogue -->", re.DOTALL)  # generated
GLOSSARY = ROOT / "docs" / "glossary.md"
OUR_WORDS = (
    *("battery", "envelope", "evidence", "floor", "forge", "generation", "judge", "lane", "ledger"),
    *("mix", "receipt", "spool", "stash", "thrift", "tier", "verifier", "wire"),
)
"""Words that nobody can guess: a page links its first use of one to the glossary, or further."""

EVENTS = {
    name: kind
    for name, kind in inspect.getmembers(events, inspect.isclass)
    if kind.__module__ == events.__name__
}
COUNTS = {
    "categories": len(TOOLS),
    "decisions": len(list((ROOT / "docs" / "decisions").glob("*.md"))),
    "events": len(FUNCTIONAL_EVENTS) + len(OBSERVABILITY_EVENTS),
    "operations": len(OPERATIONS),
    "rendering-steps": len(inspect.signature(Steps).parameters),
    "tools": sum(map(len, TOOLS.values())),
}
"""How many there are of what the pages count."""


class Block(NamedTuple):
    """A fenced block: where it is, what it says it is, and its text."""

    page: Path
    line: int
    info: str
    text: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


class Program(NamedTuple):
    """A python block with what continues it, and the output that the page promises, if it does."""

    first: Block
    source: str
    output: str | None

    def __str__(self) -> str:
        return str(self.first)


def read_page(page: Path) -> tuple[list[Block], list[str]]:
    """Split a page into its fenced blocks and its prose, which keeps its line numbers."""
    blocks: list[Block] = []
    prose: list[str] = []
    opened: tuple[str, str, int] | None = None
    body: list[str] = []
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        fence = _FENCE.match(line.strip())
        if opened is None and fence:
            opened, body = (fence["fence"], fence["info"].strip(), number), []
        elif opened is not None and line.strip() == opened[0]:
            blocks.append(Block(page, opened[2], opened[1], "".join(f"{row}\n" for row in body)))
            opened = None
        elif opened is not None:
            body.append(line)
        prose.append("" if opened is not None or fence else line)
    assert opened is None, f"{page}:{opened[2] if opened else 0}: the block is never closed"
    return blocks, prose


def programs(blocks: list[Block]) -> list[Program]:
    """Join the python blocks of a page with their continuations and their outputs."""
    found: list[Program] = []
    open_for_output = False
    for block in blocks:
        if block.info == "python":
            found.append(Program(block, block.text, None))
        elif block.info == "python continued":
            assert found, f"{block}: there is no python block on this page to continue"
            found[-1] = found[-1]._replace(source=f"{found[-1].source}\n{block.text}")
        elif block.info == "text output":
            assert open_for_output, f"{block}: no python block comes right before this output"
            found[-1] = found[-1]._replace(output=(found[-1].output or "") + block.text)
        open_for_output = block.info.startswith("python")
    return found


BLOCKS = {page: read_page(page)[0] for page in PAGES_WITH_CODE}
ALL_BLOCKS = [block for blocks in BLOCKS.values() for block in blocks]
PROGRAMS = [program for blocks in BLOCKS.values() for program in programs(blocks)]
COMMANDS = [block for block in ALL_BLOCKS if block.info == "sh"]


def run(*command: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run a command in the root of the repository, as a reader would."""
    left_out = ("MAKE", "COVERAGE")  # a page is no test of a line: measuring would cost its time
    environment = {key: it for key, it in os.environ.items() if not key.startswith(left_out)}
    environment |= settings
    return subprocess.run(
        command,
        cwd=ROOT,
        env=environment | {"PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


def model_settings(engine: LocalEngine) -> dict[str, str]:
    """Return the environment in which a reader's own endpoint is there."""
    endpoint = asyncio.run(engine.endpoint())
    return {
        "OPENAI_BASE_URL": endpoint.base_url,
        "OPENAI_API_KEY": endpoint.api_key,
        "OPENAI_MODEL": engine.name,
    }


@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_a_python_block_runs_and_prints_what_the_page_says(
    program: Program, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    script = tmp_path / "block.py"
    # As many empty lines as stand above the block, so that a traceback names the page's own line.
    script.write_text("\n" * program.first.line + program.source, encoding="utf-8")
    needs_model = "OPENAI_BASE_URL" in program.source
    settings = model_settings(request.getfixturevalue("engine")) if needs_model else {}
    done = run(sys.executable, "-W", "error", str(script), **settings)
    assert done.returncode == 0, f"{program}\n{done.stderr}"
    assert done.stdout.strip() or not needs_model, f"{program}: the model said nothing"
    if program.output is not None:
        assert done.stdout == program.output, f"{program}\n{done.stderr}"


@pytest.mark.parametrize("block", COMMANDS, ids=str)
def test_a_command_block_holds_commands_that_work(block: Block) -> None:
    for line in block.text.splitlines():
        match shlex.split(line, comments=True):
            case []:
                pass
            case ["make", target]:
                done = run("make", "-n", target)
                assert done.returncode == 0, f"{block}: {line}\n{done.stderr}"
            case ["python", script]:
                done = run(sys.executable, "-W", "error", script)
                assert done.returncode == 0, f"{block}: {line}\n{done.stderr}"
            case ["pip", "install", _, *_] | ["git", "clone", _, *_] | ["cd", _]:
                pass
            case ["tether", "ask", *_] if block.page.name == "use-your-model.md":
                pass  # run against servers by tests/app/test_use_your_model.py
            case ["pipx", "install", "tether"] | ["uvx", "tether", *_] | ["twine", "upload", *_]:
                pass  # tests/test_distributions.py runs the first two
            case _:
                pytest.fail(f"{block}: a reader is not to be sent to {line!r}")


@pytest.mark.parametrize("block", ALL_BLOCKS, ids=str)
def test_a_block_says_what_it_is(block: Block) -> None:
    assert block.info in KNOWN, f"{block}: unknown kind {block.info!r}"


@pytest.mark.parametrize("block", [b for b in ALL_BLOCKS if b.info in PARSED], ids=str)
def test_a_data_block_parses(block: Block) -> None:
    parse = json.loads if block.info == "json" else tomllib.loads
    parse(block.text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_the_pages_lead_somewhere(page: Path) -> None:
    broken: list[str] = []
    for number, line in enumerate(read_page(page)[1], start=1):
        for link in _LINK.finditer(_CODE_SPAN.sub("", line)):
            target = link["target"]
            if not re.match(r"[a-z]+:", target) and not leads_somewhere(page, target):
                broken.append(f"{page.relative_to(ROOT)}:{number}: {target}")
    assert not broken


def leads_somewhere(page: Path, target: str) -> bool:
    """Say whether a relative link names a file here and, after `#`, a heading in it."""
    path, _, anchor = target.partition("#")
    file = (page.parent / path).resolve() if path else page
    if not file.exists() or not file.is_relative_to(ROOT):
        return False
    return not anchor or anchor in anchors(file)


def anchors(page: Path) -> set[str]:
    """Return the anchors that a page's headings get: lower case, hyphens, numbers for repeats."""
    found: Counter[str] = Counter()
    repeated: set[str] = set()
    for line in read_page(page)[1]:
        if heading := re.match(r"#{1,6} (?P<title>.+)", line):
            anchor = re.sub(r"[^\w\- ]", "", heading["title"].lower()).replace(" ", "-")
            if found[anchor]:
                repeated.add(f"{anchor}-{found[anchor]}")
            found[anchor] += 1
    return set(found) | repeated


def test_every_page_can_be_reached_from_the_index() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    linked = {link["target"].partition("#")[0] for link in _LINK.finditer(index)}
    pages = {page.relative_to(ROOT / "docs").as_posix() for page in DOCS} - {"index.md"}
    assert pages <= linked


def test_the_errors_page_tells_the_truth_about_every_error() -> None:
    page = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    raisable = [
        kind
        for _, kind in inspect.getmembers(errors, inspect.isclass)
        if issubclass(kind, errors.TetherError) and kind.default_code
    ]
    for kind in raisable:
        fatal = "yes" if kind.default_fatal else "no"
        row = f"| `{kind.__name__}` | `{kind.default_code}` | {kind.default_status} | {fatal} |"
        assert row in page
    assert len(re.findall(r"^\| `\w+` \| `E_\w+` \|", page, re.MULTILINE)) == len(raisable)


def test_the_events_page_names_every_field_of_every_event() -> None:
    page = (ROOT / "docs" / "events.md").read_text(encoding="utf-8")
    for name, kind in EVENTS.items():
        fields = ", ".join(f"`{field}`" for field in inspect.signature(kind).parameters)
        assert f"| `{name}` | {fields} |" in page, name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_count_on_a_page_is_checked_and_true(page: Path) -> None:
    for number, line in enumerate(read_page(page)[1], start=1):
        for count in _COUNT.finditer(line):
            assert int(count["number"]) == COUNTS[count["name"]], f"{page}:{number}: {count[0]}"
        assert not _UNCHECKED.search(_COUNT.sub("", line)), f"{page}:{number}: {line}"


def test_the_glossary_is_in_order_and_explains_every_word_of_ours() -> None:
    words = [line[3:].lower() for line in read_page(GLOSSARY)[1] if line.startswith("## ")]
    assert words == sorted(words)
    assert set(OUR_WORDS) <= set(words)


@pytest.mark.parametrize(
    "page",
    [page for page in DOCS if page.parent.name == "docs" and page != GLOSSARY],
    ids=lambda page: str(page.name),
)
def test_a_word_of_ours_is_linked_where_a_page_first_uses_it(page: Path) -> None:
    lines = [line for line in read_page(page)[1] if not line.startswith("#")]
    text = _CATALOGUE.sub("", _CODE_SPAN.sub("", "\n".join(lines)))
    linked = [(link.start(), link.end()) for link in _LINK.finditer(text)]
    for word in OUR_WORDS:
        plural = f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"
        first = re.search(rf"\b(?:{word}|{plural})\b", text, re.IGNORECASE)
        assert first is None or any(start < first.start() < end for start, end in linked), word


def test_the_version_is_the_same_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert "version" in project["dynamic"]
    for page in ("README.md", "CHANGELOG.md", "docs/index.md"):
        assert tether.__version__ in (ROOT / page).read_text(encoding="utf-8"), page
