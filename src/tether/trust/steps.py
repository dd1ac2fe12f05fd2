"""The steps that make a prompt; each can be replaced alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from tether.core.checks import Checks
from tether.trust.buckets import (
    render_first_party,
    render_memories,
    render_memory,
    render_retrievables,
    render_safety_directive,
    render_standing_instructions,
    render_third_party_private,
    render_third_party_public,
)
from tether.trust.content import (
    ContentLabel,
    render_handle,
    render_payload,
    render_trusted,
    render_untrusted,
)
from tether.trust.errors import InvalidRenderer
from tether.trust.media import (
    MediaPlace,
    render_media,
    render_media_marker,
    render_unsupported_media,
)
from tether.trust.timeline import (
    render_arguments,
    render_message,
    render_name,
    render_thought,
    render_timeline,
    render_tool_call,
    render_tool_result,
    surfaced_thoughts,
)

if TYPE_CHECKING:
    from tether.core.media import Media
    from tether.core.memory import Memory
    from tether.core.thought import Thought
    from tether.trust.prompt import CallItem, Item, MessageItem, Part, ThoughtItem
    from tether.trust.records import (
        Handle,
        LoadedCall,
        LoadedMedia,
        LoadedMessage,
        LoadedRetrievable,
        PromptRecords,
    )
    from tether.trust.render_context import Rendering


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Steps:
    """Plain functions. Each takes the `Rendering` first, and calls the others through its `steps`.

    A replacement is responsible for the guarantee of its step: one that omits the envelope, or
    shows a text that did not go through `rendering.payload`, gives up what this package proves.
    """

    payload: Callable[[Rendering, str], str] = render_payload
    """Neutralises a text; every text but the system prompt goes through it."""
    untrusted_content: Callable[[Rendering, str, ContentLabel], str] = render_untrusted
    """Wraps an untrusted payload: tool results, third-party passages."""
    trusted_content: Callable[[Rendering, str, ContentLabel], str] = render_trusted
    """Wraps a payload of a trusted tool, or text about first-party media."""
    standing_instructions: Callable[[Rendering, Sequence[str]], str] = render_standing_instructions
    """The bucket of the developer's rules; may be empty."""
    memories: Callable[[Rendering, Sequence[Memory]], str] = render_memories
    """The bucket of memories; may be empty."""
    memory: Callable[[Rendering, Memory], str] = render_memory
    """One memory in its envelope."""
    retrievables: Callable[[Rendering, Sequence[LoadedRetrievable]], str] = render_retrievables
    """The bucket of retrieved content: directive and three tiers; may be empty."""
    safety_directive: Callable[[Rendering], str] = render_safety_directive
    """The text before retrieved content; may be empty."""
    first_party_retrievables: Callable[[Rendering, Sequence[LoadedRetrievable]], str] = (
        render_first_party
    )
    """Our own corpus; may be empty."""
    third_party_public_retrievables: Callable[[Rendering, Sequence[LoadedRetrievable]], str] = (
        render_third_party_public
    )
    """Content from the open web; may be empty."""
    third_party_private_retrievables: Callable[[Rendering, Sequence[LoadedRetrievable]], str] = (
        render_third_party_private
    )
    """Private content of others; may be empty."""
    handle: Callable[[Rendering, Handle], str] = render_handle
    """The replacement for a large text; it becomes a payload."""
    timeline: Callable[[Rendering, PromptRecords], Sequence[Item]] = render_timeline
    """Messages, thoughts and calls in their order."""
    message: Callable[[Rendering, LoadedMessage], MessageItem] = render_message
    """One message with its attachments."""
    name: Callable[[Rendering, str], str] = render_name
    """An identifier, or a tool's name, in a form that wires accept."""
    surfaced_thoughts: Callable[[Rendering, Sequence[Thought]], Sequence[Thought]] = (
        surfaced_thoughts
    )
    """Chooses the thoughts that the model sees again."""
    thought: Callable[[Rendering, Thought], ThoughtItem] = render_thought
    """One thought in its envelope, with its opaque block if the wire accepts it."""
    tool_call: Callable[[Rendering, LoadedCall], CallItem] = render_tool_call
    """One call with its result."""
    arguments: Callable[[Rendering, Mapping[str, Any]], Mapping[str, Any]] = render_arguments
    """The neutralised arguments of a call."""
    tool_result: Callable[[Rendering, LoadedCall], Sequence[Part]] = render_tool_result
    """The result of a call."""
    media: Callable[[Rendering, LoadedMedia, MediaPlace], Sequence[Part]] = render_media
    """One asset: its marker, then its bytes or the text that replaces them."""
    media_marker: Callable[[Rendering, Media, MediaPlace], str] = render_media_marker
    """The line before an asset."""
    unsupported_media: Callable[[Rendering, LoadedMedia, MediaPlace], str] = (
        render_unsupported_media
    )
    """The text in place of bytes that the wire cannot carry."""

    def with_overrides(self, overrides: Mapping[str, Callable[..., Any]]) -> Steps:
        """Return these steps with some replaced.

        Raises `InvalidRenderer` for an unknown name and for a step that cannot be called.
        """
        check = Checks()
        given = check.mapping("steps", overrides)
        known = [field.name for field in fields(Steps)]
        for name, step in given.items():
            if name not in known:
                check.fail(f"steps[{name!r}]", f"is not a step; the steps are: {', '.join(known)}")
            else:
                check.function(f"steps[{name!r}]", step)
        check.done(InvalidRenderer)
        return replace(self, **given)
