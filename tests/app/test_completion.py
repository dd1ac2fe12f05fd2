"""Completion: the scripts, and what they ask `tether` while somebody types."""

from __future__ import annotations

import os
import resource
import subprocess
import sys

import pytest
from click.shell_completion import BashComplete

from app.shell import run
from tether.app.cli import COMMANDS, cli

MAIN = "from tether.app.main import main; main()"


def completed(*words: str, first: str = "") -> list[str]:
    """Return the completions of bash for words of which the last is unfinished."""
    environ = os.environ | {
        "_TETHER_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(("tether", *words)),
        "COMP_CWORD": str(len(words)),
    }
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", f"{first}\n{MAIN}"],
        env=environ,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return [line.partition(",")[2] for line in done.stdout.splitlines() if "," in line]


@pytest.mark.parametrize(
    ("shell", "mark"),
    [
        ("bash", "complete -o nosort -F _tether_completion tether"),
        ("zsh", "#compdef tether"),
        ("fish", "complete --no-files --command tether"),
    ],
)
def test_each_shell_has_its_script(shell: str, mark: str) -> None:
    out = run("completion", shell).succeeded().out
    assert mark in out
    assert "_TETHER_COMPLETE" in out


def test_another_shell_is_a_matter_of_usage() -> None:
    ran = run("completion", "dosbox")
    assert ran.code == 2
    assert "'dosbox' is not one of" in ran.err


def test_commands_are_completed_without_importing_one() -> None:
    loud = "import atexit, sys\natexit.register(lambda: print(',', 'numpy' in sys.modules))"
    *names, imported = completed("", first=loud)
    assert names == list(COMMANDS)
    assert imported.strip() == "False"


@pytest.mark.parametrize(
    ("words", "unfinished", "found"),
    [
        ([], "comp", "completion"),
        ([], "--ver", "--version"),
        (["index"], "ro", "rollback"),
        (["config", "show"], "--or", "--origin"),
        (["completion"], "z", "zsh"),
        (["ask"], "--we", "--web"),
    ],
)
def test_what_follows_is_completed(words: list[str], unfinished: str, found: str) -> None:
    completing = BashComplete(cli, {}, "tether", "_TETHER_COMPLETE")
    assert [item.value for item in completing.get_completions(words, unfinished)] == [found]


def cpu_of(source: str) -> float:
    """Return the least processor time of some runs: others share the machine."""
    spent: list[float] = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", source], capture_output=True, check=True, timeout=60)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(spent)


def test_help_costs_little_more_than_importing_click() -> None:
    """By the time of a machine that imports click in 80 ms it is well below 200 ms."""
    helped = cpu_of("import sys; sys.argv = ['tether', '--help']\n" + MAIN)
    assert helped < 2.2 * cpu_of("import click")
