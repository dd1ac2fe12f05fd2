"""How much authority content has, decided by where it came from."""

from __future__ import annotations

from typing import Literal, get_args

TrustTier = Literal["first-party", "third-party-public", "third-party-private"]
"""Ours, anybody's on the open web, or somebody's private material. There is no 'unknown'."""

TRUST_TIERS: tuple[TrustTier, ...] = get_args(TrustTier)
