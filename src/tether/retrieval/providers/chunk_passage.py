"""A chunk as a passage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tether.retrieval.passage import Passage

if TYPE_CHECKING:
    from tether.core.tiers import TrustTier
    from tether.retrieval.chunk import Chunk


def passage_of(
    chunk: Chunk, *, provider: str, trust_tier: TrustTier, score: float = 0.0
) -> Passage:
    """Return the chunk's text, below the header of its table where it was split off from one.

    The label is the heading path, the identifier the link. The metadata says where in which
    document the text stands, so that it can be quoted, and overlaps shown once.
    """
    return Passage(
        id=chunk.id,
        text=f"{chunk.header}\n{chunk.text}" if chunk.header else chunk.text,
        label=chunk.heading or chunk.title,
        identifier=chunk.link,
        provider=provider,
        trust_tier=trust_tier,
        score=score,
        metadata=(
            ("document", chunk.document),
            ("start", str(chunk.start)),
            ("end", str(chunk.end)),
        ),
    )
