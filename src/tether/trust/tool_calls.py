"""Tool calls and what came back: trusted only where the tool is, and never for a handle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tether.core.text import Tokenizable
from tether.trust.content import ContentLabel
from tether.trust.loaded import Handle
from tether.trust.media import MediaPlace
from tether.trust.neutral import changed_json
from tether.trust.prompt import CallItem, Part, TextPart

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tether.core.tool_call import ToolCall
    from tether.trust.loaded import LoadedCall
    from tether.trust.rendering import Rendering


def render_tool_call(rendering: Rendering, loaded: LoadedCall) -> CallItem:
    """Return a call with its result. Its opaque block comes along where the wire takes it."""
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
    """Return the arguments with every text in them, keys too, made harmless."""
    changed: dict[str, Any] = changed_json(args, rendering.payload)
    return changed


def render_tool_result(rendering: Rendering, loaded: LoadedCall) -> tuple[Part, ...]:
    """Return what came back; an error looks like a result."""
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


def call_nonce(rendering: Rendering, call: ToolCall) -> str:
    """Return the nonce of a call. Equal calls have one checksum; the id keeps them apart."""
    return rendering.nonces.of("tool_call", f"{call.checksum}:{call.id}")


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
