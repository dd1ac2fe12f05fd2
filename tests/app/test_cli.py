"""The root command: quick, quiet where nobody watches, and clear about what went wrong."""

from __future__ import annotations

import inspect
import runpy
import sys
from importlib import import_module
from pathlib import Path

import click
import pytest

from app.shell import run, run_apart
from tether.app.cli import COMMANDS, cli
from tether.app.display import shown
from tether.app.main import main
from tether.core.errors import Aborted, Problem, TetherError
from tether.retrieval.errors import InvalidRetrievalSettings

UNWANTED = """
import atexit, sys
atexit.register(lambda: print(sorted({"numpy", "onnxruntime", "rich"} & set(sys.modules))))
"""


def test_help_lists_the_commands_and_loads_nothing_heavy() -> None:
    ran = run_apart("--help", first=UNWANTED).succeeded()
    assert ran.out.endswith("[]\n")
    for name, (_, text) in COMMANDS.items():
        assert f"{name} " in ran.out
        assert text in ran.out


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_help(name: str) -> None:
    assert "Usage: tether" in run(name, "--help").succeeded().out


def test_the_version_is_told() -> None:
    assert run("--version").succeeded().out.startswith("tether, version ")


@pytest.mark.parametrize(
    "words",
    [
        ["dance"],
        ["search"],
        ["search", "why", "--judge", "perhaps"],
        ["search", "why", "--limit", "0"],
        ["index", "apply", "--fast"],
        ["index", "plan"],
        ["index", "apply"],
        ["index", "apply", "--recreate"],
        ["calibrate", "--target", "0.9"],
        ["calibrate", "--count", "0"],
        ["calibrate", "--questions", "gone.jsonl"],
        ["eval", "retrieval", "gone"],
        ["eval", "retrieval", ".", "--every", "0"],
    ],
    ids=" ".join,
)
def test_wrong_words_are_a_matter_of_usage(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = run(*words)
    assert ran.code == 2
    assert "Usage: tether" in ran.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "words",
    [
        ["index", "status"],
        ["index", "check"],
        ["index", "show", "a.md"],
        ["index", "rollback"],
        ["index", "embed"],
        ["index", "migrate"],
        ["search", "why"],
        ["calibrate"],
    ],
    ids=" ".join,
)
def test_without_an_index_it_says_how_to_make_one(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = run(*words)
    assert ran.code == 1
    assert "E_INDEX_MISSING" in ran.err
    assert "tether index apply" in ran.err
    assert list(tmp_path.iterdir()) == []


def failing(error: BaseException) -> click.Command:
    @click.command()
    def command() -> None:
        raise error

    return command


@pytest.mark.parametrize(
    ("error", "code", "told"),
    [
        (InvalidRetrievalSettings([Problem("k1", "is too large")]), 2, "k1: is too large"),
        (TetherError("it \x1b[31mbroke", help="Mend it."), 1, "it \\x1b[31mbroke. Mend it."),
        (Aborted("stopped"), 130, "Interrupted."),
        (KeyboardInterrupt(), 130, "Interrupted."),
    ],
    ids=["input", "failure", "aborted", "interrupted"],
)
def test_an_error_of_ours_is_one_line_with_a_code(
    error: BaseException, code: int, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken:
        command = failing(error)

    monkeypatch.setattr("tether.app.cli.import_module", lambda _: Broken)
    ran = run("search")
    assert ran.code == code
    assert told in ran.err
    assert "Traceback" not in ran.err


def test_a_mistake_of_ours_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        command = failing(ZeroDivisionError("ours"))

    monkeypatch.setattr("tether.app.cli.import_module", lambda _: Broken)
    with pytest.raises(ZeroDivisionError):
        run("search")


def test_ctrl_c_while_it_starts_is_an_interruption_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tether.app.main.import_module", interrupted)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130


def test_main_runs_the_command_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["tether", "--help"])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 0
    assert "Usage: tether" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["click", "numpy"])
def test_a_package_that_is_missing_is_named_with_what_to_install(name: str) -> None:
    ran = run_apart("index", "status", first=f"import sys; sys.modules[{name!r}] = None")
    assert ran.code == 1
    assert name in ran.err
    assert "pip install tether" in ran.err
    assert "Traceback" not in ran.err


def test_the_version_needs_no_other_package(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["tether", "--version"])
        patch.delitem(sys.modules, "tether.app.cli")
        patch.setitem(sys.modules, "click", None)
        main()
    assert capsys.readouterr().out == run("--version").succeeded().out


def test_a_module_of_ours_that_is_missing_is_a_mistake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tether.app.cli", None)
    with pytest.raises(ModuleNotFoundError):
        main()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain text", "plain text"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("Grüße, 東京, नमस्ते", "Grüße, 東京, नमस्ते"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("back\rover\x08", "back\\rover\\x08"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("\x9b31m \u2028 \ud800", "\\x9b31m \\u2028 \\ud800"),
        ("ya\u200dja \u200c", "ya\u200dja \u200c"),
    ],
    ids=range(8),
)
def test_what_would_steer_a_terminal_is_shown_as_an_escape(text: str, expected: str) -> None:
    assert shown(text) == expected
    assert shown(expected) == expected


def test_the_root_has_the_commands_of_the_table() -> None:
    context = click.Context(cli)
    assert cli.list_commands(context) == list(COMMANDS)
    assert cli.get_command(context, "dance") is None


def test_the_package_runs_as_a_module(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["tether", "--version"])
    path = inspect.getfile(import_module("tether.app.__main__"))
    assert capsys.readouterr().out == ""
    with pytest.raises(SystemExit) as caught:
        runpy.run_path(path, run_name="__main__")
    assert caught.value.code == 0
    assert capsys.readouterr().out.startswith("tether, version ")
