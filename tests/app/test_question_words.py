"""Questions without quotation marks, and commands that nobody has."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from app.shell import run
from tether.app.cli import cli
from tether.app.question_words import QuestionCommand

QUOTE = "A volume can grow, and never shrinks."


@pytest.fixture
def place(alone: Path, monkeypatch: pytest.MonkeyPatch, shelf: Path, unjudged: None) -> Path:
    monkeypatch.setenv("TETHER_INDEX", str(shelf / "words"))
    return alone


def test_words_without_quotation_marks_are_one_question(place: Path) -> None:
    form = run("ask", "Can", "a", "volume", "shrink?", "--json").succeeded().json
    assert form["question"] == "Can a volume shrink?"
    for words in (("--limit", "1", "volume", "shrinks"), ("volume", "shrinks", "--limit=1")):
        found = run("search", "--json", *words).succeeded()
        assert found.json["query"]["question"] == "volume shrinks"
        assert (len(found.json["hits"]), found.told) == (1, "")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("ask", "what", "does", "--offline", "do"), "--offline stands inside the question"),
        (("ask", "what", "does", "--style=links", "do"), "--style=links stands inside"),
        (("search", "set", "--limit", "5", "where"), "--limit stands inside the question"),
        (("ask", "what", "does", "--colour", "do"), "No such option"),
    ],
    ids=lambda value: "" if isinstance(value, str) else " ".join(value),
)
def test_an_option_inside_a_question_does_not_vanish(
    words: tuple[str, ...], told: str, place: Path
) -> None:
    ran = run(*words)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err
    assert "put quotation marks around the question: tether" in ran.err
    assert f'tether {words[0]} "{words[1]} ' in ran.err


def test_a_flag_after_the_words_is_an_option_and_is_said_to_be(place: Path) -> None:
    ran = run("ask", "volume", "shrinks", "--offline").succeeded()
    assert "Note: --offline is taken as an option." in ran.told
    assert run("ask", "Can a volume shrink?", "--offline").succeeded().told == ""
    assert run("ask", "--offline", "volume", "shrinks").succeeded().told == ""


def test_everything_after_two_hyphens_is_the_question(place: Path) -> None:
    form = run("ask", "--json", "--", "what", "does", "--offline", "do").json
    assert form["question"] == "what does --offline do"


def test_an_option_that_is_mistyped_after_a_quoted_question_is_only_that(place: Path) -> None:
    ran = run("ask", "Can a volume shrink?", "--modle", "x")
    assert ran.code == 2
    assert "--model" in ran.err
    assert "quotation" not in ran.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("aks",), "Did you mean 'ask'?"),
        (("serach", "volumes"), "Did you mean 'search'?"),
        (("how do volumes grow?",), 'tether ask "how do volumes grow?"'),
        (("How", "do", "volumes", "grow"), 'tether ask "How do volumes grow"'),
        (("why",), "No such command 'why'."),
        (("zzzz\x1b",), "No such command 'zzzz\\x1b'."),
    ],
    ids=lambda value: "" if isinstance(value, str) else " ".join(value),
)
def test_a_command_that_does_not_exist_comes_with_the_nearest(
    words: tuple[str, ...], told: str
) -> None:
    ran = run(*words)
    assert ran.code == 2
    assert told in ran.err
    assert ran.err.rstrip().endswith(told)


def test_completion_of_an_unfinished_line_is_left_alone() -> None:
    command = QuestionCommand("ask", params=[click.Argument(["words"], nargs=-1)])
    context = command.make_context("ask", ["a", "--b", "c"], resilient_parsing=True)
    assert context.params["words"] == ()
    root = click.Context(cli, resilient_parsing=True)
    assert cli.resolve_command(root, ["aks"])[1] is None
    assert run("--nothing").code == 2
