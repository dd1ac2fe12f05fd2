"""The floor: decides by a calibration whether hits suffice to answer a question."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from tether.retrieval.errors import CalibrationMismatch
from tether.retrieval.floor.calibration import Calibration, FloorModel, Parts
from tether.retrieval.hit import Hit, Verdict
from tether.retrieval.query import Query

LEXICAL = ("coverage", "coverage_mean", "words", "agreement")
DENSE = ("cosine", "cosine_mean")
JUDGED = ("judge", "judge_mean")
DEPTH = 5


@dataclass(frozen=True, slots=True)
class FittedFloor:
    """Decides by a calibration. Use `for_parts`, which refuses one for other parts."""

    calibration: Calibration

    @classmethod
    def for_parts(cls, text: str, parts: Parts) -> FittedFloor:
        """Return the floor of a stored calibration; raises `CalibrationMismatch`."""
        calibration = Calibration.from_json(text)
        calibration.check(parts)
        return cls(calibration)

    def decide(self, query: Query, hits: Sequence[Hit]) -> Verdict:
        """Return whether the hits suffice, by the model with the most of the known features."""
        found = features(hits)
        model = self._model(found.keys())
        row = np.array([[found[name] for name in model.features]], np.float64)
        probability = float(model.model.probabilities(row)[0])
        return Verdict(
            sufficient=probability >= model.threshold,
            probability=probability,
            threshold=model.threshold,
            features=tuple((name, found[name]) for name in model.features),
        )

    def _model(self, known: Collection[str]) -> FloorModel:
        names = frozenset(known)
        for model in self.calibration.models:
            if names.issuperset(model.features):
                return model
        raise CalibrationMismatch("no model was fitted for the lanes that answered")


def features(hits: Sequence[Hit]) -> dict[str, float]:
    """Return the features of the hits by name.

    The best value among the first hits shows whether one passage fits; their mean shows whether the
    subject is right at all. `agreement` is the share of lanes that list the first hit among their
    first ten: lanes with different errors rarely agree by accident.
    """
    first = list(hits[:DEPTH])
    cosines = [hit.cosine for hit in first if hit.cosine is not None]
    judged = [hit.judge for hit in hits if hit.judge is not None]
    values = {
        "coverage": max(hit.coverage for hit in first),
        "coverage_mean": _mean([hit.coverage for hit in first]),
        "words": math.log1p(max(hit.words for hit in first)),
        "agreement": sum(vote.rank <= 10 for vote in first[0].votes) / 3,
    }
    if cosines:
        values |= {"cosine": max(cosines), "cosine_mean": _mean(cosines)}
    if judged:
        judged.sort(reverse=True)
        values |= {"judge": judged[0], "judge_mean": _mean(judged[:DEPTH])}
    return values


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
