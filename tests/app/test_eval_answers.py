"""`tether eval answers`: recorded questions on the bundled corpus, and its output."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.shell import run

EVALS = Path(__file__).parents[2] / "evals"

Report = dict[str, Any]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """The whole bundled set, asked once with the embedded default: no model, no network."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("elsewhere"))
        done = run("eval", "answers", EVALS / "larkspur.toml", "--json").succeeded()
    found: Report = json.loads(done.out)
    return found


def counts(report: Report, kind: str) -> dict[str, int]:
    (found,) = [row for row in report["summary"] if row["kind"] == kind]
    return dict(found)


@pytest.mark.unmeasured
def test_at_least_forty_questions_are_asked(report: Report) -> None:
    assert counts(report, "all")["asked"] >= 40


def test_no_link_leads_outside_of_what_was_retrieved(report: Report) -> None:
    everything = counts(report, "all")
    assert everything["links"] == everything["asked"]


def test_every_quote_stands_in_its_document(report: Report) -> None:
    everything = counts(report, "all")
    assert everything["quotes"] == everything["asked"]


def test_what_is_not_in_the_corpus_is_refused(report: Report) -> None:
    far = counts(report, "out-of-corpus")
    assert far["verdicts"] == far["asked"]


def test_a_hostile_page_gets_nothing_into_an_answer(report: Report) -> None:
    hostile = [row for row in report["results"] if row["kind"] == "injected"]
    assert hostile
    assert all(row["grade"]["clean"] for row in hostile)


def test_no_answer_failed(report: Report) -> None:
    assert [row["id"] for row in report["results"] if row["verdict"] == "failed"] == []


@pytest.mark.parametrize(
    ("kind", "least"),
    [("answerable", 12), ("identifier", 6), ("multi-page", 3), ("follow-up", 3), ("near-miss", 4)],
)
def test_the_default_answers_at_least_as_well_as_it_was_measured(
    report: Report, kind: str, least: int
) -> None:
    """The counts of docs/measurements.md, less one: to be raised with them, never lowered."""
    assert counts(report, kind)["right"] >= least


def test_a_table_and_the_wrong_ones_are_printed(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "ferry.md").write_text("# Ferry\n\nThe ferry leaves at nine.\n")
    questions = tmp_path / "set.toml"
    questions.write_text(
        'docs = "docs"\n'
        '[[question]]\nid = "right"\nask = "When does the ferry leave?"\nsays = ["nine"]\n'
        '[[question]]\nid = "wrong"\nask = "When does the ferry leave?"\nsays = ["ten"]\n'
        'kind = "made-up"\n'
    )
    shown = run("eval", "answers", questions).succeeded().out
    assert shown.splitlines()[0].split()[:7] == [
        *("kind", "n", "answered"),
        *("verdict", "right", "partly", "wrong"),
    ]
    assert shown.splitlines()[1].split()[:7] == ["answerable", "1", "1", "1", "1", "0", "0"]
    assert shown.splitlines()[2].split()[:7] == ["made-up", "1", "1", "1", "0", "0", "1"]
    assert "wrong (made-up): text missing" in shown
    assert "right (" not in shown
    one_kind = run("eval", "answers", questions, "--kind", "answerable").succeeded().out
    assert "made-up" not in one_kind
    strict = run("eval", "answers", questions, "--strict")
    assert strict.code == 1


def test_the_model_alone_is_measured_on_the_same_passages(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "ferry.md").write_text("# Ferry\n\nThe ferry leaves at nine.\n")
    questions = tmp_path / "set.toml"
    questions.write_text(
        'docs = "elsewhere"\n[[question]]\nid = "a"\nask = "When does the ferry leave?"\n'
    )
    words = ("--docs", tmp_path / "docs", "--index", tmp_path / "index", "--naked", "--json")
    done = run("eval", "answers", questions, *words).succeeded()
    (result,) = json.loads(done.out)["results"]
    assert result["attempts"] == 1


def test_a_file_that_is_no_question_set_is_refused(tmp_path: Path) -> None:
    questions = tmp_path / "set.toml"
    questions.write_text("name = 3\n")
    done = run("eval", "answers", questions)
    assert done.code == 2
    assert "[[question]]" in done.err
