"""Passages as the values that a turn carries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tether.core.retrievable import Retrievable

if TYPE_CHECKING:
    from datetime import datetime

    from tether.retrieval.assembly.assembly import Assembly


def to_retrievables(assembly: Assembly, *, created_at: datetime) -> tuple[Retrievable, ...]:
    """Return the admitted passages in order, for a turn that renders them by their trust tier.

    The score is 1 / number: 1 for the best passage, and in order. The scores of the search
    are comparable within one question only, and those of two providers not at all.
    """
    return tuple(
        Retrievable(
            id=item.passage.id,
            content=item.passage.text,
            trust_tier=item.passage.trust_tier,
            source=item.passage.identifier,
            kind=item.passage.provider,
            score=1 / item.number,
            created_at=created_at,
        )
        for item in assembly.admitted
    )
