"""The prior: a floor fitted on several collections, which the far questions of an index shift.

Questions that are made from documents are unlike those of people, so they cannot say how an index
scores what it answers. The weights and thresholds of the prior come from questions of people over
other collections. What differs most from index to index is how high foreign questions score, and
that can be measured in any index.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files

import numpy as np

from tether.retrieval.floor.calibration import Calibration, FloorModel
from tether.retrieval.floor.questions import Answered

STEADINESS = 5
"""The prior weighs as much as this many far questions of the index."""


def load_prior() -> Calibration:
    """Return the prior of this version: `tools/floor` makes it."""
    text = files("tether.retrieval.floor").joinpath("prior.json").read_text("utf-8")
    return Calibration.from_json(text)


def shifted(model: FloorModel, far: Sequence[Answered]) -> FloorModel:
    """Return the model with its means moved to those of the far questions of an index.

    Without far questions that find something, it is the prior's own.
    """
    having = [one.features for one in far if one.features.keys() >= set(model.features)]
    if not having:
        return model
    rows = np.array([[one[name] for name in model.features] for one in having])
    own = len(rows) / (len(rows) + STEADINESS)
    means = own * rows.mean(axis=0) + (1 - own) * np.array(model.model.means)
    return replace(model, model=replace(model.model, means=tuple(means.tolist())))
