"""The floor at work: a calibration that decides on hits."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from tether.core.errors import CalibrationMismatch
from tether.retrieval.floor.calibration import Calibration, FloorModel, Parts
from tether.retrieval.floor.features import features
from tether.retrieval.hit import Hit
from tether.retrieval.query import Query
from tether.retrieval.search.findings import Verdict


@dataclass(frozen=True, slots=True)
class FittedFloor:
    """Decides by a calibration. Make it with `for_parts`, which refuses a foreign one."""

    calibration: Calibration

    @classmethod
    def for_parts(cls, text: str, parts: Parts) -> FittedFloor:
        """Return the floor of a stored calibration; raises `CalibrationMismatch`."""
        calibration = Calibration.from_json(text)
        calibration.check(parts)
        return cls(calibration)

    def decide(self, query: Query, hits: Sequence[Hit]) -> Verdict:
        """Return whether the hits suffice, by the fullest model whose features they have."""
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
