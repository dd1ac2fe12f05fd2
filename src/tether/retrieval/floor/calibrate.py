"""Fitting the floor of an index, and measuring it on what it was not fitted on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from tether.core.errors import CalibrationImpossible, InvalidRetrievalSettings, Problem
from tether.retrieval.floor.asking import (
    Answered,
    FloorQuestion,
    Progress,
    QuestionKind,
    ask_all,
    unheard,
)
from tether.retrieval.floor.calibration import Calibration, FloorModel, Parts, Rate
from tether.retrieval.floor.features import DENSE, JUDGED, LEXICAL
from tether.retrieval.floor.logistic import LogisticModel, fit_logistic
from tether.retrieval.measures import refusal_at, wilson

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tether.retrieval.search.retriever import Retriever
    from tether.retrieval.search.settings import MixWeights

LEAST = 20
"""Fewer questions of a kind than this say nothing about the others of their kind."""

NEAR_WEIGHT = 0.3
"""What all near questions together weigh beside the far ones: scores can hardly tell them from
answerable ones, and a model that tries too hard refuses what it should answer."""

FOLDS = 5
SETS: tuple[tuple[str, ...], ...] = (
    LEXICAL + DENSE + JUDGED,
    LEXICAL + DENSE,
    LEXICAL + JUDGED,
    LEXICAL,
)


def calibrate(
    retriever: Retriever,
    asked: Sequence[FloorQuestion],
    parts: Parts,
    *,
    source: Literal["corpus", "file"],
    target: float = 0.05,
    weights: MixWeights | None = None,
    progress: Progress = unheard,
) -> Calibration:
    """Ask the questions, and fit a floor to what the index says to them: see `fit_floor`."""
    _check_target(target)
    answered = ask_all(retriever, asked, progress)
    return fit_floor(answered, parts, source=source, target=target, weights=weights)


def fit_floor(
    answered: Sequence[Answered],
    parts: Parts,
    *,
    source: Literal["corpus", "file"],
    target: float = 0.05,
    weights: MixWeights | None = None,
) -> Calibration:
    """Fit a floor that refuses about `target` of the answerable questions, and measure the rest.

    One model is fitted for every set of features that a search can have, so that the floor holds
    when a lane fails. Rates are those of questions that a model and a threshold of the other folds
    decided; a question that finds nothing is refused, and counts so. `weights` are kept with it
    where the retriever's mix was fitted to the index. Raises `CalibrationImpossible` where there
    are too few questions of a kind, `InvalidRetrievalSettings` for a target that is none.
    """
    _check_target(target)
    for kind in ("answerable", "far"):
        _check_enough(answered, kind)
    models = [_model(answered, names, target) for names in SETS if _is_known(answered, names)]
    return Calibration(
        parts=parts, target=target, questions=source, models=tuple(models), weights=weights
    )


def _check_target(target: float) -> None:
    if not 0 <= target < 1:
        message = f"must be from 0 and below 1, not {target}"
        raise InvalidRetrievalSettings([Problem("target", message)])


def _check_enough(answered: Sequence[Answered], kind: QuestionKind) -> None:
    """Far questions count whether they find something or not, answerable ones only if they do."""
    found = len(
        {one.text for one in answered if one.kind == kind and (one.features or kind == "far")}
    )
    if found < LEAST:
        message = f"{found} {kind} questions are too few: at least {LEAST} are needed"
        raise CalibrationImpossible(f"{message}; index more documents, or give more questions")


def _is_known(answered: Sequence[Answered], names: Sequence[str]) -> bool:
    """Say whether enough answerable questions have these features to fit a model on them."""
    having = [one for one in answered if one.features.keys() >= set(names)]
    return len({one.text for one in having if one.kind == "answerable"}) >= LEAST


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Examples:
    """Questions as numbers. The same text is in one fold, whatever was hidden from it."""

    rows: NDArray[np.float64]
    kinds: NDArray[np.str_]
    folds: NDArray[np.int64]

    @classmethod
    def of(cls, answered: Sequence[Answered], names: Sequence[str]) -> Examples:
        """Take the features of these names from the questions, all of which have them."""
        counts: Counter[QuestionKind] = Counter()
        folds: dict[str, int] = {}
        for one in answered:
            if one.text not in folds:
                folds[one.text] = counts[one.kind] % FOLDS
                counts[one.kind] += 1
        return cls(
            rows=np.array([[one.features[name] for name in names] for one in answered]),
            kinds=np.array([one.kind for one in answered]),
            folds=np.array([folds[one.text] for one in answered]),
        )

    def fit(self, chosen: NDArray[np.bool_]) -> LogisticModel:
        """Fit with the far questions weighing as much as the answerable ones, near ones less."""
        kinds = self.kinds[chosen]
        counts = {kind: int((kinds == kind).sum()) for kind in ("answerable", "near", "far")}
        shares = {"answerable": 1.0, "far": 1.0, "near": NEAR_WEIGHT}
        weights = [counts["answerable"] * shares[kind] / counts[kind] for kind in kinds.tolist()]
        labels = kinds == "answerable"
        return fit_logistic(self.rows[chosen], labels, importance=np.array(weights))

    def out_of_fold(self) -> NDArray[np.float64]:
        """Return for each row the probability by a model that was fitted without its fold."""
        scores = np.zeros(len(self.rows))
        for fold in range(FOLDS):
            inside = self.folds == fold
            scores[inside] = self.fit(~inside).probabilities(self.rows[inside])
        return scores

    def threshold(
        self, scores: NDArray[np.float64], chosen: NDArray[np.bool_], target: float
    ) -> float:
        """Return below which score a share of `target` of the answerable questions lies."""
        kept = scores[chosen & (self.kinds == "answerable")].tolist()
        return refusal_at(kept, kept, false_refusals=target).threshold

    def refused(self, scores: NDArray[np.float64], target: float) -> NDArray[np.bool_]:
        """Return which questions are refused by the threshold of the other folds."""
        outcomes = np.zeros(len(scores), dtype=bool)
        for fold in range(FOLDS):
            inside = self.folds == fold
            outcomes[inside] = scores[inside] < self.threshold(scores, ~inside, target)
        return outcomes


def _model(answered: Sequence[Answered], names: tuple[str, ...], target: float) -> FloorModel:
    usable = [one for one in answered if one.features.keys() >= set(names)]
    examples = Examples.of(usable, names)
    scores = examples.out_of_fold()
    everything = np.ones(len(scores), dtype=bool)
    refused = examples.refused(scores, target)
    silent = [one.kind for one in answered if not one.features]

    def rate(kind: QuestionKind) -> Rate:
        decided = refused[examples.kinds == kind]
        return _rate(int(decided.sum()) + silent.count(kind), len(decided) + silent.count(kind))

    return FloorModel(
        features=names,
        model=examples.fit(everything),
        threshold=examples.threshold(scores, everything, target),
        false_refusals=rate("answerable"),
        far_refusals=rate("far"),
        near_refusals=rate("near"),
    )


def _rate(refused: int, count: int) -> Rate:
    if not count:
        return Rate(share=0.0, low=0.0, high=1.0, count=0)
    found = wilson(refused, count)
    return Rate(share=found.value, low=found.low, high=found.high, count=count)
