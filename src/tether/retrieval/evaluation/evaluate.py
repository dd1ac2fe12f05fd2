"""Measuring every stage on labelled questions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from tether.core.errors import InputRefused
from tether.retrieval.evaluation.stages import Stage
from tether.retrieval.measures import hit, ndcg, recall, reciprocal_rank

if TYPE_CHECKING:
    from tether.retrieval.evaluation.dataset import LabelledQuestion

MEASURES: dict[str, Callable[[list[str], dict[str, float]], float]] = {
    "ndcg@10": lambda ranked, relevant: ndcg(ranked, relevant, 10),
    "mrr@10": lambda ranked, relevant: reciprocal_rank(ranked, relevant, 10),
    "hit@1": lambda ranked, relevant: hit(ranked, relevant, 1),
    "hit@5": lambda ranked, relevant: hit(ranked, relevant, 5),
    "recall@10": lambda ranked, relevant: recall(ranked, relevant, 10),
    "recall@100": lambda ranked, relevant: recall(ranked, relevant, 100),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StageResult:
    """A stage's measures: the mean of each, and its values question by question."""

    stage: str
    questions: int
    measures: dict[str, float]
    by_question: dict[str, tuple[float, ...]]


def evaluate(
    stages: Sequence[Stage],
    questions: Sequence[LabelledQuestion],
    *,
    progress: Callable[[int, int], None],
) -> list[StageResult]:
    """Return the measures of each stage. Raises `InputRefused` where there is no question."""
    if not questions:
        raise InputRefused("there is no question with an answer to measure on")
    total = len(stages) * len(questions)
    results: list[StageResult] = []
    for place, stage in enumerate(stages):
        values: dict[str, list[float]] = {name: [] for name in MEASURES}
        for number, question in enumerate(questions, start=1):
            ranked = stage.rank(question.text)
            relevant = {key: float(grade) for key, grade in question.relevant.items()}
            for name, measure in MEASURES.items():
                values[name].append(measure(ranked, relevant))
            progress(place * len(questions) + number, total)
        results.append(_result(stage.name, values))
    return results


def _result(stage: str, values: dict[str, list[float]]) -> StageResult:
    return StageResult(
        stage=stage,
        questions=len(values["hit@1"]),
        measures={name: fmean(of_questions) for name, of_questions in values.items()},
        by_question={name: tuple(of_questions) for name, of_questions in values.items()},
    )
