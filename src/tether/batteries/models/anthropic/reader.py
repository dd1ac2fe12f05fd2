"""A streamed reply of the Messages API, taken apart event by event."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tether.batteries.models.anthropic.output import (
    MAY_PASS,
    STREAMED,
    THINKING_FIELD,
    between,
    reply_of,
)
from tether.batteries.models.wire.parts import numbered, reported
from tether.batteries.models.wire.reading import event_object, event_text
from tether.batteries.models.wire.reply import ReasoningDelta, TextDelta, as_mapping
from tether.core.errors import ModelStreamError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tether.batteries.models.wire.reply import Delta, Reply

FIELDS = {
    "text_delta": "text",
    "thinking_delta": "thinking",
    "signature_delta": "signature",
    "input_json_delta": STREAMED,
}
"""Kinds of delta, and the field that holds the piece: the block's field has the same name."""

KINDS = {"text": "text", "thinking": "thinking", "signature": "thinking", STREAMED: "tool_use"}
"""The kind of block to which a piece belongs, where nothing said how the block begins."""


class MessagesReader:
    """Collects content blocks from their pieces.

    A piece that cannot be read is skipped, except inside a tool's input, where the rest might look
    whole without it: then there is no reply.
    """

    __slots__ = (
        "_blocks",
        "_closed",
        "_damaged",
        "_done",
        "_last_text",
        "_message",
        "_open_calls",
        "_pieces",
        "_usage",
    )

    def __init__(self) -> None:
        self._message: dict[str, Any] = {}
        self._usage: dict[str, Any] = {}
        self._blocks: dict[int, Mapping[str, Any]] = {}
        self._pieces: dict[int, dict[str, list[str]]] = {}
        self._open_calls: set[int] = set()
        self._closed: set[int] = set()
        self._damaged = False
        self._last_text: int | None = None
        self._done = False

    @property
    def is_done(self) -> bool:
        """Whether the message was ended."""
        return self._done

    def feed(self, event: str | None, data: str) -> Iterable[Delta]:
        """Take one event; kinds that are not known, and pings, say nothing."""
        try:
            told = event_object(data)
            return self._heard(told.get("type") or event, told)
        except ValueError:
            self._damaged = self._damaged or bool(self._open_calls)
            raise

    def reply(self) -> Reply:
        """Return the whole reply; the end must have come, and with it every call that began."""
        if not self._done and "stop_reason" not in self._message:
            raise ModelStreamError("the stream ended before the message was complete")
        if self._damaged or self._open_calls:
            raise ModelStreamError("a part of a tool's input is missing from the stream")
        blocks = {index: self._assembled(index) for index in self._blocks}
        return reply_of(self._message | {"usage": self._usage}, blocks)

    def _heard(self, kind: object, told: Mapping[str, Any]) -> Iterable[Delta]:
        match kind:
            case "message_start":
                message = as_mapping(told.get("message"))
                self._take(message, message.get("usage"))
            case "content_block_start":
                return self._begin(_index(told), as_mapping(told.get("content_block")))
            case "content_block_delta":
                return self._go_on(_index(told), as_mapping(told.get("delta")))
            case "content_block_stop":
                self._closed.add(_index(told))
                self._open_calls.discard(_index(told))
            case "message_delta":
                self._take(as_mapping(told.get("delta")), told.get("usage"))
            case "message_stop":
                self._done = True
            case "error":
                why, may_pass = reported(as_mapping(told.get("error")), MAY_PASS)
                broken = f"the endpoint reported a failure in mid-stream: {why}"
                raise ModelStreamError(broken, retryable=may_pass)
            case _:
                pass
        return ()

    def _take(self, fields: Mapping[str, Any], usage: object) -> None:
        """Keep what is known: counts grow from event to event, and null says nothing."""
        self._message |= {name: value for name, value in fields.items() if value is not None}
        counted = as_mapping(usage).items()
        self._usage |= {name: value for name, value in counted if value is not None}

    def _begin(self, index: int, block: Mapping[str, Any]) -> list[Delta]:
        """Take the beginning of a block, which may hold its first words."""
        self._hold(index, block)
        first = [(field, block[field]) for field in KINDS if isinstance(block.get(field), str)]
        return [delta for field, piece in first for delta in self._piece(index, field, piece)]

    def _hold(self, index: int, block: Mapping[str, Any]) -> None:
        self._blocks[index] = block
        if block.get("type") == "tool_use" and index not in self._closed:
            self._open_calls.add(index)

    def _go_on(self, index: int, delta: Mapping[str, Any]) -> list[Delta]:
        field = FIELDS.get(str(delta.get("type")))
        if field is None:
            return []
        if index not in self._blocks:
            self._hold(index, {"type": KINDS[field]})
        return self._piece(index, field, event_text(delta, field))

    def _piece(self, index: int, field: str, piece: str) -> list[Delta]:
        """Keep a piece, and return it for showing if it belongs to what is shown."""
        self._pieces.setdefault(index, {}).setdefault(field, []).append(piece)
        if not piece or self._blocks[index].get("type") != field:
            return []
        if field == "text":
            before, self._last_text = self._last_text, index
            return [TextDelta(between(before, index) + piece)]
        return [ReasoningDelta(numbered(THINKING_FIELD, index), piece)]

    def _assembled(self, index: int) -> dict[str, Any]:
        told = {field: "".join(it) for field, it in self._pieces.get(index, {}).items()}
        return {**self._blocks[index], **told}


def _index(told: Mapping[str, Any]) -> int:
    index = told.get("index")
    if not isinstance(index, int):
        raise ValueError("an event does not say which content block it is about")
    return index
