"""A passage from any provider, before it is put into a prompt."""

from __future__ import annotations

from dataclasses import dataclass

from tether.core.tiers import TrustTier


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """Text with its citation envelope: `label` (a title), `identifier` (a link) and `metadata`.

    `provider` says where it came from and `trust_tier` how far it can be trusted: passages of the
    operator's own index are first-party, those of a web search never are. Higher `score` is better
    among passages of one provider.
    """

    id: str
    text: str
    label: str
    identifier: str
    provider: str
    trust_tier: TrustTier
    score: float = 0.0
    metadata: tuple[tuple[str, str], ...] = ()
