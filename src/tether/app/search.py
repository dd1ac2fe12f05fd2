"""The parts of a search: index, embedder, judge and floor."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tether.app.settings.values import JudgeChoice
from tether.retrieval.dense.embedder import MiniLm
from tether.retrieval.errors import IndexMissing
from tether.retrieval.floor.calibration import Calibration
from tether.retrieval.floor.calibration import Parts as FloorParts
from tether.retrieval.floor.floor import FittedFloor
from tether.retrieval.index.index import Index
from tether.retrieval.index.parts import default_parts
from tether.retrieval.judge import JudgeBudget, JudgePace, OnnxJudge
from tether.retrieval.search.retriever import Retriever
from tether.retrieval.search.settings import MixWeights, SearchSettings

if TYPE_CHECKING:
    from tether.retrieval.index.snapshot import Snapshot
    from tether.retrieval.ports import Judge

LEAST_JUDGED = 4
"""With fewer passages the judge hardly changes the order, so it is not used."""


def open_index(folder: Path) -> Index:
    """Return the index in a folder; raises `IndexMissing`."""
    return Index.open(folder, default_parts())


def known_sources(folder: Path) -> tuple[str, ...]:
    """Return the sources of the index in a folder; an empty tuple without an index."""
    try:
        return open_index(folder).status().sources
    except IndexMissing:
        return ()


def passages_for_judge(choice: JudgeChoice, milliseconds: float) -> int:
    """Return how many passages the judge reads: 0 if it is off or too slow on this machine.

    With `auto` the judge is timed, and reads as many passages as fit into the time.
    """
    most = SearchSettings().judged
    if choice != "auto":
        return most if choice == "on" else 0
    budget = JudgeBudget(milliseconds=milliseconds, most=most)
    allowed = JudgePace(OnnxJudge()).passages(budget)
    return allowed if allowed >= LEAST_JUDGED else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchParts:
    """A snapshot with the parts that search it. `floor` is None if none was fitted."""

    snapshot: Snapshot
    judge: Judge | None
    settings: SearchSettings
    floor: FittedFloor | None

    @classmethod
    def uncalibrated(cls, snapshot: Snapshot, *, judged: int) -> SearchParts:
        """Return the parts without a floor; the judge reads `judged` passages."""
        return cls(
            snapshot=snapshot,
            judge=OnnxJudge() if judged else None,
            settings=SearchSettings(judged=judged),
            floor=None,
        )

    @classmethod
    def of(cls, snapshot: Snapshot, choice: JudgeChoice = "auto") -> SearchParts:
        """Return the parts with the calibration of the index, if it has one.

        With `auto` the judge votes if the calibration found it quick enough. Raises
        `CalibrationMismatch` if the calibration was made for other parts.
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
        weighted = plain if fitted.weights is None else plain.with_weights(fitted.weights)
        return weighted.with_floor(fitted)

    def with_floor(self, calibration: Calibration) -> SearchParts:
        """Return the same parts with a fitted floor."""
        return replace(self, floor=FittedFloor(calibration))

    def with_weights(self, weights: MixWeights) -> SearchParts:
        """Return the same parts with other weights."""
        return replace(self, settings=replace(self.settings, weights=weights))

    def retriever(self) -> Retriever:
        """Return the retriever."""
        return Retriever(
            index=self.snapshot,
            embedder=MiniLm() if self.snapshot.embedder else None,
            judge=self.judge,
            floor=self.floor,
            settings=self.settings,
        )

    @property
    def floor_parts(self) -> FloorParts:
        """The parts that a calibration is valid for; the weights belong to the calibration."""
        return FloorParts(
            embedder=self.snapshot.embedder,
            judge=self.judge.fingerprint if self.judge else "",
            chunker=self.snapshot.chunker,
            search=repr(replace(self.settings, weights=MixWeights(), judged=0)),
        )
