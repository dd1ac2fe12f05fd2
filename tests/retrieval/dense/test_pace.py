"""The pace of a model: how many texts it can read in some processor time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retrieval.dense.tiny_onnx import tiny_onnx
from support.processor_time import set_processor_time
from tether.retrieval.dense.onnx_model import TIMED, OnnxModel
from tether.retrieval.dense.word_pieces import Tokens
from tether.retrieval.errors import JudgeFailed

LONG = len(TIMED.ids)
"""Tokens of the text that a model is timed with; at a step of as many seconds, each takes one."""


def model_in(folder: Path) -> OnnxModel:
    path = folder / "tiny.onnx"
    path.write_bytes(tiny_onnx("Identity"))
    return OnnxModel(path, folder / "unread.txt", threads=1, failure=JudgeFailed)


def texts(*lengths: int) -> list[Tokens]:
    return [Tokens(ids=[1] * length, types=[0] * length) for length in lengths]


def test_without_a_limit_all_are_read_and_nothing_is_timed(tmp_path: Path) -> None:
    gone = OnnxModel(
        tmp_path / "gone.onnx", tmp_path / "unread.txt", threads=1, failure=JudgeFailed
    )
    assert gone.fitting(texts(5, 5, 5), math.inf) == 3
    with pytest.raises(JudgeFailed, match=r"gone\.onnx cannot be read"):
        gone.fitting(texts(5), 1.0)


@pytest.mark.parametrize(
    ("lengths", "seconds", "fits"),
    [
        ([10, 10, 10], 25, 2),
        ([10, 10, 10], 30, 3),
        ([10, 10, 10], 9.9, 0),
        ([10, 50, 1], 20, 1),
        ([1, 1], 0, 0),
        ([], 0, 0),
    ],
    ids=["some", "all", "none", "stops at one that is too long", "no time", "no texts"],
)
def test_as_many_texts_as_fit_are_read_from_the_first_on(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    lengths: Sequence[int],
    seconds: float,
    fits: int,
) -> None:
    set_processor_time(monkeypatch, LONG)
    assert model_in(tmp_path).fitting(texts(*lengths), seconds) == fits


def test_the_pace_is_taken_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = set_processor_time(monkeypatch, LONG)
    model = model_in(tmp_path)
    model.fitting(texts(10), 100)
    runs = clock.runs
    assert runs > 0
    clock.step = 1000.0 * LONG
    assert model.fitting(texts(10, 10), 10) == 1
    assert clock.runs == runs


def test_a_model_that_has_read_a_text_is_not_timed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = set_processor_time(monkeypatch, LONG)
    model = model_in(tmp_path)
    model.run_all(texts(LONG))
    runs = clock.runs
    assert model.fitting(texts(10, 10), 10) == 1
    assert clock.runs == runs


def test_the_quickest_text_of_some_length_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = set_processor_time(monkeypatch, LONG)
    model = model_in(tmp_path)
    asked = texts(*[10] * 8)
    assert model.fitting(asked, 20) == 2
    for step, length, fits in [
        (4 * LONG, LONG, 2),  # slower: the machine was busy
        (1, LONG - 1, 2),  # too short to tell
        (LONG / 2, LONG, 4),
        (LONG / 2, 2 * LONG, 8),
    ]:
        clock.step = step
        model.run_all(texts(length))
        assert model.fitting(asked, 20) == fits


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(1, 500), max_size=20), st.integers(0, 3000))
def test_the_time_is_never_exceeded_and_never_left_unused(
    tmp_path: Path, lengths: list[int], seconds: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        set_processor_time(patch, LONG)
        count = model_in(tmp_path).fitting(texts(*lengths), seconds)
    needed = list(accumulate(lengths))
    assert count == sum(one <= seconds for one in needed)
