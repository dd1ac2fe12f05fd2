"""The embedded verifier: a cross-encoder of ours."""

from __future__ import annotations

import hashlib
import math
from typing import TYPE_CHECKING

from tether.ask.errors import VerifierFailed
from tether.ask.verification.port import Claim, Opinion
from tether.core.plain_data import canonical_json
from tether.retrieval.dense.model_file import VOCABULARY, included
from tether.retrieval.dense.onnx_model import OnnxModel

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

MOST_TOKENS, MOST_STATEMENT_TOKENS = 256, 128
"""What of a claim is read, in word pieces; the model was trained with the first."""

UNREAD = Opinion(0.0, 0.0, 1.0)
"""The opinion on a claim that is longer."""

_MARKS = 4

SUPPORTED_AT, CONTRADICTED_AT = 0.8, 0.7
"""Chosen on tuning data; `docs/measurements.md` has their error rates."""


class OnnxVerifier:
    """Reads each pair of statement and quote by itself.

    The file takes `[CLS] statement [SEP] [SEP] quote [SEP]` with token types 1 from the second mark
    on, and returns three logits: supports, contradicts, neither. An opinion depends on its claim
    alone, to the bit; a claim that is too long to be read to its end is neither. Without a path it
    is the included model. Files are read on first use; every failure is a `VerifierFailed`. Several
    threads may share it.
    """

    __slots__ = ("_fingerprint", "_model", "contradicted_at", "supported_at")

    def __init__(
        self,
        *,
        path: Path | None = None,
        vocabulary: Path | None = None,
        threads: int = 0,
        supported_at: float = SUPPORTED_AT,
        contradicted_at: float = CONTRADICTED_AT,
    ) -> None:
        own = included(
            "verifier.onnx", beside="tether.ask.verification", distribution="tether-verifier"
        )
        self.supported_at = supported_at
        self.contradicted_at = contradicted_at
        self._fingerprint = ""
        self._model = OnnxModel(
            path or own,
            vocabulary or VOCABULARY,
            threads=threads,
            failure=VerifierFailed,
        )

    def __repr__(self) -> str:
        return f"OnnxVerifier({self._model.name!r})"

    @property
    def fingerprint(self) -> str:
        """The name of the file, and a digest of it and its vocabulary; raises `VerifierFailed`."""
        if not self._fingerprint:
            parts = canonical_json([self._model.digest(), self._model.vocabulary()])
            digest = hashlib.sha256(parts.encode()).hexdigest()[:32]
            self._fingerprint = f"{self._model.name}:{digest}"
        return self._fingerprint

    def verify(self, claims: Sequence[Claim]) -> list[Opinion]:
        """Return an opinion on each claim; raises `VerifierFailed`."""
        words = self._model.words
        outputs = self._model.run_all(
            words.pair(
                claim.statement,
                claim.premise,
                most=MOST_TOKENS,
                most_first=MOST_STATEMENT_TOKENS,
                marks=2,
            )
            for claim in claims
        )
        if any(output.shape != (3,) for output in outputs):
            raise VerifierFailed(f"{self._model.name} is not a verifier", retryable=False)
        opinions = (_opinion([float(one) for one in output]) for output in outputs)
        pairs = zip(claims, opinions, strict=True)
        return [opinion if self._is_read(claim) else UNREAD for claim, opinion in pairs]

    def _is_read(self, claim: Claim) -> bool:
        """Say whether a claim is read to its end: what is cut off could say anything."""
        words = self._model.words
        statement = len(words.ids(claim.statement, MOST_TOKENS))
        premise = len(words.ids(claim.premise, MOST_TOKENS))
        return statement <= MOST_STATEMENT_TOKENS and statement + premise <= MOST_TOKENS - _MARKS


def _opinion(logits: Sequence[float]) -> Opinion:
    """Return the probabilities of the three logits."""
    most = max(logits)
    weights = [math.exp(one - most) for one in logits]
    return Opinion(*(one / math.fsum(weights) for one in weights))
