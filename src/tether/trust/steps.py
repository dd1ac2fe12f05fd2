"""The steps by which a prompt is made; each can be replaced, and nothing else changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from tether.core.checks import Checks
from tether.core.errors import InvalidRenderer
from tether.trust.content import (
    ContentLabel,
    render_payload,
    render_trusted,
    render_untrusted,
)
from tether.trust.handles import render_handle
from tether.trust.media import (
    MediaPlace,
    render_media,
    render_media_marker,
    render_unsupported_media,
)
from tether.trust.memories import render_memories, render_memory
from tether.trust.messages import render_message, render_name
from tether.trust.retrievables import (
    render_first_party,
    render_retrievables,
    render_safety_directive,
    render_third_party_private,
    render_third_party_public,
)
from tether.trust.standing_instructions import render_standing_instructions
from tether.trust.thoughts import render_thought, surfaced_thoughts
from tether.trust.timeline import render_timeline
from tether.trust.tool_calls import render_arguments, render_tool_call, render_tool_result

if TYPE_CHECKING:
    from tether.core.media import Media
    from tether.core.memory import Memory
    from tether.core.thought import Thought
    from tether.trust.loaded import (
        Handle,
        LoadedCall,
        LoadedMedia,
        LoadedMessage,
        LoadedRetrievable,
        PromptRecords,
    )
    from tether.trust.prompt import CallItem, Item, MessageItem, Part, ThoughtItem
    from tether.trust.rendering import Rendering


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Steps:
    """Plain functions. Each takes the `Rendering` first, and calls the others through its `steps`.

    A replacement takes over what its step holds up: one that leaves the envelope away, or shows a
    text that did not go through `rendering.payload`, gives up what this package proves.
    """

    payload: Callable[[Rendering, str], str] = render_payload
    """Makes somebody's text harmless; every text but the system prompt goes through it."""
    untrusted_content: Callable[[Rendering, str, ContentLabel], str] = render_untrusted
    """Wraps a payload that anybody may have written: tool results, third-party passages."""
    trusted_content: Callable[[Rendering, str, ContentLabel], str] = render_trusted
    """Wraps a payload of a trusted tool, or text about first-party media."""
    standing_instructions: Callable[[Rendering, Sequence[str]], str] = render_standing_instructions
    """The bucket of the developer's rules; nothing for none."""
    memories: Callable[[Rendering, Sequence[Memory]], str] = render_memories
    """The bucket of memories; nothing for none."""
    memory: Callable[[Rendering, Memory], str] = render_memory
    """One memory in its envelope."""
    retrievables: Callable[[Rendering, Sequence[LoadedRetrievable]], str] = render_retrievables
    """The bucket of retrieved content: directive and three tiers; nothing for none."""
    safety_directive: Callable[[Rendering], str] = render_safety_directive
    """The words before retrieved content; an empty text leaves only them out."""
    first_party_retrievables: Callable[[Rendering, Sequence[LoadedRetrievable]], str] = (
        render_first_party
    )
    """Our own corpus; nothing for none."""
    third_party_public_retrievables: Callable[[Rendering, Sequence[LoadedRetrievable]], str] = (
        render_third_party_public
    )
    """What came from the open web; nothing for none."""
    third_party_private_retrievables: Callable[[Rendering, Sequence[LoadedRetrievable]], str] = (
        render_third_party_private
    )
    """What came from somebody's private material; nothing for none."""
    handle: Callable[[Rendering, Handle], str] = render_handle
    """What is said in place of a large text; it becomes a payload."""
    timeline: Callable[[Rendering, PromptRecords], Sequence[Item]] = render_timeline
    """Messages, thoughts and calls in their order."""
    message: Callable[[Rendering, LoadedMessage], MessageItem] = render_message
    """One message with its attachments."""
    name: Callable[[Rendering, str], str] = render_name
    """An identifier, or a tool's name, as wires take it."""
    surfaced_thoughts: Callable[[Rendering, Sequence[Thought]], Sequence[Thought]] = (
        surfaced_thoughts
    )
    """Chooses the thoughts that the model sees again."""
    thought: Callable[[Rendering, Thought], ThoughtItem] = render_thought
    """One thought in its envelope, with its opaque block where the wire takes it."""
    tool_call: Callable[[Rendering, LoadedCall], CallItem] = render_tool_call
    """One call with its result."""
    arguments: Callable[[Rendering, Mapping[str, Any]], Mapping[str, Any]] = render_arguments
    """The arguments of a call, made harmless."""
    tool_result: Callable[[Rendering, LoadedCall], Sequence[Part]] = render_tool_result
    """What came back from a call."""
    media: Callable[[Rendering, LoadedMedia, MediaPlace], Sequence[Part]] = render_media
    """One asset: its marker, then its bytes or what stands for them."""
    media_marker: Callable[[Rendering, Media, MediaPlace], str] = render_media_marker
    """The line before an asset."""
    unsupported_media: Callable[[Rendering, LoadedMedia, MediaPlace], str] = (
        render_unsupported_media
    )
    """What stands in place of bytes that the wire cannot carry."""

    def with_overrides(self, overrides: Mapping[str, Callable[..., Any]]) -> Steps:
        """Return these steps with some replaced.

        Raises `InvalidRenderer` for a name that is no step and for what cannot be called.
        """
        check = Checks()
        given = check.mapping("steps", overrides)
        known = [field.name for field in fields(Steps)]
        for name, step in given.items():
            if name not in known:
                check.fail(f"steps[{name!r}]", f"is no step; there are: {', '.join(known)}")
            else:
                check.function(f"steps[{name!r}]", step)
        check.done(InvalidRenderer)
        return replace(self, **given)
