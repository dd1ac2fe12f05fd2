"""The judge's best opinion over several forms of a question."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tether.core.errors import JudgeFailed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tether.retrieval.ports import Judge


def judge_best(judge: Judge, forms: Sequence[str], passages: Sequence[str]) -> list[float]:
    """Return for each passage its best score over the forms; zeros where there is no form.

    A judge may be somebody else's: one that gives too few or too many scores, or one that is not
    a finite number, raises `JudgeFailed`, because a NaN would silently win or lose every
    comparison.
    """
    if not forms:
        return [0.0] * len(passages)
    readings = [_checked(judge.score(form, passages), len(passages)) for form in forms]
    return [max(scores) for scores in zip(*readings, strict=True)]


def _checked(scores: list[float], expected: int) -> list[float]:
    if len(scores) != expected:
        message = f"the judge was given {expected} passages and scored {len(scores)}"
        raise JudgeFailed(message, retryable=False)
    if not all(map(math.isfinite, scores)):
        raise JudgeFailed("the judge gave a score that is no finite number")
    return scores
