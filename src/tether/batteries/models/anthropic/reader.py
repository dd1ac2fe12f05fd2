"""The reader of Messages API replies, streamed or in one piece."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tether.batteries.models.anthropic.options import CALL_TAG, REPLAY_TAG
from tether.batteries.models.ending import OWN_ENDS
from tether.batteries.models.errors import ModelStreamError
from tether.batteries.models.wire.call_sizes import CallSizes
from tether.batteries.models.wire.reply import (
    BETWEEN,
    Reasoning,
    ReasoningDelta,
    Reply,
    TextDelta,
    ToolRequest,
    Usage,
    as_mapping,
    event_object,
    event_text,
    made_up_id,
    numbered,
    reported,
    text_or_none,
    token_number,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tether.batteries.models.wire.reply import Delta

Block = tuple[int, "Mapping[str, Any]"]
"""A content block and its place in the message."""

STREAMED = "partial_json"
"""The field of a streamed block with the text of its input."""

MAY_PASS = ("api_error", "overloaded_error", "rate_limit_error", "timeout_error")
"""The wire's words for failures that may pass."""

THINKING_FIELD = "thinking"

FIELDS = {
    "text_delta": "text",
    "thinking_delta": "thinking",
    "signature_delta": "signature",
    "input_json_delta": STREAMED,
}
"""Kinds of delta, and the field with the piece: the block's field has the same name."""

KINDS = {"text": "text", "thinking": "thinking", "signature": "thinking", STREAMED: "tool_use"}
"""The kind of block to which a piece belongs, if the block's beginning was lost."""


def reply_of(message: Mapping[str, Any], blocks: Mapping[int, Mapping[str, Any]]) -> Reply:
    """Return the reply of a message with these content blocks."""
    ordered = sorted(blocks.items())
    id, reason = text_or_none(message.get("id")), text_or_none(message.get("stop_reason"))
    return Reply(
        response_id=id,
        model=text_or_none(message.get("model")),
        text=_text([block for block in ordered if block[1].get("type") == "text"]),
        reasoning=tuple(_reasoning(ordered)),
        tool_requests=tuple(
            _tool_request(index, block, id)
            for index, block in ordered
            if block.get("type") == "tool_use"
        ),
        finish_reason=reason,
        is_cut=reason not in OWN_ENDS,
        usage=_usage(as_mapping(message.get("usage"))),
    )


def between(last: int | None, index: int) -> str:
    """Return the separator between a text and the one before it, by their places."""
    return "" if last is None or index - last in (0, 1) else BETWEEN


def _text(blocks: Sequence[Block]) -> str:
    """Return the text of all text blocks.

    Neighbours are one text, split where a citation begins or ends.
    """
    said = ""
    last: int | None = None
    for index, block in blocks:
        if text := text_or_none(block.get("text")):
            said += between(last, index) + text
            last = index
    return said


def _reasoning(blocks: Sequence[Block]) -> Iterator[Reasoning]:
    """Yield the thinking. Without a signature, which proves it, a block cannot be sent back."""
    for index, block in blocks:
        field = numbered(THINKING_FIELD, index)
        if block.get("type") == "thinking":
            text = text_or_none(block.get("thinking")) or ""
            if text_or_none(block.get("signature")):
                yield Reasoning(field, text, dict(block), REPLAY_TAG)
            elif text:
                yield Reasoning(field, text)
        elif block.get("type") == "redacted_thinking" and text_or_none(block.get("data")):
            yield Reasoning(field, "", dict(block), REPLAY_TAG)


def _tool_request(index: int, block: Mapping[str, Any], message_id: str | None) -> ToolRequest:
    """Return a call. Streamed text is the model's own; `input` is the endpoint's reading of it.

    An input that is empty or incomplete looks like any other.
    """
    streamed = text_or_none(block.get(STREAMED))
    return ToolRequest(
        text_or_none(block.get("id")) or made_up_id(index),
        text_or_none(block.get("name")) or "",
        streamed or json.dumps(block.get("input")),
        message_id,
        None if message_id is None else CALL_TAG,
        streamed is not None,
    )


def _usage(body: Mapping[str, Any]) -> Usage:
    """Return the tokens. The wire counts cached tokens separately; here they are input too."""
    read = token_number(body.get("cache_read_input_tokens"))
    fresh = token_number(body.get("input_tokens"))
    written = token_number(body.get("cache_creation_input_tokens"))
    whole = None if fresh is None else token_number(fresh + (read or 0) + (written or 0))
    details = as_mapping(body.get("output_tokens_details"))
    return Usage(
        whole,
        token_number(body.get("output_tokens")),
        read,
        token_number(details.get("thinking_tokens")),
    )


class MessagesReader:
    """Collects content blocks from their pieces.

    An unreadable piece is skipped, except inside a tool's input, where the rest might look complete
    without it: then `reply` raises. `sizes` raises for an input that is too large.
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
        "_sizes",
        "_usage",
    )

    def __init__(self, sizes: CallSizes | None = None) -> None:
        self._sizes = sizes or CallSizes()
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
        """Whether the message has ended."""
        return self._done

    def feed(self, event: str | None, data: str) -> Iterable[Delta]:
        """Take one event; unknown kinds and pings are ignored."""
        try:
            body = event_object(data)
            return self._heard(body.get("type") or event, body)
        except ValueError:
            self._damaged = self._damaged or bool(self._open_calls)
            raise

    def reply(self) -> Reply:
        """Return the whole reply; raises the stream error before its end or for half a call."""
        if not self._done and "stop_reason" not in self._message:
            raise ModelStreamError("the stream ended before the message was complete")
        if self._damaged or self._open_calls:
            raise ModelStreamError("a part of a tool's input is missing from the stream")
        blocks = {index: self._assembled(index) for index in self._blocks}
        return reply_of(self._message | {"usage": self._usage}, blocks)

    def _heard(self, kind: object, body: Mapping[str, Any]) -> Iterable[Delta]:
        match kind:
            case "message_start":
                message = as_mapping(body.get("message"))
                self._take(message, message.get("usage"))
            case "content_block_start":
                return self._begin(_index(body), as_mapping(body.get("content_block")))
            case "content_block_delta":
                return self._go_on(_index(body), as_mapping(body.get("delta")))
            case "content_block_stop":
                self._closed.add(_index(body))
                self._open_calls.discard(_index(body))
            case "message_delta":
                self._take(as_mapping(body.get("delta")), body.get("usage"))
            case "message_stop":
                self._done = True
            case "error":
                why, may_pass = reported(as_mapping(body.get("error")), MAY_PASS)
                broken = f"the endpoint reported a failure in mid-stream: {why}"
                raise ModelStreamError(broken, retryable=may_pass)
            case _:
                pass
        return ()

    def _take(self, fields: Mapping[str, Any], usage: object) -> None:
        """Keep the known fields: counts grow from event to event, and null means unknown."""
        self._message |= {name: value for name, value in fields.items() if value is not None}
        counted = as_mapping(usage).items()
        self._usage |= {name: value for name, value in counted if value is not None}

    def _begin(self, index: int, block: Mapping[str, Any]) -> list[Delta]:
        """Take the beginning of a block, which may contain its first words."""
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
        """Keep a piece, and return it as a delta if it can be shown."""
        if field == STREAMED:
            self._sizes.add(index, piece)
        self._pieces.setdefault(index, {}).setdefault(field, []).append(piece)
        if not piece or self._blocks[index].get("type") != field:
            return []
        if field == "text":
            before, self._last_text = self._last_text, index
            return [TextDelta(between(before, index) + piece)]
        return [ReasoningDelta(numbered(THINKING_FIELD, index), piece)]

    def _assembled(self, index: int) -> dict[str, Any]:
        body = {field: "".join(it) for field, it in self._pieces.get(index, {}).items()}
        return {**self._blocks[index], **body}


def _index(body: Mapping[str, Any]) -> int:
    index = body.get("index")
    if not isinstance(index, int):
        raise ValueError("an event does not name its content block")
    return index
