"""Runs commands as a shell would: in this process, or in a new one."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from tether.app.cli import cli

NO_FLOOR = re.compile(r"Note: no floor \([^\n]*\n")


@dataclass(frozen=True)
class Ran:
    """The exit code and the output of a command."""

    code: int
    out: str
    err: str

    def succeeded(self) -> Ran:
        assert self.code == 0, f"{self.out}\n{self.err}"
        return self

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def told(self) -> str:
        """Standard error, without the note that a small index has no floor."""
        return NO_FLOOR.sub("", self.err)


def run(*words: str | Path, env: dict[str, str] | None = None) -> Ran:
    """Run `tether` with these words in this process."""
    result = CliRunner().invoke(cli, [str(word) for word in words], env=env, prog_name="tether")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Ran(result.exit_code, result.stdout, result.stderr)


def typed(text: str | bytes, *words: str) -> Ran:
    """Run `tether` in this process with a text in its standard input."""
    result = CliRunner().invoke(cli, list(words), input=text, prog_name="tether")
    return Ran(result.exit_code, result.stdout, result.stderr)


def run_apart(*words: str | Path, first: str = "", cwd: Path | None = None) -> Ran:
    """Run `tether` in a process of its own, after a line of Python."""
    source = f"{first}\nfrom tether.app.main import main\nmain()"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", source, *(str(word) for word in words)],
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
        cwd=cwd,
        env={name: value for name, value in os.environ.items() if name != "FORCE_COLOR"},
    )
    return Ran(done.returncode, done.stdout, done.stderr)
