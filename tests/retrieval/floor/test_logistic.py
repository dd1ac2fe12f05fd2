"""The fit, against what has to hold at its minimum and against cases with known answers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.retrieval.floor.logistic import LogisticModel, fit_logistic


def test_without_information_the_probability_is_the_share_of_the_labels() -> None:
    rows = np.zeros((8, 2))
    labels = np.array([True] * 6 + [False] * 2)
    model = fit_logistic(rows, labels)
    assert model.weights == pytest.approx((0.0, 0.0))
    assert model.intercept == pytest.approx(math.log(3))
    assert model.probabilities(rows[:1])[0] == pytest.approx(0.75)


def test_two_points_with_a_penalty_have_a_solution_that_can_be_checked_by_hand() -> None:
    model = fit_logistic(np.array([[-1.0], [1.0]]), np.array([False, True]), ridge=1.0)
    # By symmetry the intercept is 0, and the gradient 2 * (1 - p) = w must hold at the minimum.
    (weight,) = model.weights
    assert model.intercept == pytest.approx(0.0, abs=1e-9)
    assert 2 * (1 - 1 / (1 + math.exp(-weight))) == pytest.approx(weight, abs=1e-6)


@given(
    st.lists(st.tuples(st.floats(-5, 5), st.floats(-5, 5), st.booleans()), min_size=4, max_size=40),
    st.floats(0.1, 10),
)
def test_the_gradient_vanishes_at_the_solution(
    data: list[tuple[float, float, bool]], ridge: float
) -> None:
    rows = np.array([[one, other] for one, other, _ in data])
    labels = np.array([label for _, _, label in data])
    if labels.all() or not labels.any():
        labels[0] = not labels[0]
    model = fit_logistic(rows, labels, ridge=ridge)
    scaled = (rows - np.array(model.means)) / np.array(model.scales)
    errors = model.probabilities(rows) - labels
    gradient = scaled.T @ errors + ridge * np.array(model.weights)
    assert np.abs(gradient).max() < 1e-4
    assert abs(errors.sum()) < 1e-4


def test_classes_that_separate_get_finite_weights() -> None:
    rows = np.linspace(-1, 1, 20)[:, np.newaxis]
    model = fit_logistic(rows, rows[:, 0] > 0)
    assert 1 < model.weights[0] < 50
    assert model.probabilities(np.array([[-1.0], [1.0]])).round().tolist() == [0.0, 1.0]


def test_importance_counts_like_repetition() -> None:
    rows = np.array([[0.0], [1.0], [1.0], [3.0], [4.0], [4.0]])
    labels = np.array([False, False, False, True, True, True])
    repeated = fit_logistic(rows, labels, ridge=1.0)
    once = LogisticModel(means=repeated.means, scales=repeated.scales, weights=(), intercept=0)
    assert once.means == repeated.means
    heavy = fit_logistic(rows, labels, importance=np.array([1, 5, 5, 1, 1, 1.0]), ridge=1.0)
    far = np.array([[2.0]])
    assert heavy.probabilities(far)[0] < repeated.probabilities(far)[0]


def test_large_numbers_do_not_overflow() -> None:
    model = LogisticModel(means=(0.0,), scales=(1e-6,), weights=(1.0,), intercept=0.0)
    assert model.probabilities(np.array([[1e6], [-1e6]])).tolist() == [1.0, 0.0]


def test_labels_of_one_kind_give_a_probability_near_one() -> None:
    model = fit_logistic(np.array([[0.0], [1.0], [2.0]]), np.array([True, True, True]))
    assert all(math.isfinite(number) for number in (*model.weights, model.intercept))
    assert model.probabilities(np.array([[-5.0], [5.0]])).tolist() == pytest.approx([1.0, 1.0])
