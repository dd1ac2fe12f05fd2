"""The judge that has no opinion."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


class NoOpJudge:
    """Scores every passage the same, so that the order is left to the lanes."""

    __slots__ = ()

    @property
    def fingerprint(self) -> str:
        """Empty: no score depends on it."""
        return ""

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """Return zeros."""
        return [0.0] * len(passages)
