"""A passage that was retrieved for a turn and may be cited in its answer."""

from __future__ import annotations

from dataclasses import dataclass

from tether.core.tiers import TrustTier
from tether.retrieval.chunk import Chunk


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A chunk with its place in the prompt, counted from 1, and the version of its document.

    `chunk.text` is what a quote is found in: `quote == chunk.text[a:b]` and
    `document.text[chunk.start + a : chunk.start + b] == quote`.
    """

    number: int
    chunk: Chunk
    version: str
    tier: TrustTier = "first-party"

    @property
    def link(self) -> str:
        """What the model is asked to copy."""
        return self.chunk.link

    @property
    def title(self) -> str:
        """The page's title."""
        return self.chunk.title
