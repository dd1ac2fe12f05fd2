"""The authority of content, decided by its origin."""

from __future__ import annotations

from typing import Literal, get_args

TrustTier = Literal["first-party", "third-party-public", "third-party-private"]
"""Our own content, the open web, or private material of others. 'unknown' does not exist."""

TRUST_TIERS: tuple[TrustTier, ...] = get_args(TrustTier)

_AUTHORITY: dict[TrustTier, int] = {
    "first-party": 2,
    "third-party-public": 1,
    "third-party-private": 0,
}


def lower_tier(one: TrustTier, other: TrustTier) -> TrustTier:
    """Return the tier with less authority: the tier of a text made from both.

    Private material ranks below the open web, because no one else can have checked it.
    """
    return min(one, other, key=_AUTHORITY.__getitem__)
