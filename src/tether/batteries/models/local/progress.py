"""What is told while a model is loaded."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Literal, NamedTuple

from tether.core.errors import LocalModelFailed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Stage = Literal["starting", "reading", "opening", "loaded"]

PIECE_BYTES = 8 << 20
STEPS = 20
"""How many times the reading of a file is reported, about."""


class LoadProgress(NamedTuple):
    """How far the loading of a model has come.

    `reading` is measured: so many bytes of the file are in memory. What llama.cpp does with them
    then, between `opening` and `loaded`, it does without a word.
    """

    stage: Stage
    model: str
    bytes_read: int
    bytes_total: int
    seconds: float


class LoadReports:
    """Makes the reports of one loading; `report` says whether nobody waits for it any more."""

    __slots__ = ("_began", "_bytes", "_model", "_report", "_total")

    def __init__(self, model: str, total: int, report: Callable[[LoadProgress], bool]) -> None:
        self._model = model
        self._total = total
        self._report = report
        self._began = time.monotonic()
        self._bytes = 0

    def tell(self, stage: Stage) -> bool:
        """Report a stage; return whether nobody waits for the next."""
        seconds = time.monotonic() - self._began
        return self._report(LoadProgress(stage, self._model, self._bytes, self._total, seconds))

    def go_on(self, stage: Stage) -> None:
        """Report a stage that there is time to give up at; then `LocalModelFailed` is raised."""
        if self.tell(stage):
            raise LocalModelFailed(f"the loading of {self._model!r} was given up")

    def read_ahead(self, path: Path) -> None:
        """Read the file once, so that its pages are in memory when llama.cpp maps it.

        The package holds Python's lock while llama.cpp loads, and so stops every thread; it does
        not hold it here, and from a slow disk this is most of the time.
        """
        step, told = max(self._total // STEPS, PIECE_BYTES), 0
        buffer = bytearray(PIECE_BYTES)
        with path.open("rb", buffering=0) as file:
            while got := file.readinto(buffer):
                self._bytes += got
                if self._bytes - told >= step or self._bytes >= self._total:
                    told = self._bytes
                    self.go_on("reading")
