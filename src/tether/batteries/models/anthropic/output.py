"""What a Messages endpoint put out, as a reply."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tether.batteries.models.anthropic.options import CALL_TAG, REPLAY_TAG
from tether.batteries.models.wire.parts import BETWEEN, numbered
from tether.batteries.models.wire.reading import text_or_none
from tether.batteries.models.wire.reply import (
    Reasoning,
    Reply,
    ToolRequest,
    Usage,
    as_mapping,
    made_up_id,
    token_number,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Block = tuple[int, "Mapping[str, Any]"]
"""A content block and its place in the message."""

STREAMED = "partial_json"
"""Where a block that was streamed holds the text of its input."""

MAY_PASS = ("api_error", "overloaded_error", "rate_limit_error", "timeout_error")
"""Failures that may not happen again; the wire's words for them."""

OWN_END = ("end_turn", "pause_turn", "stop_sequence", "tool_use")
"""Reasons to stop that mean: there was no more to say. Others are limits, filters, or not known."""

THINKING_FIELD = "thinking"


def reply_of(message: Mapping[str, Any], blocks: Mapping[int, Mapping[str, Any]]) -> Reply:
    """Return the reply that a message with these content blocks is."""
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
        is_cut=reason not in OWN_END,
        usage=_usage(as_mapping(message.get("usage"))),
    )


def between(last: int | None, index: int) -> str:
    """Return what stands between a text and the one before it, by their places."""
    return "" if last is None or index - last in (0, 1) else BETWEEN


def _text(blocks: Sequence[Block]) -> str:
    """Return what the text blocks say together.

    Neighbours are one text, which was cut where a citation begins or ends.
    """
    said = ""
    last: int | None = None
    for index, block in blocks:
        if text := text_or_none(block.get("text")):
            said += between(last, index) + text
            last = index
    return said


def _reasoning(blocks: Sequence[Block]) -> Iterator[Reasoning]:
    """Yield the thinking. A signature proves a block; without one it cannot be sent back."""
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
    """Return a call. What was streamed is the model's own text; the input is what was read of it.

    An input that is empty, or not as long as it should be, looks like any other.
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


def _usage(told: Mapping[str, Any]) -> Usage:
    """Return the tokens. The wire counts apart what the cache holds; here it is input as well."""
    read = token_number(told.get("cache_read_input_tokens"))
    fresh = token_number(told.get("input_tokens"))
    written = token_number(told.get("cache_creation_input_tokens"))
    whole = None if fresh is None else token_number(fresh + (read or 0) + (written or 0))
    details = as_mapping(told.get("output_tokens_details"))
    return Usage(
        whole,
        token_number(told.get("output_tokens")),
        read,
        token_number(details.get("thinking_tokens")),
    )
