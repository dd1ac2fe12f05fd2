"""Verifiers that see only the quote, or nothing at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tether.ask.errors import VerifierFailed
from tether.ask.verification.port import Claim, Opinion, Verdict

OPINIONS: dict[Verdict, Opinion] = {
    "supports": Opinion(0.9, 0.05, 0.05),
    "contradicts": Opinion(0.05, 0.9, 0.05),
    "neither": Opinion(0.05, 0.05, 0.9),
}


class ByQuote:
    """Says of every statement what its table has for words of the quote, the first that match."""

    fingerprint = "by quote"
    supported_at = 0.5
    contradicted_at = 0.5

    def __init__(self, table: Mapping[str, Verdict | Opinion]) -> None:
        self.claims: list[Claim] = []
        self._table = table

    def verify(self, claims: Sequence[Claim]) -> list[Opinion]:
        self.claims += claims
        return [self._opinion(claim.premise) for claim in claims]

    def _opinion(self, premise: str) -> Opinion:
        for words, said in self._table.items():
            if words in premise:
                return said if isinstance(said, Opinion) else OPINIONS[said]
        return OPINIONS["neither"]


class Broken:
    """Cannot read."""

    fingerprint = "broken"
    supported_at = 0.5
    contradicted_at = 0.5

    def verify(self, claims: Sequence[Claim]) -> list[Opinion]:
        raise VerifierFailed("the file is gone")
