"""`make ask` tells what to type next, and each of these lines works as it is typed."""

from __future__ import annotations

import re
import shlex
from glob import glob
from pathlib import Path

import pytest
from click.testing import CliRunner

from app.pages import DOCS, put
from tether.app.cli import cli

ROOT = Path(__file__).resolve().parent.parent.parent
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
LINES = re.findall(r"^\t  '  (tether .+?) *(?:#.*)?'", MAKEFILE, re.MULTILINE)


def test_there_are_lines() -> None:
    assert len(LINES) >= 5
    assert any("~/my-documents" in line for line in LINES)


@pytest.fixture
def clone(alone: Path, cheap: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with pages where those of a clone are, after its first question."""
    put(alone / "docs", DOCS)
    put(alone, {"README.md": "# Tether\n\nYou can rely on quotes.\n"})
    put(alone / "home" / "my-documents", {"a.md": "# Lanterns\n\nA lantern glows."})
    monkeypatch.setenv("HOME", str(alone / "home"))
    typed("tether ask --docs docs 'What is a pod?'")
    return alone


def typed(line: str) -> str:
    _, *words = shlex.split(line)
    result = CliRunner().invoke(cli, words, input="")
    assert result.exit_code in (0, 3), f"{line}\n{result.output}"
    return result.output


@pytest.mark.parametrize("line", [line for line in LINES if "*" not in line])
def test_each_line_works_after_the_first_question(line: str, clone: Path) -> None:
    assert "Error" not in typed(line)


def test_the_model_that_is_named_is_there() -> None:
    (pattern,) = [word for line in LINES for word in shlex.split(line) if "*" in word]
    assert len(glob(str(ROOT / pattern))) == 1  # noqa: PTH207  # as the shell reads it


def test_cleaning_removes_the_index_of_the_first_question(clone: Path) -> None:
    found = re.search(r"\$\(BIN\)/(tether index remove .+?) 2>", MAKEFILE)
    assert found is not None
    assert "docs-" in typed("tether index list")
    typed(found.group(1))
    assert "There are no indexes" in typed("tether index list")
