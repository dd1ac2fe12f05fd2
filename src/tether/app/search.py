"""The parts of a search: index, embedder, judge and floor."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tether.app.project import note_made
from tether.app.search_models import SearchModels
from tether.app.settings.values import JudgeChoice
from tether.core.errors import TetherError
from tether.retrieval.errors import IndexMissing
from tether.retrieval.floor.calibration import Calibration
from tether.retrieval.floor.calibration import Parts as FloorParts
from tether.retrieval.floor.floor import FittedFloor
from tether.retrieval.index.index import Index
from tether.retrieval.index.parts import default_parts
from tether.retrieval.index.tables import NAME as DATABASE
from tether.retrieval.search.retriever import Retriever
from tether.retrieval.search.settings import MixWeights, SearchSettings

if TYPE_CHECKING:
    from tether.ask.model import Style
    from tether.retrieval.index.snapshot import Snapshot
    from tether.retrieval.ports import Judge

AT_ONCE = 200
"""So many passages without vectors are embedded before an answer; more arrive behind it."""

JUDGE_MILLISECONDS = 800.0
"""Processor time that the judge may take for the passages of a search, with `auto`."""


def open_index(folder: Path) -> Index:
    """Return the index in a folder; raises `IndexMissing`."""
    return Index.open(folder, default_parts())


def make_index(folder: Path, *, anew: bool = False) -> Index:
    """Return the index in a folder, created if missing; `anew` replaces one that is there."""
    is_new = anew or not (folder / DATABASE).exists()
    index = (Index.recreate if anew else Index.create)(folder, default_parts())
    if is_new:
        note_made(folder)
    return index


def known_sources(folder: Path) -> tuple[str, ...]:
    """Return the sources of the index in a folder; an empty tuple without an index."""
    try:
        return open_index(folder).status().sources
    except IndexMissing:
        return ()


def is_behind(passages: int, embedded: int) -> bool:
    """Return whether the vectors of an index are still to come.

    The lane of vectors is not used until then: half of it would favour the pages that it has.
    """
    return passages - embedded > AT_ONCE


def current_generation(folder: Path) -> int | None:
    """Return the generation of the index in a folder that answers; None where none does."""
    try:
        return open_index(folder).status().generation
    except TetherError:
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchParts:
    """A snapshot with the parts that search it. `floor` is None if none was fitted."""

    snapshot: Snapshot
    judge: Judge | None
    settings: SearchSettings
    floor: FittedFloor | None
    models: SearchModels

    @classmethod
    def uncalibrated(
        cls, snapshot: Snapshot, choice: JudgeChoice, models: SearchModels | None = None
    ) -> SearchParts:
        """Return the parts without a floor; with the included models unless others are given."""
        limit = JUDGE_MILLISECONDS if choice == "auto" else math.inf
        models = models or SearchModels()
        return cls(
            snapshot=snapshot,
            judge=None if choice == "off" else models.judge(),
            settings=SearchSettings(judge_milliseconds=limit),
            floor=None,
            models=models,
        )

    @classmethod
    def of(
        cls,
        snapshot: Snapshot,
        choice: JudgeChoice = "auto",
        models: SearchModels | None = None,
    ) -> SearchParts:
        """Return the parts with the calibration of the index, if it has one.

        With `auto` the judge reads the passages that fit into its time; all that it may read, if
        the floor was fitted to its scores. Such a floor decides nothing while the judge is off.
        Raises `CalibrationMismatch` if the calibration was made for other parts.
        """
        if snapshot.calibration is None:
            return cls.uncalibrated(snapshot, choice, models)
        fitted = Calibration.from_json(snapshot.calibration)
        is_needed = choice == "auto" and fitted.is_judged
        plain = cls.uncalibrated(snapshot, "on" if is_needed else choice, models)
        is_blind = fitted.is_judged and choice == "off"
        parts = plain.floor_parts
        fitted.check(replace(parts, judge=fitted.parts.judge) if is_blind else parts)
        weighted = plain if fitted.weights is None else plain.with_weights(fitted.weights)
        return weighted if is_blind else weighted.with_floor(fitted)

    def with_floor(self, calibration: Calibration) -> SearchParts:
        """Return the same parts with a fitted floor."""
        return replace(self, floor=FittedFloor(calibration))

    def with_weights(self, weights: MixWeights) -> SearchParts:
        """Return the same parts with other weights."""
        return replace(self, settings=replace(self.settings, weights=weights))

    def retriever(self) -> Retriever:
        """Return the retriever; it uses vectors once they are there."""
        usable = self.snapshot.embedder and not self.is_behind
        return Retriever(
            index=self.snapshot,
            embedder=self.models.embedder() if usable else None,
            judge=self.judge,
            floor=self.floor,
            settings=self.settings,
        )

    def answering(self, style: Style) -> Retriever:
        """Return the retriever of an agent.

        For answers by quotation it has no judge, which reads units there instead of passages,
        unless the floor was fitted to its scores.
        """
        is_needed = self.floor is not None and self.floor.calibration.is_judged
        is_free = style == "quotes" and not is_needed
        return replace(self, judge=None).retriever() if is_free else self.retriever()

    @property
    def is_behind(self) -> bool:
        """Whether the vectors of the index are still to come."""
        return is_behind(self.snapshot.size, self.snapshot.embedded)

    @property
    def unit_judge(self) -> Judge | None:
        """The judge of the units of an answer, if one reads."""
        return self.models.unit_judge(self.judge)

    @property
    def floor_parts(self) -> FloorParts:
        """The parts that a calibration is valid for; the weights belong to the calibration."""
        return FloorParts(
            embedder=self.snapshot.embedder,
            judge=self.judge.fingerprint if self.judge else "",
            chunker=self.snapshot.chunker,
            search=repr(replace(self.settings, weights=MixWeights(), judge_milliseconds=math.inf)),
        )
