"""Content pulled in from elsewhere for this turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tether.core.artifact import SpooledArtifact
from tether.core.checks import Checks, Value, freeze, refuses_with
from tether.core.errors import InvalidInitialRetrievableValue
from tether.core.tiers import TRUST_TIERS, TrustTier
from tether.core.tokenizable import TextInput, Tokenizable, text_field

if TYPE_CHECKING:
    from collections.abc import Awaitable
    from datetime import datetime

    from tether.core.times import TimeInput
    from tether.core.tokens import TokenCount


@refuses_with(InvalidInitialRetrievableValue)
@dataclass(frozen=True, slots=True, kw_only=True, init=False, repr=False, eq=False)
class Retrievable(Value):
    """A passage, a page, a search hit: text, or an artifact that holds it.

    `trust_tier` has no default, because only the code that fetched the content knows where it came
    from. `score` is relevance in [0, 1]. `inline=False` offers an artifact as a handle instead of
    its text. Raises `InvalidInitialRetrievableValue`.
    """

    id: str
    content: Tokenizable | SpooledArtifact
    trust_tier: TrustTier
    source: str | None
    kind: str | None
    score: float | None
    inline: bool
    created_at: datetime
    updated_at: datetime

    def __init__(
        self,
        *,
        id: str,
        content: TextInput | SpooledArtifact,
        trust_tier: TrustTier,
        created_at: TimeInput,
        source: str | None = None,
        kind: str | None = None,
        score: float | None = None,
        inline: bool = True,
        updated_at: TimeInput | None = None,
    ) -> None:
        check = Checks()
        held = (
            content
            if isinstance(content, SpooledArtifact)
            else text_field(check, "content", content)
        )
        created = check.time("created_at", created_at)
        freeze(
            self,
            id=check.identifier("id", id),
            content=held,
            trust_tier=check.choice("trust_tier", trust_tier, TRUST_TIERS),
            source=check.line("source", source),
            kind=check.line("kind", kind),
            score=None if score is None else check.score("score", score),
            inline=check.flag("inline", inline),
            created_at=created,
            updated_at=created if updated_at is None else check.time("updated_at", updated_at),
        )
        check.done(InvalidInitialRetrievableValue)

    async def read_text(self) -> str:
        """Return the content; an artifact is read now and not kept."""
        if isinstance(self.content, SpooledArtifact):
            return await self.content.as_string()
        return str(self.content)

    async def read_beginning(self, characters: int) -> str:
        """Return at most that many characters; of an artifact no more than its first line."""
        if isinstance(self.content, SpooledArtifact):
            return "\n".join(await self.content.head(1))[:characters]
        return str(self.content)[:characters]

    def estimate_tokens(self, encoding: str) -> TokenCount | Awaitable[TokenCount]:
        """Return the count for text, or something to await where an artifact has to be read."""
        return self.content.estimate_tokens(encoding)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form; the content of an artifact is left out (None)."""
        return {
            "id": self.id,
            "content": str(self.content) if isinstance(self.content, Tokenizable) else None,
            "trust_tier": self.trust_tier,
            "source": self.source,
            "kind": self.kind,
            "score": self.score,
            "inline": self.inline,
            "created_at": self.created_at.isoformat(),
            "updated_at": self.updated_at.isoformat(),
        }
