"""The port of the verifier: what a quote says about a statement, with probabilities."""

# No `from __future__ import annotations` here: NamedTuple compiles every annotation that is a
# string.
from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

Verdict = Literal["supports", "contradicts", "neither"]


class Claim(NamedTuple):
    """A statement, and the words of a document that are to support it."""

    statement: str
    premise: str


class Opinion(NamedTuple):
    """The probabilities that a quote supports a statement, contradicts it, or does neither."""

    supports: float
    contradicts: float
    neither: float

    @property
    def verdict(self) -> Verdict:
        """The most probable of the three; `neither` in a draw."""
        if self.supports > max(self.contradicts, self.neither):
            return "supports"
        return "contradicts" if self.contradicts > self.neither else "neither"


class Verifier(Protocol):
    """Reads claims. Blocks; several threads may share it.

    A statement counts as supported from the probability `supported_at` on, and as contradicted
    from `contradicted_at` on: both belong to the verifier, because probabilities of different
    models do not compare.
    """

    @property
    def fingerprint(self) -> str:
        """The name of the model and a digest of it."""
        ...

    @property
    def supported_at(self) -> float:
        """The least probability of support at which a statement is shown."""
        ...

    @property
    def contradicted_at(self) -> float:
        """The least probability of contradiction that speaks against a statement."""
        ...

    def verify(self, claims: Sequence[Claim]) -> list[Opinion]:
        """Return an opinion on each claim; raises `VerifierFailed`."""
        ...
