"""The shipped judge, and other files in its place."""

from __future__ import annotations

import math
import sys
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from retrieval.dense.tiny_onnx import along_the_tokens, tiny_onnx
from support.processor_time import set_processor_time
from tether.retrieval.dense.onnx_model import TIMED
from tether.retrieval.errors import InvalidRetrievalSettings, JudgeFailed
from tether.retrieval.judge import (
    UNIT_QUESTION_TOKENS,
    UNIT_TOKENS,
    JudgeSettings,
    OnnxJudge,
)
from tether.retrieval.ports import Judge, PacedJudge

MODELS = Path(str(files("tether.retrieval").joinpath("models")))
QUESTION = "How do I see the logs of a container?"
PASSAGES = [
    "Debugging > Logs\nUse kubectl logs with the name of the pod to print a container's logs.",
    "Cooking > Bread\nBake the bread for forty minutes and let it cool.",
    "",
]
UNITS = [
    "Debugging > Logs: Run `kubectl logs POD` to see the logs of a container.",
    "Debugging > Logs: A pod that was deleted has no events.",
    "Cooking > Bread: Bake the bread for forty minutes and let it cool.",
]


@cache
def judge() -> OnnxJudge:
    return OnnxJudge(settings=JudgeSettings(threads=2))


@cache
def scores() -> list[float]:
    return judge().score(QUESTION, PASSAGES)


def test_the_passage_that_answers_scores_highest() -> None:
    port: Judge = judge()
    assert port.fingerprint
    assert scores()[0] > max(scores()[1:])
    assert len(scores()) == 3


def test_a_score_is_the_same_to_the_bit_in_any_company_order_and_number_of_threads() -> None:
    alone = OnnxJudge(settings=JudgeSettings(threads=1))
    assert [alone.score(QUESTION, [passage])[0] for passage in PASSAGES] == scores()
    assert judge().score(QUESTION, PASSAGES[::-1]) == scores()[::-1]


def test_a_unit_that_answers_has_a_higher_logit_than_one_that_does_not() -> None:
    found = judge().answers(QUESTION, UNITS)
    assert len(found) == len(UNITS)
    assert np.isfinite(found).all()
    assert found[0] > max(found[1:])


def test_a_logit_is_the_same_to_the_bit_in_any_company_and_order() -> None:
    found = judge().answers(QUESTION, UNITS)
    assert [judge().answers(QUESTION, [unit])[0] for unit in UNITS] == found
    assert judge().answers(QUESTION, UNITS[::-1]) == found[::-1]


def test_of_a_unit_and_its_question_only_the_beginnings_are_read() -> None:
    long = "bread and butter " * UNIT_TOKENS
    assert judge().answers(QUESTION, [long]) == judge().answers(QUESTION, [long + UNITS[0]])
    short = "bread and butter "
    assert judge().answers(QUESTION, [short]) != judge().answers(QUESTION, [short + UNITS[0]])
    endless = QUESTION + " again" * UNIT_QUESTION_TOKENS
    assert judge().answers(endless, UNITS) == judge().answers(endless + " bread", UNITS)
    assert judge().answers(QUESTION, UNITS) != judge().answers(QUESTION + " bread", UNITS)


@pytest.mark.parametrize(
    ("units", "read"), [(3.5, 3), (2.0, 2), (0.9, 0), (0.0, 0)], ids=["most", "two", "part", "none"]
)
def test_only_the_units_that_fit_into_the_time_have_a_logit(
    monkeypatch: pytest.MonkeyPatch, units: float, read: int
) -> None:
    set_processor_time(monkeypatch, len(TIMED.ids) / 1000)  # a millisecond for each token
    long = [f"{unit} {'and so on ' * UNIT_TOKENS}" for unit in (*UNITS, *UNITS)]
    paced = OnnxJudge(settings=JudgeSettings(threads=1))
    found = paced.answers(QUESTION, long, units * UNIT_TOKENS)
    assert found == judge().answers(QUESTION, long)[:read]


@pytest.mark.parametrize(("passages", "fits"), [(3.5, 3), (2.0, 2), (0.9, 0), (0.0, 0)])
def test_a_judge_knows_how_many_passages_fit_into_the_time(
    monkeypatch: pytest.MonkeyPatch, passages: float, fits: int
) -> None:
    set_processor_time(monkeypatch, len(TIMED.ids) / 1000)
    settings = JudgeSettings(max_tokens=100, max_question_tokens=20, threads=1)
    paced = OnnxJudge(settings=settings)
    assert isinstance(paced, PacedJudge)
    assert paced.fitting(QUESTION, ["and so on " * 100] * 5, passages * 100) == fits


def test_without_a_limit_every_passage_fits() -> None:
    assert judge().fitting(QUESTION, PASSAGES, math.inf) == len(PASSAGES)
    assert judge().fitting(QUESTION, PASSAGES, 0) == 0


def test_the_end_of_a_long_passage_is_left_out_and_the_question_kept() -> None:
    settings = JudgeSettings(max_tokens=48, max_question_tokens=20)
    small = OnnxJudge(settings=settings)
    long = "bread and butter " * 40
    assert small.score(QUESTION, [long]) == small.score(QUESTION, [long + PASSAGES[0]])
    other = QUESTION.replace("container", "cookbook")
    assert small.score(QUESTION, [long]) != small.score(other, [long])
    endless = QUESTION + " again" * 400
    assert small.score(endless, [PASSAGES[0]]) == small.score(endless + " more", [PASSAGES[0]])
    assert small.score(endless, [PASSAGES[0]]) != small.score(endless, [PASSAGES[1]])


def test_no_passages_have_no_scores() -> None:
    assert judge().score(QUESTION, []) == []
    assert judge().answers(QUESTION, []) == []
    assert judge().fitting(QUESTION, [], 1.0) == 0


def test_the_fingerprint_names_the_file_and_changes_with_what_is_read() -> None:
    assert judge().fingerprint.startswith("judge.int8:")
    assert OnnxJudge().fingerprint == judge().fingerprint == judge().fingerprint
    shorter = OnnxJudge(settings=JudgeSettings(max_tokens=256))
    assert shorter.fingerprint != judge().fingerprint
    assert repr(shorter) == "OnnxJudge('judge.int8')"


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"max_tokens": 100}, "max_tokens"),
        ({"max_question_tokens": 0}, "max_question_tokens"),
        ({"threads": -1}, "threads"),
    ],
    ids=str,
)
def test_settings_that_cannot_work_are_refused(settings: dict[str, int], field: str) -> None:
    with pytest.raises(InvalidRetrievalSettings, match=field):
        JudgeSettings(**settings)


def test_files_that_cannot_be_used_are_a_judge_that_failed(tmp_path: Path) -> None:
    missing = OnnxJudge(path=tmp_path / "gone.onnx")
    with pytest.raises(JudgeFailed, match=r"gone\.onnx cannot be read"):
        missing.score(QUESTION, PASSAGES)
    with pytest.raises(JudgeFailed, match=r"gone\.onnx cannot be read"):
        missing.fitting(QUESTION, PASSAGES, 1.0)
    with pytest.raises(JudgeFailed, match=r"gone\.onnx cannot be read"):
        missing.answers(QUESTION, UNITS)
    with pytest.raises(JudgeFailed, match=r"words\.txt cannot be read"):
        OnnxJudge(vocabulary=tmp_path / "words.txt").score(QUESTION, PASSAGES)
    embedder = OnnxJudge(path=MODELS / "minilm.int8.onnx")
    with pytest.raises(JudgeFailed, match="is not a cross-encoder"):
        embedder.score(QUESTION, PASSAGES)


def test_a_file_with_one_logit_scores_and_does_not_say_what_answers(tmp_path: Path) -> None:
    path = tmp_path / "one.onnx"
    path.write_bytes(tiny_onnx("ReduceMax", attributes=[along_the_tokens()]))
    single = OnnxJudge(path=path)
    assert single.score("", [""]) == [102.0], "the largest token number, that of [SEP]"
    with pytest.raises(JudgeFailed, match="does not say whether"):
        single.answers("", [""])
    assert single.answers("", [""], 0) == [], "nothing was read"


def test_a_file_with_other_numbers_than_logits_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "many.onnx"
    path.write_bytes(tiny_onnx("Identity"))
    with pytest.raises(JudgeFailed, match="is not a cross-encoder"):
        OnnxJudge(path=path).score("", [""])


def test_a_missing_runtime_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(JudgeFailed, match=r"pip install tether"):
        OnnxJudge().score(QUESTION, PASSAGES)
