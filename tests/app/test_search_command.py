"""`tether search` and `tether calibrate`: passages with reasons, and refusals that exit with 3."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from app.conftest import judge_with
from app.pages import put
from app.shell import run, run_apart
from retrieval.floor.railway import DEEDS, THINGS, SharedWords
from tether.app.index_floor import no_floor
from tether.retrieval.search.settings import MixWeights

pytestmark = pytest.mark.usefixtures("alone", "cheap")


def test_the_best_passages_are_printed_with_their_places(index: Path) -> None:
    ran = run("search", "Can a volume shrink?", "--index", index).succeeded()
    assert ran.out.startswith("[1] Volumes > Size\n    volumes.md#size\n    Ask for a size")
    assert run("search", "volume", "--limit", "1", "--index", index).out.count("\n[") == 0


def test_explaining_names_the_lanes_their_ranks_and_who_was_left_out(index: Path) -> None:
    ran = run("search", "shrinks", "--explain", "--index", index).succeeded()
    assert "words #1 (" in ran.out
    assert "dense #1 (" in ran.out
    assert "boost 1." in ran.out
    lonely = run("search", "qqzzx", "--explain", "--index", index)
    assert "left out: words: " in lonely.out


def test_a_misspelled_word_is_searched_for_as_the_documents_spell_it(tmp_path: Path) -> None:
    pages = {f"{number}.md": f"# Crane {number}\n\nA locomotive waits." for number in range(4)}
    docs = put(tmp_path / "docs", pages)
    ran = run("search", "where does the locomtive wait", "--docs", docs, "--index", tmp_path / "i")
    assert 'Note: searched for "locomotive" instead of "locomtive".' in ran.err
    assert "A locomotive waits." in ran.out


def test_a_long_passage_is_cut(tmp_path: Path) -> None:
    docs = put(tmp_path / "docs", {"long.txt": "wagon " * 100, "short.txt": "locomotive"})
    index = tmp_path / "index"
    run("index", "apply", docs, "--index", index, "--no-embeddings").succeeded()
    lines = run("search", "wagon", "--index", index).succeeded().out.splitlines()
    assert lines[-1] == "    " + ("wagon " * 50) + "..."
    assert run("search", "locomotive", "--index", index).out.endswith("    locomotive\n")


def test_findings_as_json_carry_every_number(index: Path) -> None:
    found = run("search", "restarted pod", "--index", index, "--json").succeeded().json
    hit = found["hits"][0]
    assert hit["chunk"]["document"] == "pods.md"
    assert {vote["lane"] for vote in hit["votes"]} == {"words", "grams", "dense"}
    assert found["verdict"] is None
    assert found["refusal"] is None


def test_nothing_found_is_refused(tmp_path: Path) -> None:
    docs = put(tmp_path / "docs", {"a.txt": "wagon"})
    index = tmp_path / "index"
    run("index", "apply", docs, "--index", index, "--no-embeddings").succeeded()
    ran = run("search", "?!", "--index", index)
    assert (ran.code, ran.out) == (3, "The documents do not cover this.\n")


def test_with_a_floor_questions_of_the_documents_pass_and_others_are_refused(
    calibrated: Path,
) -> None:
    asked = [
        f"How do operators {deed} the {thing}?" for thing, deed in zip(THINGS, DEEDS, strict=False)
    ]
    codes = [run("search", text, "--index", calibrated).code for text in asked]
    assert codes.count(0) >= 3
    ran = run("search", "Which yard stays locked for sourdough bread?", "--index", calibrated)
    assert ran.code == 3
    assert ran.out.startswith("The documents do not cover this.\nThe nearest pages:\n- The ")
    found = run("search", "sourdough bread", "--index", calibrated, "--json")
    assert found.code == 3
    assert found.json["refusal"]["reason"] in ("below-floor", "nothing-found")


@pytest.mark.parametrize("choice", ["auto", "on"])
def test_a_floor_that_reads_no_judge_holds_with_any(
    calibrated: Path, judging: None, choice: str
) -> None:
    ran = run("search", "wagon", "--judge", choice, "--explain", "--index", calibrated).succeeded()
    assert ", judge 1.00" in ran.out
    ran = run("search", "wagon", "--judge", "off", "--explain", "--index", calibrated).succeeded()
    assert ", judge " not in ran.out


def test_explaining_names_the_floor_and_says_if_there_is_none(
    calibrated: Path, index: Path
) -> None:
    told = run("search", "Inspect the wagon", "--explain", "--index", calibrated).out
    assert re.search(r"\nfloor: 0\.\d+, and 0\.\d+ is needed$", told.rstrip())
    ran = run("search", "restart", "--explain", "--index", index).succeeded()
    assert ran.out.rstrip().endswith("floor: none, so nothing that was found is refused")
    assert ran.err == f"Note: {no_floor(4)}.\n"


def test_a_target_needs_questions_of_people(calibrated: Path) -> None:
    ran = run("calibrate", "--target", "0.1", "--index", calibrated)
    assert (ran.code, "--target needs --questions" in ran.err) == (2, True)


def test_calibrating_says_what_is_refused_and_how_sure_that_is(calibrated: Path) -> None:
    ran = run("calibrate", "--judge", "off", "--index", calibrated, "--count", "20").succeeded()
    first, *rates = ran.out.splitlines()
    assert first.startswith("Fitted with questions made from the documents, on coverage")
    assert [line.split(" of ")[1] for line in rates] == [
        "the answerable questions",
        "questions about something else",
        "questions whose own page is missing",
    ]
    assert all("%" in line and "n = " in line for line in rates)


def test_calibrating_with_questions_of_people_fits_the_mix_too(
    calibrated: Path, tmp_path: Path
) -> None:
    questions = tmp_path / "questions.jsonl"
    lines = [
        {"question": f"How is the {thing} handled: {deed}?", "documents": [f"{thing}.md"]}
        for thing in THINGS[:12]
        for deed in DEEDS[:2]
    ]
    questions.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    ran = run(
        "calibrate", "--judge", "off", "--questions", questions, "--index", calibrated, "--json"
    ).succeeded()
    assert ran.json["questions"] == "file"
    assert ran.json["models"][0]["false_refusals"]["count"] == len(lines)
    assert run("search", "How is the wagon handled?", "--index", calibrated).code in (0, 3)


def test_fitted_weights_are_told_and_searched_with(
    calibrated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = MixWeights(ranks=0.9, words=0.1, grams=0, cosine=0, judge=0)
    monkeypatch.setattr("tether.app.commands.calibrate.fit_mix", lambda *_: weights)
    questions = tmp_path / "questions.jsonl"
    lines = [{"question": f"Why {thing}?", "documents": [f"{thing}.md"]} for thing in THINGS]
    questions.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    ran = run(
        "calibrate", "--judge", "off", "--questions", questions, "--index", calibrated
    ).succeeded()
    assert "Fitted with questions given" in ran.out
    assert f"The weights of the mix were fitted: {weights}." in ran.out
    assert run("search", "wagon", "--index", calibrated, "--json").json["verdict"] is not None


def test_too_few_questions_fit_no_floor_and_a_bad_line_is_named(
    index: Path, tmp_path: Path
) -> None:
    ran = run("calibrate", "--judge", "off", "--index", index)
    assert ran.code == 1
    assert "at least 20 are needed" in ran.err
    questions = tmp_path / "questions.jsonl"
    questions.write_text("{", encoding="utf-8")
    ran = run("calibrate", "--judge", "off", "--questions", questions, "--index", index)
    assert ran.code == 1
    assert "questions.jsonl, line 1 is not JSON" in ran.err


def test_a_search_in_a_process_of_its_own_with_the_shipped_judge(words: Path) -> None:
    asked = ("search", "Can a volume shrink?", "--judge", "on", "--index", words, "--json")
    ran = run_apart(*asked).succeeded()
    assert ran.json["hits"][0]["chunk"]["document"] == "volumes.md"
    assert all(isinstance(hit["judge"], float) for hit in ran.json["hits"])
    assert ran.err == f"Note: {no_floor(4)}.\n"


@pytest.fixture
def judging(cheap: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a judge that takes no time stand in for the shipped one."""
    judge_with(monkeypatch, SharedWords)


FITTED = "It is fitted to the scores of the judge, which is then always on."


def test_without_its_judge_a_search_has_no_floor_and_says_so(
    calibrated: Path, judging: None
) -> None:
    words = ("calibrate", "--judge", "on", "--count", "25", "--index", calibrated)
    assert run(*words).succeeded().out.splitlines()[-1] == FITTED
    assert ", judge 1.00" in run("search", "wagon", "--explain", "--index", calibrated).out
    far = "Which sourdough bread stays in the yard?"
    assert run("search", far, "--index", calibrated).code == 3
    ran = run("search", far, "--judge", "off", "--explain", "--index", calibrated).succeeded()
    assert ran.out.rstrip().endswith("floor: none, so nothing that was found is refused")
    assert ran.err == f"Note: {no_floor(25, is_fitted=True)}.\n"
    assert "fitted to the scores of the judge, which is off" in ran.err


@pytest.mark.parametrize("choice", ["auto", "off"])
def test_any_other_floor_is_fitted_without_the_judge(
    calibrated: Path, judging: None, choice: str
) -> None:
    words = ("calibrate", "--judge", choice, "--count", "25", "--index", calibrated)
    assert FITTED not in run(*words).succeeded().out
    ran = run(*words, "--json").succeeded()
    assert ran.json["parts"]["judge"] == ""


def test_the_settings_say_where_the_index_is_and_what_belongs_into_it(alone: Path) -> None:
    put(alone / "docs", {"a.md": "# Lanterns\n\nA lantern glows in the dark."})
    (alone / "tether.toml").write_text('docs = "docs"\nindex = "./kept"\njudge = "off"\n')
    below = alone / "docs"
    os.chdir(below)
    assert run("search", "lantern").succeeded().out.startswith("[1] Lanterns\n    a.md")
    assert (alone / "kept").is_dir()
    (alone / "docs" / "b.md").write_text("# Wagons\n\nA wagon has wheels.")
    assert "b.md" in run("search", "wagon").out, "it is brought in step first, as `ask` does"
    assert run("index", "status", "--json").json["documents"] == 2
    ran = run("calibrate")
    assert (ran.code, "at least 20 are needed" in ran.err) == (1, True)


def test_offline_holds_for_every_command_that_reads(alone: Path) -> None:
    (alone / "tether.toml").write_text('docs = "https://docs.example.invalid/"\noffline = true\n')
    run("trust").succeeded()
    for words in (("search", "x"), ("calibrate",), ("index", "apply"), ("index", "plan")):
        ran = run(*words)
        assert ran.code == 1
        assert "--offline" in ran.err
