"""What the commands are put together from: the index, the embedder, the judge, the floor."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tether.core.errors import IndexMissing
from tether.retrieval.dense.embedder import MiniLm
from tether.retrieval.floor.calibration import Calibration
from tether.retrieval.floor.calibration import Parts as FloorParts
from tether.retrieval.floor.fitted import FittedFloor
from tether.retrieval.index.defaults import default_parts
from tether.retrieval.index.index import Index
from tether.retrieval.judging.budget import JudgeBudget, JudgePace
from tether.retrieval.judging.onnx_judge import OnnxJudge
from tether.retrieval.search.retriever import Retriever
from tether.retrieval.search.settings import MixWeights, SearchSettings

if TYPE_CHECKING:
    from tether.retrieval.index.snapshot import Snapshot
    from tether.retrieval.ports import Judge

JudgeChoice = Literal["auto", "on", "off"]

LEAST_JUDGED = 4
"""Fewer passages than this are not worth the judge's time: their order hardly changes."""


def open_index(folder: Path) -> Index:
    """Return the index in a folder; raises `IndexMissing`."""
    return Index.open(folder, default_parts())


def known_sources(folder: Path) -> tuple[str, ...]:
    """Return the sources of the index in a folder; none where there is no index."""
    try:
        return open_index(folder).status().sources
    except IndexMissing:
        return ()


def passages_for_judge(choice: JudgeChoice, milliseconds: float) -> int:
    """Return how many passages the judge is to read: none where it is off or too slow here.

    Left to itself (`auto`) it is timed on this machine, and reads what the time is for.
    """
    most = SearchSettings().judged
    if choice != "auto":
        return most if choice == "on" else 0
    budget = JudgeBudget(milliseconds=milliseconds, most=most)
    allowed = JudgePace(OnnxJudge()).passages(budget)
    return allowed if allowed >= LEAST_JUDGED else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Searching:
    """A snapshot with everything that searches it. `floor` is None where none was fitted."""

    snapshot: Snapshot
    judge: Judge | None
    settings: SearchSettings
    floor: FittedFloor | None

    @classmethod
    def uncalibrated(cls, snapshot: Snapshot, *, judged: int) -> Searching:
        """Put the parts together without a floor; `judged` passages are read by the judge."""
        return cls(
            snapshot=snapshot,
            judge=OnnxJudge() if judged else None,
            settings=SearchSettings(judged=judged),
            floor=None,
        )

    @classmethod
    def of(cls, snapshot: Snapshot, choice: JudgeChoice = "auto") -> Searching:
        """Put the parts together as the index was calibrated, where it was.

        The judge votes where the calibration found that this machine can afford it. Raises
        `CalibrationMismatch` where the calibration was made for other parts than these.
        """
        if snapshot.calibration is None:
            judged = SearchSettings().judged if choice == "on" else 0
            return cls.uncalibrated(snapshot, judged=judged)
        fitted = Calibration.from_json(snapshot.calibration)
        judged = fitted.judged
        if choice != "auto":
            judged = (judged or SearchSettings().judged) if choice == "on" else 0
        plain = cls.uncalibrated(snapshot, judged=judged)
        fitted.check(plain.floor_parts)
        searching = plain if fitted.weights is None else plain.with_weights(fitted.weights)
        return searching.with_floor(fitted)

    def with_floor(self, calibration: Calibration) -> Searching:
        """Return the same with a floor that was just fitted."""
        return replace(self, floor=FittedFloor(calibration))

    def with_weights(self, weights: MixWeights) -> Searching:
        """Return the same with another mix."""
        return replace(self, settings=replace(self.settings, weights=weights))

    def retriever(self) -> Retriever:
        """Return what searches."""
        return Retriever(
            index=self.snapshot,
            embedder=MiniLm() if self.snapshot.embedder else None,
            judge=self.judge,
            floor=self.floor,
            settings=self.settings,
        )

    @property
    def floor_parts(self) -> FloorParts:
        """What a calibration of this search holds for; the mix is part of the calibration."""
        return FloorParts(
            embedder=self.snapshot.embedder,
            judge=self.judge.fingerprint if self.judge else "",
            chunker=self.snapshot.chunker,
            search=repr(replace(self.settings, weights=MixWeights(), judged=0)),
        )
