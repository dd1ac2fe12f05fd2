"""Records whose texts depend on the context, with these texts made."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, TypeVar

from tether.core.checks import freeze
from tether.core.media import MediaStash
from tether.core.message import Message
from tether.core.text import Tokenizable
from tether.core.thought import Thought

if TYPE_CHECKING:
    from tether.core.identity import Identity
    from tether.core.media import Media
    from tether.core.memory import Memory
    from tether.core.retrievable import Retrievable
    from tether.runtime.context import Context

T = TypeVar("T")
R = TypeVar("R", "Memory", "Message", "Retrievable", "Thought")


def fixed_record(record: R, ctx: Context) -> R | None:
    """Return the record as this context shows it: itself, where no text of it depends on one.

    None where its text comes out empty and nothing else of it can be shown.
    """
    changes: dict[str, object] = {}
    content = record.content
    if isinstance(content, Tokenizable) and content.is_dynamic:
        text = content.render(ctx)
        if not text and not _shows_more(record):
            return None
        changes["content"] = Tokenizable(text)
    if isinstance(record, (Message, Thought)) and record.identity.representation.is_dynamic:
        changes["identity"] = _fixed_identity(record.identity, ctx)
    return _changed(record, **changes) if changes else record


def fixed_media(media: Media, ctx: Context) -> Media:
    """Return the asset as this context shows it, with the texts of its stash made."""
    entries = media.stash.entries()
    if not any(entry.value.is_dynamic for entry in entries.values()):
        return media
    made = {
        key: _changed(entry, value=Tokenizable(entry.value.render(ctx)))
        for key, entry in entries.items()
    }
    return _changed(media, stash=MediaStash(made, media.trust_tier))


def _fixed_identity(identity: Identity, ctx: Context) -> Identity:
    return _changed(identity, representation=Tokenizable(identity.representation.render(ctx)))


def _shows_more(record: object) -> bool:
    match record:
        case Message():
            return bool(record.attachments)
        case Thought():
            return record.payload is not None
        case _:
            return False


def _changed(value: T, /, **fields: object) -> T:
    """Copy a frozen value with other fields, past its checks: an empty text is fine here."""
    twin = copy(value)
    freeze(twin, **fields)
    return twin
