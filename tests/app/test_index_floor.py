"""The floor of an index: fitted as it is brought in step, and said where there is none."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from app.conftest import judge_with
from app.pages import put
from app.shell import run
from retrieval.floor.railway import PAGES, SharedWords
from tether.app.index_floor import FEWEST, fit_if_due, floor_of, no_floor
from tether.app.search import open_index
from tether.app.settings.values import JudgeChoice
from tether.core.errors import Aborted
from tether.retrieval.floor.calibration import Calibration
from tether.retrieval.index.index import Index


def stored(index: Index) -> Calibration:
    with index.snapshot() as snapshot:
        assert snapshot.calibration is not None
        return Calibration.from_json(snapshot.calibration)


def store(index: Index, calibration: Calibration) -> None:
    index.store_calibration(calibration.to_json())


@pytest.fixture
def words(tmp_path: Path) -> Path:
    """An index of the words of the handbook, made by the command."""
    folder = tmp_path / "words"
    pages = put(tmp_path / "railway", PAGES)
    run("index", "apply", pages, "--index", folder, "--no-embeddings").succeeded()
    return folder


def test_applying_fits_a_floor_and_says_both_errors(words: Path) -> None:
    status = run("index", "status", "--index", words).succeeded().out
    (line,) = [line for line in status.splitlines() if line.startswith("floor")]
    assert "of the answerable questions and" in line
    assert "other collections) of those about something else" in line
    assert run("search", "sourdough bread", "--index", words).code == 3
    assert run("search", "How do operators repair the wagon?", "--index", words).code == 0


def test_calibrating_without_questions_says_where_its_rates_come_from(words: Path) -> None:
    ran = run("calibrate", "--judge", "off", "--index", words).succeeded()
    first, *rates = ran.out.splitlines()
    assert first.startswith("Fitted on other collections, moved by foreign questions, on coverage")
    assert all("other collections) of " in line for line in rates)


def test_the_next_run_leaves_the_floor_as_it_is(words: Path, tmp_path: Path) -> None:
    before = stored(open_index(words))
    ran = run("index", "apply", tmp_path / "railway", "--index", words, "--no-embeddings")
    assert "floor" not in ran.succeeded().out
    assert stored(open_index(words)) == before
    assert fit_if_due(open_index(words), "off") == ""


def test_an_index_that_grew_gets_a_new_floor_unless_it_is_one_of_given_questions(
    words: Path,
) -> None:
    index = open_index(words)
    fitted = stored(index)
    store(index, replace(fitted, passages=fitted.passages // 2))
    assert fit_if_due(index, "off").startswith("floor: refuses ")
    assert stored(index).passages == fitted.passages
    given = replace(fitted, passages=fitted.passages // 2, questions="file")
    store(index, given)
    assert fit_if_due(index, "off") == ""
    assert stored(index) == given


@pytest.mark.parametrize("is_readable", [True, False])
def test_a_floor_of_another_version_is_replaced(words: Path, is_readable: bool) -> None:
    index = open_index(words)
    fitted = stored(index)
    if is_readable:
        store(index, replace(fitted, parts=replace(fitted.parts, search="another mix")))
    else:
        index.store_calibration(json.dumps({"format": 1}))
        assert floor_of(index).startswith("not valid: ")
    assert fit_if_due(index, "off").startswith("floor: refuses ")
    assert stored(index) == fitted


def test_only_so_many_questions_are_asked_as_the_size_allows(words: Path) -> None:
    index = open_index(words)
    store(index, replace(stored(index), passages=1))
    asked: list[None] = []
    fit_if_due(index, "off", check=lambda: asked.append(None))
    assert len(asked) == FEWEST


def test_work_on_the_floor_can_be_stopped(words: Path) -> None:
    def stop() -> None:
        raise Aborted("stopped")

    index = open_index(words)
    small = replace(stored(index), passages=1)
    store(index, small)
    with pytest.raises(Aborted):
        fit_if_due(index, "off", check=stop)
    assert stored(index) == small


@pytest.mark.parametrize("choice", get_args(JudgeChoice))
def test_a_judge_that_is_on_is_noted_with_the_floor(
    words: Path, monkeypatch: pytest.MonkeyPatch, choice: JudgeChoice
) -> None:
    judge_with(monkeypatch, SharedWords)
    index = open_index(words)
    store(index, replace(stored(index), passages=1))
    fit_if_due(index, choice)
    fitted = stored(index)
    assert fitted.passages > 1
    assert fitted.parts.judge == ("shared/1" if choice == "on" else "")


def test_a_small_index_says_that_it_has_no_floor(shelf: Path, tmp_path: Path) -> None:
    small = open_index(Path(shutil.copytree(shelf / "words", tmp_path / "small")))
    told = fit_if_due(small, "off")
    assert told == no_floor(4)
    assert "4 passages of the 20 that one needs" in told
    assert floor_of(small) == f"none {told.removeprefix('no floor ')}"
    assert "run `tether calibrate`" in no_floor(1000)
    ran = run("calibrate", "--judge", "off", "--index", tmp_path / "small")
    assert (ran.code, "4 passages are too few for a floor" in ran.err) == (1, True)


def test_too_few_questions_for_a_foreign_embedder_leave_no_floor(
    shelf: Path, tmp_path: Path, cheap: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tether.app.index_floor.LEAST_PASSAGES", 1)
    small = open_index(Path(shutil.copytree(shelf / "index", tmp_path / "small")))
    assert fit_if_due(small, "off").startswith("no floor: ")
    assert not small.status().is_calibrated
