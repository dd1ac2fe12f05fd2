"""Dialogue: who said it stands in the tag, where the speaker cannot reach it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tether.trust.media import MediaPlace
from tether.trust.prompt import MessageItem, Part, TextPart
from tether.trust.tags import envelope

if TYPE_CHECKING:
    from tether.core.identity import Identity
    from tether.core.message import Message
    from tether.trust.loaded import LoadedMessage
    from tether.trust.rendering import Rendering

LONGEST_NAME = 64
_NOT_IN_A_NAME = re.compile("[^a-zA-Z0-9_-]")


def render_message(rendering: Rendering, loaded: LoadedMessage) -> MessageItem:
    """Return the text of a message in its envelope, if there is text, then its attachments.

    The assistant's own turns have no envelope: it would make them look like somebody else's.
    """
    message = loaded.record
    steps = rendering.steps
    text = "" if message.content is None else _text(rendering, message)
    parts: list[Part] = [TextPart(text)] if text else []
    place = MediaPlace(rendering.nonces.of("message", message.id))
    for asset in loaded.media:
        parts += steps.media(rendering, asset, place)
    name = steps.name(rendering, str(message.identity.identifier))
    return MessageItem(message.role, name, tuple(parts))


def render_name(rendering: Rendering, identifier: str) -> str:
    """Return an identifier as every wire takes it for a name."""
    return _NOT_IN_A_NAME.sub("_", rendering.seen(identifier)[:LONGEST_NAME]) or "_"


def is_name(name: str) -> bool:
    """Say whether `render_name` may have made this."""
    return 0 < len(name) <= LONGEST_NAME and _NOT_IN_A_NAME.search(name) is None


def is_own(rendering: Rendering, identity: Identity) -> bool:
    """Say whether this is the model that is asked."""
    return str(identity.identifier) == rendering.settings.self_identity


def shown_name(rendering: Rendering, identity: Identity) -> str:
    """Return what a model may read of an identity."""
    return rendering.seen(str(identity.representation) or str(identity.identifier))


def _text(rendering: Rendering, message: Message) -> str:
    body = rendering.payload(str(message.content))
    nonce = rendering.nonces.of("message", message.id)
    speaker, created = shown_name(rendering, message.identity), message.created_at.isoformat()
    if message.role == "user":
        attributes = {"from": speaker, "role": "user", "createdAt": created}
        return envelope("message", nonce, attributes, body)
    if is_own(rendering, message.identity):
        return body
    return envelope("peer_agent_output", nonce, {"from": speaker, "createdAt": created}, body)
