"""Fits the floor of an index, and measures it on questions that it was not fitted on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from tether.core.errors import Problem
from tether.retrieval.errors import CalibrationImpossible, InvalidRetrievalSettings
from tether.retrieval.floor.calibration import Calibration, FloorModel, Parts, Rate
from tether.retrieval.floor.floor import DENSE, JUDGED, LEXICAL
from tether.retrieval.floor.logistic import LogisticModel, fit_logistic
from tether.retrieval.floor.prior import load_prior, shifted
from tether.retrieval.floor.questions import (
    Answered,
    FloorQuestion,
    Progress,
    QuestionKind,
    ask_all,
    unheard,
)
from tether.retrieval.measures import refusal_at, wilson
from tether.text.numbers import counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tether.retrieval.search.retriever import Retriever
    from tether.retrieval.search.settings import MixWeights

TARGET = 0.05
LEAST = 20
"""Fewer questions of a kind are not representative."""

LEAST_PASSAGES = 20
"""The scores of fewer passages say nothing, so a smaller index gets no floor."""

NEAR_WEIGHT = 0.3
"""The weight of all near questions relative to the far ones. Scores can hardly distinguish them
from answerable ones, and with a higher weight the model refuses questions that it should answer."""

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
    target: float | None = None,
    weights: MixWeights | None = None,
    progress: Progress = unheard,
) -> Calibration:
    """Search for the questions, and fit a floor to the results: see `fit_floor`.

    Questions made from the documents are unlike those of people. So without a `target` only the far
    ones of them are asked, and they shift the prior, if it knows the embedder: see `shift_prior`.
    """
    share = TARGET if target is None else target
    _check_target(share)
    if source == "corpus" and target is None and (prior := prior_for(parts)) is not None:
        far = [one for one in asked if one.kind == "far"]
        return shift_prior(prior, retriever, far, parts, progress)
    answered = ask_all(retriever, asked, progress)
    fitted = fit_floor(answered, parts, source=source, target=share, weights=weights)
    return replace(fitted, passages=retriever.index.size)


def prior_for(parts: Parts) -> Calibration | None:
    """Return the models of the prior that hold for the parts, None for a foreign embedder."""
    prior = load_prior()
    if parts.embedder == prior.parts.embedder:
        return prior
    if parts.embedder:
        return None
    return replace(prior, models=tuple(one for one in prior.models if one.features == LEXICAL))


def shift_prior(
    prior: Calibration,
    retriever: Retriever,
    far: Sequence[FloorQuestion],
    parts: Parts,
    progress: Progress = unheard,
) -> Calibration:
    """Move the prior to where the far questions of an index are.

    The model without vectors is moved by a search without vectors. The rates stay those of the
    prior, on collections that it did not know: those of an index that shifted it would flatter.
    Raises `CalibrationImpossible` for too small an index.
    """
    if retriever.index.size < LEAST_PASSAGES:
        found = f"{counted(retriever.index.size, 'passage')} are too few for a floor"
        raise CalibrationImpossible(f"{found}; at least {LEAST_PASSAGES} are needed")
    full = ask_all(retriever, far, progress)
    lexical = ask_all(replace(retriever, embedder=None), far, unheard)
    models = tuple(
        shifted(model, lexical if model.features == LEXICAL else full) for model in prior.models
    )
    return replace(prior, parts=parts, models=models, passages=retriever.index.size)


def fit_floor(
    answered: Sequence[Answered],
    parts: Parts,
    *,
    source: Literal["corpus", "file"],
    target: float = TARGET,
    weights: MixWeights | None = None,
) -> Calibration:
    """Fit a floor that refuses about `target` of the answerable questions, and measure it.

    One model is fitted for every set of features that a search can have, so that the floor still
    works if a lane fails. Rates are measured by cross-validation: a model and a threshold of the
    other folds decide each question. A question without hits counts as refused. `weights` are
    stored with it if the mix was fitted to the index. Raises `CalibrationImpossible` for too few
    questions of a kind, and `InvalidRetrievalSettings` for an invalid target.
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
    """Raise `CalibrationImpossible` for too few questions; those without hits count only if far."""
    found = len(
        {one.text for one in answered if one.kind == kind and (one.features or kind == "far")}
    )
    if found < LEAST:
        message = f"{found} {kind} questions are too few; at least {LEAST} are needed"
        raise CalibrationImpossible(f"{message}; index more documents, or give more questions")


def _is_known(answered: Sequence[Answered], names: Sequence[str]) -> bool:
    """Return whether enough answerable questions have these features to fit a model."""
    having = [one for one in answered if one.features.keys() >= set(names)]
    return len({one.text for one in having if one.kind == "answerable"}) >= LEAST


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Examples:
    """Questions as numbers. The same text is always in the same fold."""

    rows: NDArray[np.float64]
    kinds: NDArray[np.str_]
    folds: NDArray[np.int64]

    @classmethod
    def of(cls, answered: Sequence[Answered], names: Sequence[str]) -> Examples:
        """Take the features with these names from the questions, all of which have them."""
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
        """Fit with equal weights of the far and the answerable questions; near ones weigh less."""
        kinds = self.kinds[chosen]
        counts = {kind: int((kinds == kind).sum()) for kind in ("answerable", "near", "far")}
        shares = {"answerable": 1.0, "far": 1.0, "near": NEAR_WEIGHT}
        weights = [counts["answerable"] * shares[kind] / counts[kind] for kind in kinds.tolist()]
        labels = kinds == "answerable"
        return fit_logistic(self.rows[chosen], labels, importance=np.array(weights))

    def out_of_fold(self) -> NDArray[np.float64]:
        """Return the probability of each row by a model that was fitted without its fold."""
        scores = np.zeros(len(self.rows))
        for fold in range(FOLDS):
            inside = self.folds == fold
            scores[inside] = self.fit(~inside).probabilities(self.rows[inside])
        return scores

    def threshold(
        self, scores: NDArray[np.float64], chosen: NDArray[np.bool_], target: float
    ) -> float:
        """Return the score that a share of `target` of the answerable questions is below."""
        kept = scores[chosen & (self.kinds == "answerable")].tolist()
        return refusal_at(kept, kept, false_refusals=target).threshold

    def refused(self, scores: NDArray[np.float64], target: float) -> NDArray[np.bool_]:
        """Return for each question whether the threshold of the other folds refuses it."""
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
