"""A durable fact recalled for this turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tether.core.checks import Checks, Value, freeze, refuses_with
from tether.core.errors import InvalidInitialMemoryValue
from tether.core.tokenizable import TextInput, Tokenizable, text_field

if TYPE_CHECKING:
    from datetime import datetime

    from tether.core.times import TimeInput


@refuses_with(InvalidInitialMemoryValue)
@dataclass(frozen=True, slots=True, kw_only=True, init=False, repr=False, eq=False)
class Memory(Value):
    """A fact learnt earlier, scored for the current conversation.

    `confidence` (is it relevant now?) and `importance` (how much does it weigh?) are in [0, 1] and
    have no default: a silent 1 would make every stale recall authoritative. Raises
    `InvalidInitialMemoryValue`.
    """

    id: str
    content: Tokenizable
    confidence: float
    importance: float
    created_at: datetime
    updated_at: datetime

    def __init__(
        self,
        *,
        id: str,
        content: TextInput,
        confidence: float,
        importance: float,
        created_at: TimeInput,
        updated_at: TimeInput | None = None,
    ) -> None:
        check = Checks()
        created = check.time("created_at", created_at)
        freeze(
            self,
            id=check.identifier("id", id),
            content=text_field(check, "content", content),
            confidence=check.score("confidence", confidence),
            importance=check.score("importance", importance),
            created_at=created,
            updated_at=created if updated_at is None else check.time("updated_at", updated_at),
        )
        check.done(InvalidInitialMemoryValue)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form, which the constructor accepts."""
        return {
            "id": self.id,
            "content": str(self.content),
            "confidence": self.confidence,
            "importance": self.importance,
            "created_at": self.created_at.isoformat(),
            "updated_at": self.updated_at.isoformat(),
        }
