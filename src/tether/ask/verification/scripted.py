"""A verifier for tests: it believes what it was told to believe."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tether.ask.verification.port import Claim, Opinion

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_OPINIONS = {
    "supports": Opinion(0.9, 0.05, 0.05),
    "contradicts": Opinion(0.05, 0.9, 0.05),
    "neither": Opinion(0.05, 0.05, 0.9),
}


class ScriptedVerifier:
    """Supports and contradicts statements that contain given words, and keeps what it read.

    Without `supports`, it supports everything that it does not contradict. With `premise`, it
    speaks only about quotes that contain that text.
    """

    def __init__(
        self,
        *,
        supports: Collection[str] | None = None,
        contradicts: Collection[str] = (),
        premise: str = "",
    ) -> None:
        self.claims: list[Claim] = []
        self._supports = supports
        self._contradicts = contradicts
        self._premise = premise

    @property
    def fingerprint(self) -> str:
        """The name of this double."""
        return "scripted"

    @property
    def supported_at(self) -> float:
        """Halfway."""
        return 0.5

    @property
    def contradicted_at(self) -> float:
        """Halfway."""
        return 0.5

    def verify(self, claims: Sequence[Claim]) -> list[Opinion]:
        """Return the opinion that the script has of each claim."""
        self.claims += claims
        return [self._opinion(claim) for claim in claims]

    def _opinion(self, claim: Claim) -> Opinion:
        if self._premise not in claim.premise:
            return _OPINIONS["neither"]
        if any(words in claim.statement for words in self._contradicts):
            return _OPINIONS["contradicts"]
        if self._supports is None or any(words in claim.statement for words in self._supports):
            return _OPINIONS["supports"]
        return _OPINIONS["neither"]
