"""A piece of reasoning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tether.core.checks import Checks, Value, freeze, refuses_with
from tether.core.errors import InvalidInitialThoughtValue
from tether.core.identity import Identity, IdentityInput
from tether.core.tokenizable import TextInput, Tokenizable, text_field

if TYPE_CHECKING:
    from datetime import datetime

    from tether.core.times import TimeInput


@refuses_with(InvalidInitialThoughtValue)
@dataclass(frozen=True, slots=True, kw_only=True, init=False, repr=False, eq=False)
class Thought(Value):
    """Reasoning, kept apart from dialogue because models lean on it harder.

    `payload` is a provider's opaque block, to be sent back as it came; it needs
    `replay_compatibility`, the tag of the wire that understands it. The text may be empty only
    beside a payload. Raises `InvalidInitialThoughtValue`.
    """

    id: str
    content: Tokenizable
    identity: Identity
    payload: Any
    replay_compatibility: str | None
    created_at: datetime
    updated_at: datetime

    def __init__(
        self,
        *,
        id: str,
        created_at: TimeInput,
        content: TextInput = "",
        identity: IdentityInput = "assistant",
        payload: Any = None,
        replay_compatibility: str | None = None,
        updated_at: TimeInput | None = None,
    ) -> None:
        check = Checks()
        check.replay(payload, replay_compatibility)
        created = check.time("created_at", created_at)
        freeze(
            self,
            id=check.identifier("id", id),
            content=text_field(check, "content", content, may_be_empty=payload is not None),
            identity=check.made("identity", Identity.of, identity),
            payload=payload,
            replay_compatibility=replay_compatibility,
            created_at=created,
            updated_at=created if updated_at is None else check.time("updated_at", updated_at),
        )
        check.done(InvalidInitialThoughtValue)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form, which the constructor accepts; the payload is passed through."""
        return {
            "id": self.id,
            "content": str(self.content),
            "identity": self.identity.to_json(),
            "payload": self.payload,
            "replay_compatibility": self.replay_compatibility,
            "created_at": self.created_at.isoformat(),
            "updated_at": self.updated_at.isoformat(),
        }
