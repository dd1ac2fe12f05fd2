"""The records of a turn with all content that a prompt shows, so that rendering does not wait."""

# No `from __future__ import annotations` here: see prompt.py.
from typing import NamedTuple

from tether.core.media import Media
from tether.core.memory import Memory
from tether.core.message import Message
from tether.core.retrievable import Retrievable
from tether.core.thought import Thought
from tether.core.tokens import TokenCount
from tether.core.tool_call import ToolCall


class LoadedMedia(NamedTuple):
    """An asset. `data` is its base64; None if the wire cannot carry it, so that it was not read."""

    media: Media
    data: str | None
    size: int | None = None


class HandleTool(NamedTuple):
    """A tool that reads a handle."""

    name: str
    description: str


class Handle(NamedTuple):
    """The replacement for a large text: its size, and the tools that read pieces of it."""

    call_id: str
    kind: str
    byte_length: int
    line_count: int
    tokens: TokenCount | None
    tools: tuple[HandleTool, ...]


class LoadedRetrievable(NamedTuple):
    """A retrievable with its text, or with a handle to it."""

    record: Retrievable
    content: str | Handle


class LoadedMessage(NamedTuple):
    """A message with its attachments."""

    record: Message
    media: tuple[LoadedMedia, ...] = ()


class LoadedCall(NamedTuple):
    """A tool call with its result. `trusted` is the tool's flag, None for an unknown tool."""

    record: ToolCall
    results: str | Handle | tuple[LoadedMedia, ...]
    trusted: bool | None = False


class PromptRecords(NamedTuple):
    """The input of one prompt."""

    system_prompt: str = ""
    standing_instructions: tuple[str, ...] = ()
    memories: tuple[Memory, ...] = ()
    retrievables: tuple[LoadedRetrievable, ...] = ()
    messages: tuple[LoadedMessage, ...] = ()
    thoughts: tuple[Thought, ...] = ()
    calls: tuple[LoadedCall, ...] = ()
