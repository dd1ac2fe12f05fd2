"""Asks several providers, and makes one order of what they supply."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from tether.core.errors import RunError, error_text
from tether.core.tiers import lower_tier
from tether.retrieval.hit import LeftOut
from tether.retrieval.providers.provider import Supply

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tether.retrieval.passage import Passage
    from tether.retrieval.providers.provider import Provider
    from tether.retrieval.query import Query


def gather(providers: Sequence[Provider], query: Query, *, limit: int = 20, k: int = 60) -> Supply:
    """Return the passages of all providers by reciprocal rank fusion, each id once.

    Scores of different providers cannot be compared, ranks can: a passage that two supply comes
    before those of one, else all first ones come first, in the order of the providers. Each is
    asked for `limit`. A provider that fails is left out and named, with the reason. Where two
    supply the same id, the passage of the higher trust tier stays. Ids are unique in one index
    only: where two of one tier have another text under the same id, the later one's id begins with
    the name of its provider.
    """
    sums: defaultdict[str, float] = defaultdict(float)
    found: dict[str, Passage] = {}
    left_out: list[LeftOut] = []
    for provider in providers:
        supply = _asked(provider, query, limit)
        left_out += (reason for reason in supply.left_out if reason not in left_out)
        once = {passage.id: passage for passage in reversed(supply.passages[:limit])}
        for rank, given in enumerate(reversed(once.values()), 1):
            passage = _named(given, found.get(given.id), provider.name)
            sums[passage.id] += 1 / (k + rank)
            found[passage.id] = _better(found.get(passage.id), passage)
    order = sorted(found, key=lambda id: -sums[id])
    return Supply(passages=tuple(found[id] for id in order), left_out=tuple(left_out))


def _asked(provider: Provider, query: Query, limit: int) -> Supply:
    try:
        return provider.passages(query, limit)
    except RunError as error:
        reason = LeftOut(part=provider.name, reason=error_text(error))
        return Supply(passages=(), left_out=(reason,))


def _named(passage: Passage, known: Passage | None, provider: str) -> Passage:
    if known is None or known.text == passage.text or known.trust_tier != passage.trust_tier:
        return passage
    return replace(passage, id=f"{provider}:{passage.id}")


def _better(known: Passage | None, new: Passage) -> Passage:
    if known is None or known.trust_tier == new.trust_tier:
        return known or new
    return known if lower_tier(known.trust_tier, new.trust_tier) == new.trust_tier else new
