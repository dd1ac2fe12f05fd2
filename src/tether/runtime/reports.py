"""The executor's reports: streams of text and tool calls, and a structured log.

A report is shown, not stored. To keep a record, use `ctx.store_message` and its siblings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from tether.core.clean_text import clean_text
from tether.core.events import LogEntry, MessageChunk, ThoughtChunk, ToolCallProgress
from tether.core.plain_data import copy_plain, tool_checksum
from tether.runtime.errors import StreamSealed

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from tether.core.events import LogLevel
    from tether.core.tool_call import ToolResults
    from tether.runtime.dispatch_context import DispatchContext


Chunk = TypeVar("Chunk", MessageChunk, ThoughtChunk)


class Helpers:
    """Passed to the executor with the context. Streams live as long as the dispatch."""

    __slots__ = ("_calls", "_ctx", "_messages", "_now", "_thoughts", "_turn_id", "log")

    def __init__(self, ctx: DispatchContext) -> None:
        self._ctx = ctx
        self._now = ctx.clock.now
        self._turn_id = ctx.turn_id
        self._messages: dict[str, _TextStream] = {}
        self._thoughts: dict[str, _TextStream] = {}
        self._calls: dict[str, _CallStream] = {}
        self.log = Log(ctx)

    def report_message(self, id: str, a_delta: str, *, is_complete: bool = False) -> None:
        """Show the next piece of a message: the new text only, without earlier pieces.

        Raises `StreamSealed` after the piece that was reported complete.
        """
        chunk = self._next(MessageChunk, self._messages, id, a_delta, is_complete=is_complete)
        self._ctx.emit_message(chunk)

    def report_thought(self, id: str, a_delta: str, *, is_complete: bool = False) -> None:
        """Show the next piece of reasoning; the same rules as for messages."""
        chunk = self._next(ThoughtChunk, self._thoughts, id, a_delta, is_complete=is_complete)
        self._ctx.emit_thought(chunk)

    def _next(
        self,
        kind: type[Chunk],
        streams: dict[str, _TextStream],
        id: str,
        a_delta: str,
        *,
        is_complete: bool,
    ) -> Chunk:
        now = self._now()
        stream = streams.get(id)
        if stream is None:
            stream = streams[id] = _TextStream(now)
        stream.append(id, a_delta, is_complete=is_complete)
        return kind(
            self._turn_id,
            id,
            stream.piece,
            stream.full,
            is_complete,
            stream.created_at,
            now,
            now if is_complete else None,
        )

    def has_call(self, id: str) -> bool:
        """Say whether a tool call was reported under this id, be it stored, failed or deleted."""
        return id in self._calls

    def report_tool_call(
        self,
        id: str,
        *,
        tool: str | None = None,
        args: Mapping[str, Any] | None = None,
        results: ToolResults | None = None,
        is_complete: bool = False,
        is_error: bool = False,
    ) -> None:
        """Show new facts about a tool call; earlier ones are kept.

        Raises `StreamSealed` after it was reported complete.
        """
        now = self._now()
        call = self._calls.get(id)
        if call is None:
            call = self._calls[id] = _CallStream(now)
        call.merge(id, tool, args, results, is_complete=is_complete, is_error=is_error)
        self._ctx.emit_tool_call(
            ToolCallProgress(
                self._turn_id,
                id,
                call.tool,
                call.args,
                call.checksum,
                call.results,
                is_complete,
                call.is_error,
                call.created_at,
                now,
                now if is_complete else None,
            )
        )


class Log:
    """Five levels of structured lines on the observability bus."""

    __slots__ = ("_ctx",)

    def __init__(self, ctx: DispatchContext) -> None:
        self._ctx = ctx

    def trace(self, kind: str, message: str, payload: Mapping[str, Any] | None = None) -> None:
        """Log details for debugging one problem."""
        self._write("trace", kind, message, payload)

    def debug(self, kind: str, message: str, payload: Mapping[str, Any] | None = None) -> None:
        """Log details that explain a run."""
        self._write("debug", kind, message, payload)

    def info(self, kind: str, message: str, payload: Mapping[str, Any] | None = None) -> None:
        """Log an event."""
        self._write("info", kind, message, payload)

    def warn(self, kind: str, message: str, payload: Mapping[str, Any] | None = None) -> None:
        """Log a condition that needs attention."""
        self._write("warn", kind, message, payload)

    def error(self, kind: str, message: str, payload: Mapping[str, Any] | None = None) -> None:
        """Log a failure; this neither ends nor fails the dispatch."""
        self._write("error", kind, message, payload)

    def _write(
        self, level: LogLevel, kind: str, message: str, payload: Mapping[str, Any] | None
    ) -> None:
        ctx = self._ctx
        ctx.record(
            LogEntry(
                ctx.turn_id, ctx.id, ctx.iteration, level, kind, message, payload, ctx.clock.now()
            )
        )


class _TextStream:
    """The text reported under one id so far."""

    __slots__ = ("_held", "created_at", "full", "piece", "sealed")

    def __init__(self, created_at: datetime) -> None:
        self.created_at = created_at
        self.full = ""
        self.piece = ""
        self.sealed = False
        self._held = ""

    def append(self, id: str, a_delta: str, *, is_complete: bool) -> None:
        """Add the next piece; half a surrogate pair waits for its other half."""
        if self.sealed:
            raise StreamSealed(f"the stream {id!r} was reported complete")
        text = self._held + a_delta
        self._held = ""
        if text and not is_complete and "\ud800" <= text[-1] <= "\udbff":
            text, self._held = text[:-1], text[-1]
        self.piece = clean_text(text)
        self.full += self.piece
        self.sealed = is_complete


class _CallStream:
    """The state of one tool call so far."""

    __slots__ = ("args", "checksum", "created_at", "is_error", "results", "sealed", "tool")

    def __init__(self, created_at: datetime) -> None:
        self.created_at = created_at
        self.tool: str | None = None
        self.args: Mapping[str, Any] | None = None
        self.checksum: str | None = None
        self.results: ToolResults | None = None
        self.is_error = False
        self.sealed = False

    def merge(
        self,
        id: str,
        tool: str | None,
        args: Mapping[str, Any] | None,
        results: ToolResults | None,
        *,
        is_complete: bool,
        is_error: bool,
    ) -> None:
        """Add new facts, and compute the checksum once tool and arguments are known."""
        if self.sealed:
            raise StreamSealed(f"the tool call {id!r} was reported complete")
        changed = (tool is not None and tool != self.tool) or args is not None
        named = self.tool if tool is None else tool
        given = self.args if args is None else copy_plain(dict(args))
        if changed and named is not None and given is not None:
            self.checksum = tool_checksum(named, given)
        self.tool = named
        self.args = given
        self.results = self.results if results is None else results
        self.is_error = self.is_error or is_error
        self.sealed = is_complete
