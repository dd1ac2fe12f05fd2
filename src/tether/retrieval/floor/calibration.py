"""A calibration: the models and thresholds of a floor, their rates, and the parts they are for."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, cast

from tether.core.errors import InvalidInput
from tether.retrieval.errors import CalibrationMismatch
from tether.retrieval.floor.logistic import LogisticModel
from tether.retrieval.search.settings import MixWeights

FORMAT = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A measured share with its 95 % interval; `count` is the number of questions.

    With `collections` it was measured on that many other collections of documents, each with a
    floor fitted without it, and the interval is that of one more collection. Without, it was
    measured on the index itself.
    """

    share: float
    low: float
    high: float
    count: int
    collections: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorModel:
    """One model of the floor, for one set of features.

    `false_refusals` is the share of answerable questions that it refuses; `far_refusals` and
    `near_refusals` are the shares of questions without an answer that it refuses, of foreign
    subjects and of this subject with the answering page hidden. All were measured on questions that
    the model was not fitted on.
    """

    features: tuple[str, ...]
    model: LogisticModel
    threshold: float
    false_refusals: Rate
    far_refusals: Rate
    near_refusals: Rate


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The parts that a calibration is valid for; it is refused for any others."""

    embedder: str
    judge: str
    chunker: str
    search: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """The fitted floor of one index. `questions` is the origin of its questions.

    `models` are ordered from the most features to the fewest, so that a search in which a lane
    failed is still decided by a model that was fitted without it. `weights` are those of the mix if
    they were fitted to this index, else None. `passages` is the size of the index.
    """

    parts: Parts
    target: float
    questions: Literal["corpus", "file"]
    models: tuple[FloorModel, ...]
    weights: MixWeights | None = None
    passages: int = 0

    def to_json(self) -> str:
        """Return the calibration as text for `from_json`."""
        return json.dumps({"format": FORMAT, **asdict(self)}, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Calibration:
        """Return the calibration in a text; raises `CalibrationMismatch` for any other text."""
        try:
            found = cast("dict[str, Any]", json.loads(text))
            if found.pop("format") != FORMAT:
                raise CalibrationMismatch("the calibration was written by another version")
            return cls(
                parts=Parts(**found["parts"]),
                target=_number(found["target"]),
                questions=_origin(found["questions"]),
                models=_models(found["models"]),
                weights=None if found["weights"] is None else MixWeights(**found["weights"]),
                passages=int(found["passages"]),
            )
        except (ValueError, KeyError, TypeError, AttributeError, InvalidInput) as invalid:
            raise CalibrationMismatch(f"the calibration cannot be read: {invalid}") from invalid

    @property
    def is_judged(self) -> bool:
        """Whether a model reads the scores of a judge."""
        return any("judge" in model.features for model in self.models)

    def check(self, parts: Parts) -> None:
        """Raise `CalibrationMismatch` with every part that differs from the fitted ones.

        The judge may differ if no model reads its scores.
        """
        other = [
            f"{item.name} is {getattr(parts, item.name) or 'none'}, "
            f"not {getattr(self.parts, item.name) or 'none'}"
            for item in fields(parts)
            if getattr(parts, item.name) != getattr(self.parts, item.name)
            and (item.name != "judge" or self.is_judged)
        ]
        if other:
            raise CalibrationMismatch("; ".join(other))


def _origin(found: object) -> Literal["corpus", "file"]:
    if found == "corpus":
        return "corpus"
    if found == "file":
        return "file"
    raise ValueError(f"the questions are from {found!r}")


def _models(found: list[dict[str, Any]]) -> tuple[FloorModel, ...]:
    if not found:
        raise ValueError("there is no model")
    return tuple(_model(model) for model in found)


def _model(found: dict[str, Any]) -> FloorModel:
    numbers = found["model"]
    features = tuple(str(name) for name in found["features"])
    return FloorModel(
        features=features,
        model=LogisticModel(
            means=_numbers(numbers["means"], len(features)),
            scales=_numbers(numbers["scales"], len(features)),
            weights=_numbers(numbers["weights"], len(features)),
            intercept=_number(numbers["intercept"]),
        ),
        threshold=_number(found["threshold"]),
        false_refusals=_rate(found["false_refusals"]),
        far_refusals=_rate(found["far_refusals"]),
        near_refusals=_rate(found["near_refusals"]),
    )


def _rate(found: dict[str, Any]) -> Rate:
    return Rate(
        share=_number(found["share"]),
        low=_number(found["low"]),
        high=_number(found["high"]),
        count=int(found["count"]),
        collections=int(found["collections"]),
    )


def _numbers(found: list[Any], count: int) -> tuple[float, ...]:
    if len(found) != count:
        raise ValueError(f"{len(found)} numbers stand for {count} features")
    return tuple(_number(value) for value in found)


def _number(found: Any) -> float:
    number = float(found)
    if not math.isfinite(number):
        raise ValueError(f"{number} is not a finite number")
    return number
