"""`tether eval truth`: its tables, its examples and its files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.shell import run

ROW = {
    "id": "ferry",
    "page": "ferry.md",
    "heading": "Ferry",
    "quote": "The ferry leaves at nine and returns at noon.",
    "before": "",
    "after": "",
    "question": "When does the ferry leave?",
    "true": ["The ferry leaves at nine and returns at noon.", "It departs at nine."],
    "false": [{"text": "The ferry leaves at ten.", "kind": "number"}],
}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "set.jsonl"
    path.write_text(json.dumps(ROW) + "\n")
    return path


def test_the_counts_the_kinds_and_the_cost_are_printed(data: Path) -> None:
    shown = run("eval", "truth", data, "--verifier", "none").succeeded().out
    lines = [line.split() for line in shown.splitlines()]
    assert ["true", "kept", "1", "2", "0.500", "0.095", "to", "0.905"] in lines
    assert ["number", "0", "1", "0.000", "0.000", "to", "0.793"] in lines
    assert lines[-1][:3] == ["CPU", "a", "statement:"]


def test_errors_are_shown_with_what_was_read(data: Path) -> None:
    wrong = json.dumps(ROW | {"id": "wrong", "false": [{"text": ROW["quote"], "kind": "near"}]})
    with data.open("a") as file:
        file.write(wrong + "\n")
    shown = run("eval", "truth", data, "--verifier", "none", "--show", "1").succeeded().out
    assert "shown, and false:\n\nwrong (near): verbatim, 1.000\n" in shown
    assert "not shown, and true:\n\nferry (true): unsupported, 0.000, no passage" in shown
    assert f"  said: {ROW['quote']}\n" in shown
    assert f"  asked: {ROW['question']}\n" in shown
    assert f"  read: Ferry: {ROW['quote']}\n" in shown


def test_the_json_form_and_the_file_have_every_count(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "weighed.jsonl"
    words = ("--verifier", "none", "--others", "2", "--seed", "3", "--json", "--out", out)
    found = json.loads(run("eval", "truth", data, *words).succeeded().out)
    assert (found["data"], found["quotes"], found["verifier"]) == (["set"], 1, "")
    assert (found["others"], found["seed"]) == (2, 3)
    assert found["tallies"][0] | {"interval": None} == {
        "name": "true kept",
        "count": 1,
        "total": 2,
        "interval": None,
    }
    assert found["cost"]["claims"] == 0
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [(row["kind"], row["shown"]) for row in rows] == [
        ("true", True),
        ("true", False),
        ("number", False),
    ]


def test_the_included_verifier_reads_the_statements(data: Path) -> None:
    found = json.loads(run("eval", "truth", data, "--json").succeeded().out)
    assert found["verifier"].startswith("verifier")
    assert found["cost"]["claims"] > 0
    assert found["cost"]["verifier_ms"] > 0


def test_a_model_that_is_not_there_is_named(data: Path, tmp_path: Path) -> None:
    done = run("eval", "truth", data, "--verifier", tmp_path / "none.onnx")
    assert done.code == 2
    assert "none.onnx" in done.err


def test_data_that_are_not_statements_are_refused(tmp_path: Path) -> None:
    done = run("eval", "truth", tmp_path)
    assert done.code == 1
    assert "has no statements" in done.err
