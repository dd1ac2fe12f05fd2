"""The timeline of a prompt: messages, thoughts and tool calls, in order.

The result of a call is trusted only if its tool is, and a handle never is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tether.core.tokenizable import Tokenizable
from tether.trust.content import ContentLabel
from tether.trust.media import MediaPlace
from tether.trust.neutral import changed_json
from tether.trust.prompt import CallItem, Item, MessageItem, Part, TextPart, ThoughtItem
from tether.trust.records import Handle
from tether.trust.tags import envelope

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from tether.core.identity import Identity
    from tether.core.message import Message
    from tether.core.thought import Thought
    from tether.core.tool_call import ToolCall
    from tether.trust.records import LoadedCall, LoadedMessage, PromptRecords
    from tether.trust.render_context import Rendering


LONGEST_NAME = 64

PLAIN = "plain-text"
"""The tag of reasoning that any wire accepts: plain text."""

_NOT_IN_A_NAME = re.compile("[^a-zA-Z0-9_-]")


def render_timeline(rendering: Rendering, records: PromptRecords) -> tuple[Item, ...]:
    """Return messages, the thoughts that are shown again and tool calls, sorted by time.

    At one moment messages come first, then thoughts, then calls, each in the order given. A message
    without content to show is left out.
    """
    steps = rendering.steps
    timed: list[tuple[datetime, Item]] = []
    for loaded in records.messages:
        item = steps.message(rendering, loaded)
        if item.parts:
            timed.append((loaded.record.created_at, item))
    timed += [
        (thought.created_at, steps.thought(rendering, thought))
        for thought in steps.surfaced_thoughts(rendering, records.thoughts)
    ]
    timed += [(call.record.created_at, steps.tool_call(rendering, call)) for call in records.calls]
    timed.sort(key=lambda entry: entry[0])
    return tuple(item for _, item in timed)


def render_message(rendering: Rendering, loaded: LoadedMessage) -> MessageItem:
    """Return the text of a message in its envelope, if there is text, then its attachments.

    The assistant's own turns have no envelope: it would make them look like those of a peer.
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


def surfaced_thoughts(rendering: Rendering, thoughts: Sequence[Thought]) -> Sequence[Thought]:
    """Return the thoughts that the model sees again.

    Thoughts that the wire does not accept are left out first, so that they never hide an older one
    that it accepts.
    """
    surfacing = rendering.settings.thought_surfacing
    seen = [thought for thought in thoughts if _can_return(rendering, thought)]
    if surfacing == "all":
        return seen
    own = [thought for thought in seen if is_own(rendering, thought.identity)]
    if surfacing == "all-self":
        return own
    latest = sorted(own, key=lambda thought: thought.created_at)
    return latest[-1:]


def render_thought(rendering: Rendering, thought: Thought) -> ThoughtItem:
    """Return a thought in its envelope; that of a peer is in a second one with the peer's name.

    Only its own opaque block goes back to the model: on the wire it is outside any envelope, as the
    model's own reasoning.
    """
    nonce = rendering.nonces.of("thought", thought.id)
    own = is_own(rendering, thought.identity)
    identity = thought.identity
    shown = rendering.seen(str(identity.identifier)) if own else _shown_name(rendering, identity)
    created = thought.created_at.isoformat()
    attributes = {
        "nonce": nonce,
        "kind": "self-reasoning" if own else "peer-reasoning",
        "from": shown,
        "createdAt": created,
    }
    tag = thought.replay_compatibility
    if thought.payload is not None:
        attributes |= {"kind": "opaque-reasoning", "replayCompatibility": rendering.seen(str(tag))}
    text = envelope("thought", nonce, attributes, _body(rendering, thought))
    if not own:
        outer = {"kind": "reasoning", "from": shown, "createdAt": created}
        text = envelope("peer_agent_output", nonce, outer, text)
    if not own or tag is None or tag not in rendering.settings.replay_compatibility:
        return ThoughtItem(thought.id, text, None, None)
    return ThoughtItem(thought.id, text, thought.payload, tag)


def render_tool_call(rendering: Rendering, loaded: LoadedCall) -> CallItem:
    """Return a call with its result. Its opaque block is included if the wire accepts it."""
    call, steps = loaded.record, rendering.steps
    taken = call.replay_compatibility in rendering.settings.replay_compatibility
    return CallItem(
        call.id,
        steps.name(rendering, call.tool),
        steps.arguments(rendering, call.args),
        tuple(steps.tool_result(rendering, loaded)),
        call.is_error,
        call.payload if taken else None,
        call.replay_compatibility if taken else None,
    )


def render_arguments(rendering: Rendering, args: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the arguments with every text in them neutralised, including keys."""
    changed: dict[str, Any] = changed_json(args, rendering.payload)
    return changed


def render_tool_result(rendering: Rendering, loaded: LoadedCall) -> tuple[Part, ...]:
    """Return the result; an error looks the same."""
    call, results, steps = loaded.record, loaded.results, rendering.steps
    nonce = call_nonce(rendering, call)
    match results:
        case str():
            return (TextPart(_shown(rendering, loaded, results, nonce)),)
        case Handle():
            body = rendering.payload(steps.handle(rendering, results))
            label = ContentLabel(nonce, "artifact-handle", call.tool)
            return (TextPart(steps.untrusted_content(rendering, body, label)),)
        case _:
            parts: list[Part] = []
            for asset in results:  # whether the tool is trusted says nothing about its media
                parts += steps.media(rendering, asset, MediaPlace(nonce, call.tool))
            return tuple(parts)


def render_name(rendering: Rendering, identifier: str) -> str:
    """Return an identifier in a form that every wire accepts as a name."""
    return _NOT_IN_A_NAME.sub("_", rendering.seen(identifier)[:LONGEST_NAME]) or "_"


def is_name(name: str) -> bool:
    """Return whether `render_name` may have made this."""
    return 0 < len(name) <= LONGEST_NAME and _NOT_IN_A_NAME.search(name) is None


def is_own(rendering: Rendering, identity: Identity) -> bool:
    """Return whether this is the identity of the model itself."""
    return str(identity.identifier) == rendering.settings.self_identity


def _shown_name(rendering: Rendering, identity: Identity) -> str:
    """Return the name of an identity that a model may read."""
    return rendering.seen(str(identity.representation) or str(identity.identifier))


def call_nonce(rendering: Rendering, call: ToolCall) -> str:
    """Return the nonce of a call. Equal calls have one checksum; the id keeps them apart."""
    return rendering.nonces.of("tool_call", f"{call.checksum}:{call.id}")


def _text(rendering: Rendering, message: Message) -> str:
    body = rendering.payload(str(message.content))
    nonce = rendering.nonces.of("message", message.id)
    speaker, created = _shown_name(rendering, message.identity), message.created_at.isoformat()
    if message.role == "user":
        attributes = {"from": speaker, "role": "user", "createdAt": created}
        return envelope("message", nonce, attributes, body)
    if is_own(rendering, message.identity):
        return body
    return envelope("peer_agent_output", nonce, {"from": speaker, "createdAt": created}, body)


def _can_return(rendering: Rendering, thought: Thought) -> bool:
    tag = thought.replay_compatibility
    if thought.payload is None and tag in {None, PLAIN}:
        return True
    return tag in rendering.settings.replay_compatibility


def _body(rendering: Rendering, thought: Thought) -> str:
    if thought.payload is None:
        return rendering.payload(str(thought.content))
    tag = str(thought.replay_compatibility)
    where = "sent apart" if is_own(rendering, thought.identity) else "not shown"
    note = f"(an opaque block of reasoning of the kind {tag!r} was kept; it is {where})"
    return rendering.payload(note)


def _shown(rendering: Rendering, loaded: LoadedCall, text: str, nonce: str) -> str:
    call = loaded.record
    if loaded.trusted is None:
        rendering.warn(f"there is no tool named {call.tool!r}: its result is shown as untrusted")
    if not call.inline and isinstance(call.results, Tokenizable):
        rendering.warn(f"the result of {call.tool!r} is plain text: it is shown, not offered")
    body = rendering.payload(text)
    if loaded.trusted:
        label = ContentLabel(nonce, "trusted-tool-result", call.tool)
        return rendering.steps.trusted_content(rendering, body, label)
    label = ContentLabel(nonce, "tool-result", call.tool)
    return rendering.steps.untrusted_content(rendering, body, label)
