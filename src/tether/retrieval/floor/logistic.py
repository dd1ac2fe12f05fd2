"""Logistic regression on a few features: small, exact, and the same on every run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

STEPS = 100
SMALL_STEP = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class LogisticModel:
    """A probability from features: each is centred, scaled, weighted and added to the intercept."""

    means: tuple[float, ...]
    scales: tuple[float, ...]
    weights: tuple[float, ...]
    intercept: float

    def probabilities(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability of each row of features."""
        scaled = (rows - np.array(self.means)) / np.array(self.scales)
        return _sigmoid(scaled @ np.array(self.weights) + self.intercept)


def fit_logistic(
    rows: NDArray[np.float64],
    labels: NDArray[np.bool_],
    *,
    importance: NDArray[np.float64] | None = None,
    ridge: float = 1.0,
) -> LogisticModel:
    """Fit by Newton's method with a penalty of `ridge / 2` times the squared weights.

    The penalty keeps weights finite if a feature separates the classes, and divides them among
    correlated features. The intercept has no penalty. `importance` weights the rows. The loss is
    convex, so the result does not depend on the starting point.
    """
    means, scales = rows.mean(axis=0), rows.std(axis=0)
    scales = np.where(scales > 0, scales, 1.0)
    design = np.column_stack([(rows - means) / scales, np.ones(len(rows))])
    weighing = np.ones(len(rows)) if importance is None else importance
    penalty = np.append(np.full(rows.shape[1], ridge), 0.0)
    solution = _newton(design, labels.astype(np.float64), weighing, penalty)
    return LogisticModel(
        means=tuple(means.tolist()),
        scales=tuple(scales.tolist()),
        weights=tuple(solution[:-1].tolist()),
        intercept=float(solution[-1]),
    )


def _newton(
    design: NDArray[np.float64],
    targets: NDArray[np.float64],
    weighing: NDArray[np.float64],
    penalty: NDArray[np.float64],
) -> NDArray[np.float64]:
    found = np.zeros(design.shape[1])
    loss = _loss(design, targets, weighing, penalty, found)
    for _ in range(STEPS):
        expected = _sigmoid(design @ found)
        gradient = design.T @ (weighing * (expected - targets)) + penalty * found
        curvature = weighing * expected * (1 - expected)
        hessian = (design.T * curvature) @ design + np.diag(penalty + SMALL_STEP)
        step = np.linalg.solve(hessian, gradient)
        share = 1.0
        while (
            new := _loss(design, targets, weighing, penalty, found - share * step)
        ) > loss and share > SMALL_STEP:
            share /= 2
        found, loss = found - share * step, new
        if share * float(np.abs(step).max()) < SMALL_STEP:
            break
    return found


def _loss(
    design: NDArray[np.float64],
    targets: NDArray[np.float64],
    weighing: NDArray[np.float64],
    penalty: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> float:
    margins = np.where(targets > 0.5, 1.0, -1.0) * (design @ weights)
    return float(weighing @ np.logaddexp(0, -margins) + penalty @ weights**2 / 2)


def _sigmoid(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.exp(-np.logaddexp(0, -values))
