"""One unit of dialogue."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, get_args

from tether.core.checks import Checks, Value, freeze, refuses_with
from tether.core.errors import InvalidInitialMessageValue
from tether.core.identity import Identity, IdentityInput
from tether.core.ids import new_id
from tether.core.media import Media
from tether.core.tokenizable import TextInput, Tokenizable, text_field

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tether.core.times import TimeInput

Role = Literal["user", "assistant"]
ROLES: tuple[Role, ...] = get_args(Role)


@refuses_with(InvalidInitialMessageValue)
@dataclass(frozen=True, slots=True, kw_only=True, init=False, repr=False, eq=False)
class Message(Value):
    """A message of a person or a model, with its speaker.

    There are two roles. Instructions, tool results, reasoning and retrieved text are not dialogue
    and have their own types, so that none of them can borrow a speaker's authority. Text,
    attachments or both are required. `identity` defaults to the role, `updated_at` to
    `created_at`. Raises `InvalidInitialMessageValue`.
    """

    id: str
    role: Role
    content: Tokenizable | None
    attachments: tuple[Media, ...]
    identity: Identity
    created_at: datetime
    updated_at: datetime

    def __init__(
        self,
        *,
        id: str,
        role: Role,
        created_at: TimeInput,
        content: TextInput | None = None,
        attachments: Iterable[Media] = (),
        identity: IdentityInput | None = None,
        updated_at: TimeInput | None = None,
    ) -> None:
        check = Checks()
        files = check.instances("attachments", attachments, Media, "Media")
        if content is None and not files:
            check.fail("content", "give text, attachments or both")
        created = check.time("created_at", created_at)
        freeze(
            self,
            id=check.identifier("id", id),
            role=check.choice("role", role, ROLES),
            content=None if content is None else text_field(check, "content", content),
            attachments=files,
            identity=Identity.named(role if role in ROLES else "user")
            if identity is None
            else check.made("identity", Identity.of, identity),
            created_at=created,
            updated_at=created if updated_at is None else check.time("updated_at", updated_at),
        )
        check.done(InvalidInitialMessageValue)

    @classmethod
    def user(cls, content: TextInput, *, identity: IdentityInput | None = None) -> Message:
        """Return a new user message, made now, with a fresh id."""
        return cls(id=new_id(), role="user", content=content, identity=identity, created_at=_now())

    @classmethod
    def assistant(cls, content: TextInput, *, identity: IdentityInput | None = None) -> Message:
        """Return a new assistant message, made now, with a fresh id."""
        return cls(
            id=new_id(), role="assistant", content=content, identity=identity, created_at=_now()
        )

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form; the constructor accepts it unless there are attachments."""
        return {
            "id": self.id,
            "role": self.role,
            "content": None if self.content is None else str(self.content),
            "attachments": [media.to_json() for media in self.attachments],
            "identity": self.identity.to_json(),
            "created_at": self.created_at.isoformat(),
            "updated_at": self.updated_at.isoformat(),
        }


def _now() -> datetime:
    return datetime.now(UTC)
