"""Loads the records of a prompt, so that rendering does not have to wait.

Texts that depend on the context are fixed, artifacts are read or measured, media are encoded.
"""

from __future__ import annotations

from base64 import b64encode
from copy import copy
from typing import TYPE_CHECKING, Protocol, TypeVar, runtime_checkable

from tether.core.artifact import SpooledArtifact, settled, tool_methods
from tether.core.checks import freeze
from tether.core.media import Media, MediaStash
from tether.core.message import Message
from tether.core.thought import Thought
from tether.core.tokenizable import Tokenizable
from tether.runtime.docstrings import read_docstring
from tether.runtime.line_tools import LINE_TOOLS, MOST_COUNTED
from tether.trust.records import (
    Handle,
    HandleTool,
    LoadedCall,
    LoadedMedia,
    LoadedMessage,
    LoadedRetrievable,
    PromptRecords,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from tether.core.identity import Identity
    from tether.core.memory import Memory
    from tether.core.retrievable import Retrievable
    from tether.core.tool_call import ToolCall
    from tether.runtime.context import Context


T = TypeVar("T")

R = TypeVar("R", "Memory", "Message", "Retrievable", "Thought")


@runtime_checkable
class _MeasuredReader(Protocol):
    """A media reader that knows the number of bytes without reading them."""

    def byte_length(self) -> int | Awaitable[int]:
        """Return the size in bytes."""
        ...


async def load_records(
    ctx: Context, *, carries: Callable[[Media], bool], encoding: str | None = None
) -> PromptRecords:
    """Return the records of a turn, with all content that the prompt shows.

    Texts that depend on the context are made now; a record whose text is then empty is left out.
    Artifacts are read if they are shown inline, and measured if they are offered as handles: in
    tokens too, given an `encoding`. The bytes of media are read only if `carries` says that the
    wire accepts them.

    Raises `TokenizableEvaluatorInvalid`, and the errors of readers whose text or bytes are shown.
    """
    loader = _Loader(ctx, carries, encoding)
    return PromptRecords(
        system_prompt=ctx.system_prompt.render(ctx),
        standing_instructions=tuple(item.render(ctx) for item in ctx.standing_instructions),
        memories=tuple(_fixed(ctx.turn_memories, ctx)),
        retrievables=tuple(
            [await loader.retrievable(record) for record in _fixed(ctx.turn_retrievables, ctx)]
        ),
        messages=tuple([await loader.message(record) for record in _fixed(ctx.turn_messages, ctx)]),
        thoughts=tuple(_fixed(ctx.turn_thoughts, ctx)),
        calls=tuple([await loader.call(record) for record in ctx.turn_tool_calls]),
    )


async def load_handle(
    call_id: str, artifact: SpooledArtifact, encoding: str | None = None
) -> Handle:
    """Measure an artifact; in tokens too, given an encoding and if it is not too long.

    `call_id` is its id for the tools that read artifacts. A size that cannot be measured is shown
    as 0: a handle to a broken artifact must not break the whole prompt.
    """
    size = await _measured(artifact.byte_length()) or 0
    return Handle(
        call_id=call_id,
        kind=type(artifact).__name__,
        byte_length=size,
        line_count=await _measured(artifact.line_count()) or 0,
        tokens=await _measured(artifact.estimate_tokens(encoding))
        if encoding is not None and 0 < size <= MOST_COUNTED
        else None,
        tools=_tools_of(type(artifact)),
    )


class _Loader:
    """Loads the records of one context."""

    __slots__ = ("_carries", "_ctx", "_encoding")

    def __init__(
        self, ctx: Context, carries: Callable[[Media], bool], encoding: str | None
    ) -> None:
        self._ctx = ctx
        self._carries = carries
        self._encoding = encoding

    async def retrievable(self, record: Retrievable) -> LoadedRetrievable:
        content = record.content
        if isinstance(content, Tokenizable):
            return LoadedRetrievable(record, str(content))
        if record.inline:
            return LoadedRetrievable(record, await content.as_string())
        return LoadedRetrievable(record, await load_handle(record.id, content, self._encoding))

    async def message(self, record: Message) -> LoadedMessage:
        return LoadedMessage(record, await self._all_media(record.attachments))

    async def call(self, record: ToolCall) -> LoadedCall:
        tool = self._ctx.tools.get(record.tool)
        # The tools that read artifacts come and go with the artifacts: that needs no warning.
        absent = False if record.from_artifact_tool else None
        return LoadedCall(
            record, await self._results(record), absent if tool is None else tool.trusted
        )

    async def _results(self, record: ToolCall) -> str | Handle | tuple[LoadedMedia, ...]:
        results = record.results
        if isinstance(results, Tokenizable):
            return results.render(self._ctx)
        if isinstance(results, SpooledArtifact) and _is_offered(record):
            return await load_handle(record.id, results, self._encoding)
        if artifacts := record.artifacts():
            return "\n\n".join([await artifact.as_string() for artifact in artifacts])
        return await self._all_media(results if isinstance(results, tuple) else (results,))

    async def _all_media(self, media: Iterable[object]) -> tuple[LoadedMedia, ...]:
        return tuple([await self._media(asset) for asset in media if isinstance(asset, Media)])

    async def _media(self, media: Media) -> LoadedMedia:
        if self._carries(media):
            content = await media.as_bytes()
            return LoadedMedia(media, b64encode(content).decode("ascii"), len(content))
        return LoadedMedia(_fixed_media(media, self._ctx), None, await _size(media))


def _is_offered(call: ToolCall) -> bool:
    """Return whether the artifact tools offer this result, which is never one of their own."""
    return not call.inline and not call.from_artifact_tool


async def _size(media: Media) -> int | None:
    """Return the size of an asset, if its reader knows it without reading."""
    reader = media.reader
    return await _measured(_byte_length(reader)) if isinstance(reader, _MeasuredReader) else None


async def _byte_length(reader: _MeasuredReader) -> int:
    return await settled(reader.byte_length())


async def _measured(measure: Awaitable[T]) -> T | None:
    """Return a measure, or None if it fails."""
    try:
        return await measure
    except Exception:  # noqa: BLE001  # a foreign reader; reading it will show the error
        return None


def _tools_of(kind: type) -> tuple[HandleTool, ...]:
    """Return the tools of a class and its bases, then those of every artifact."""
    methods = {
        method.tool: method for base in reversed(kind.__mro__) for method in tool_methods(base)
    }
    own = [
        HandleTool(method.tool, read_docstring(method.description).summary)
        for method in methods.values()
    ]
    return (*own, *(HandleTool(tool.name, tool.description) for tool in LINE_TOOLS))


def _fixed(records: Iterable[R], ctx: Context) -> list[R]:
    return [it for record in records if (it := _fixed_record(record, ctx)) is not None]


def _fixed_record(record: R, ctx: Context) -> R | None:
    """Return the record with its texts made for this context.

    It is the same object if no text depends on the context, and None if its text is empty and it
    has nothing else to show.
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


def _fixed_media(media: Media, ctx: Context) -> Media:
    """Return the asset with the texts of its stash made for this context."""
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
    """Copy a frozen value with other fields, without its checks: an empty text is allowed here."""
    twin = copy(value)
    freeze(twin, **fields)
    return twin
