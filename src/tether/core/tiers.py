"""How much authority content has, decided by where it came from."""

from __future__ import annotations

from typing import Literal, get_args

TrustTier = Literal["first-party", "third-party-public", "third-party-private"]
"""Ours, anybody's on the open web, or somebody's private material. There is no 'unknown'."""

TRUST_TIERS: tuple[TrustTier, ...] = get_args(TrustTier)

_AUTHORITY: dict[TrustTier, int] = {
    "first-party": 2,
    "third-party-public": 1,
    "third-party-private": 0,
}


def lower_tier(one: TrustTier, other: TrustTier) -> TrustTier:
    """Return the tier with less authority: what text made from both of them may claim.

    Somebody's private material ranks below the open web: nobody else can have checked it.
    """
    return min(one, other, key=_AUTHORITY.__getitem__)
