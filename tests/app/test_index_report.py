"""What was left out is said where a person sees it: after an update, and in the status."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.pages import put
from app.shell import run
from tether.app.commands.index_report import left_out_lines
from tether.retrieval.source import DocumentState

pytestmark = pytest.mark.usefixtures("alone", "cheap")

FILES = {
    "a.md": "# A\n\nWords about pods.",
    "empty.md": "\n",
    "logo.png": "x",
    **{f"{number}.xyz": "x" for number in range(5)},
}
LINES = [
    "empty: empty.md: holds no text",
    "skipped: logo.png: pictures, sound, film and fonts are not read",
    "skipped: 0.xyz, 1.xyz, 2.xyz and 2 more: no reader takes the ending .xyz",
    "7 were left out; `tether index status --left-out` lists all of them",
]


def test_documents_that_were_left_out_are_named_with_the_reason(tmp_path: Path) -> None:
    docs, index = put(tmp_path / "docs", FILES), tmp_path / "index"
    ran = run("index", "apply", docs, "--index", index, "--no-embeddings").succeeded()
    assert ran.out.splitlines()[0] == "8 documents: 1 empty, 1 indexed, 6 skipped"
    assert ran.out.splitlines()[2:6] == LINES
    status = run("index", "status", "--index", index).succeeded().out.splitlines()
    assert status[-4:] == LINES


def test_all_of_them_are_listed_on_request(tmp_path: Path) -> None:
    docs, index = put(tmp_path / "docs", FILES), tmp_path / "index"
    run("index", "apply", docs, "--index", index, "--no-embeddings").succeeded()
    listed = run("index", "status", "--index", index, "--left-out").succeeded().out
    for number in range(5):
        assert f"skipped: {number}.xyz: no reader takes the ending .xyz\n" in listed
    assert "lists all" not in listed
    found = run("index", "status", "--index", index, "--json").succeeded().json["left_out"]
    assert {one["key"] for one in found} == set(FILES) - {"a.md"}


def test_few_documents_are_listed_without_a_hint_and_rare_reasons_come_first() -> None:
    states = [
        DocumentState(key="a.x", state="skipped", reason="common"),
        DocumentState(key="b.x", state="skipped", reason="common"),
        DocumentState(key="c\x1b[31m", state="skipped", reason="rare"),
    ]
    assert list(left_out_lines(states)) == [
        "skipped: c\\x1b[31m: rare",
        "skipped: a.x, b.x: common",
    ]
    assert list(left_out_lines([])) == []
    many = [DocumentState(key=str(n), state="skipped", reason=f"why {n}") for n in range(9)]
    lines = list(left_out_lines(many))
    assert len(lines) == 6
    assert lines[-1].startswith("9 were left out; ")


def test_a_plan_names_what_it_will_leave_out(tmp_path: Path) -> None:
    docs = put(tmp_path / "docs", FILES)
    text = run("index", "plan", docs, "--index", tmp_path / "index").succeeded().out
    assert text.splitlines()[-3:] == [
        LINES[1],
        LINES[2],
        "6 were left out; `tether index plan --json` lists all of them",
    ]


def test_the_first_question_names_what_was_left_out_and_later_ones_what_is_new(
    tmp_path: Path,
) -> None:
    docs = put(tmp_path / "docs", {**FILES, "cut.ipynb": '{"cells": ['})
    asked = ("ask", "What about pods?", "--docs", docs)
    told = run(*asked).told.splitlines()
    assert told[0].startswith("failed: cut.ipynb: the notebook is not valid JSON")
    assert told[1] == "1 document could not be read; `tether index status` lists the reasons."
    assert told[2:] == LINES
    assert run(*asked).told.splitlines() == told[1:2]
    (docs / "cut.ipynb").unlink()
    put(docs, {"b.md": "# B\n\nMore about pods.", "new.png": "x"})
    told = run(*asked).told.splitlines()
    assert told == ["skipped: new.png: pictures, sound, film and fonts are not read"]
