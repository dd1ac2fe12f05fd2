"""Reads what a prompt shows, so that rendering it need not wait."""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING, Protocol, TypeVar, runtime_checkable

from tether.core.artifact import SpooledArtifact, settled
from tether.core.media import Media
from tether.core.text import Tokenizable
from tether.trust.fixed import fixed_media, fixed_record
from tether.trust.handles import load_handle, measured
from tether.trust.loaded import (
    Handle,
    LoadedCall,
    LoadedMedia,
    LoadedMessage,
    LoadedRetrievable,
    PromptRecords,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from tether.core.memory import Memory
    from tether.core.message import Message
    from tether.core.retrievable import Retrievable
    from tether.core.thought import Thought
    from tether.core.tool_call import ToolCall
    from tether.runtime.context import Context

R = TypeVar("R", "Memory", "Message", "Retrievable", "Thought")


@runtime_checkable
class MeasuredReader(Protocol):
    """A reader of media that can tell how many bytes there are without reading them."""

    def byte_length(self) -> int | Awaitable[int]:
        """Return the size in bytes."""
        ...


async def load_records(
    ctx: Context, *, carries: Callable[[Media], bool], encoding: str | None = None
) -> PromptRecords:
    """Return the records of a turn, with all that is to be shown of them.

    Texts that depend on the context are made now; a record whose text comes out empty is left out.
    Artifacts are read where they are shown inline, and measured where they are offered as handles:
    in tokens too, where there is an `encoding`. The bytes of media are read only where `carries`
    says that the wire can take them.

    Raises `TokenizableEvaluatorInvalid`, and whatever a reader raises whose text or bytes are to be
    shown.
    """
    loading = _Loading(ctx, carries, encoding)
    return PromptRecords(
        system_prompt=ctx.system_prompt.render(ctx),
        standing_instructions=tuple(item.render(ctx) for item in ctx.standing_instructions),
        memories=tuple(_fixed(ctx.turn_memories, ctx)),
        retrievables=tuple(
            [await loading.retrievable(record) for record in _fixed(ctx.turn_retrievables, ctx)]
        ),
        messages=tuple(
            [await loading.message(record) for record in _fixed(ctx.turn_messages, ctx)]
        ),
        thoughts=tuple(_fixed(ctx.turn_thoughts, ctx)),
        calls=tuple([await loading.call(record) for record in ctx.turn_tool_calls]),
    )


def _fixed(records: Iterable[R], ctx: Context) -> list[R]:
    return [it for record in records if (it := fixed_record(record, ctx)) is not None]


class _Loading:
    """What one trip over the records of a context is made with."""

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
        # The tools that read artifacts come and go with these: nobody need be warned of that.
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
        return LoadedMedia(fixed_media(media, self._ctx), None, await _size(media))


def _is_offered(call: ToolCall) -> bool:
    """Say whether the tools that read artifacts know this one; no call of theirs makes another."""
    return not call.inline and not call.from_artifact_tool


async def _size(media: Media) -> int | None:
    """Return the size of an asset whose reader can tell it without being read."""
    reader = media.reader
    return await measured(_byte_length(reader)) if isinstance(reader, MeasuredReader) else None


async def _byte_length(reader: MeasuredReader) -> int:
    return await settled(reader.byte_length())
