"""Cosines of vectors of length one, fast or exact."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

ROWS_AT_ONCE = 512
"""Vectors in one product: they fit into the cache, and the product runs on one core. Larger ones
run on threads, which on a busy machine wait for each other longer than they work."""

EXACT_AT_ONCE = 4096
"""Vectors copied as float64 at a time."""

ROUNDING = 2.0**-23
"""The error bound of a quick cosine for each number of a vector. A float32 sum of the products of
two unit vectors stays below it, in whatever order it is computed."""


def quick_cosines(
    vectors: NDArray[np.float32],
    questions: NDArray[np.float32],
    rows: NDArray[np.int64] | None = None,
) -> NDArray[np.float32]:
    """Return the best cosine of each vector with any of the questions.

    The error is at most `ROUNDING` for each number of a vector. With `rows`, only these are
    compared, in their order.
    """
    best = np.empty(len(vectors) if rows is None else len(rows), np.float32)
    for start in range(0, len(best), ROWS_AT_ONCE):
        here = slice(start, start + ROWS_AT_ONCE)
        block = vectors[here if rows is None else rows[here]]
        scores = block @ questions[0]
        for question in questions[1:]:
            np.maximum(scores, block @ question, out=scores)
        best[here] = scores
    return best


def exact_cosines(
    vectors: NDArray[np.float32], rows: NDArray[np.int64], questions: NDArray[np.float32]
) -> NDArray[np.float64]:
    """Return the best cosines of these rows, each a function of its vector alone, to the bit.

    A matrix product adds in an order that depends on the other rows, so that two equal vectors can
    differ in the last bit and would not be ordered by row.
    """
    best = np.empty(len(rows), np.float64)
    wide = questions.astype(np.float64)
    for start in range(0, len(rows), EXACT_AT_ONCE):
        block = vectors[rows[start : start + EXACT_AT_ONCE]].astype(np.float64)
        scores = np.stack([(block * question).sum(axis=1) for question in wide])
        best[start : start + EXACT_AT_ONCE] = scores.max(axis=0)
    return best
