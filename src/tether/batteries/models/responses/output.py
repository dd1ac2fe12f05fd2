"""What a Responses endpoint put out, as a reply."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tether.batteries.models.responses.options import REPLAY_TAG
from tether.batteries.models.wire.reading import objects, text_or_none
from tether.batteries.models.wire.reply import (
    Reasoning,
    Reply,
    ToolRequest,
    Usage,
    as_mapping,
    token_number,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tether.batteries.models.responses.options import ResponsesOptions

BETWEEN = "\n\n"
"""Stands between texts that were put out as separate items."""

SAID = {"output_text": "text", "refusal": "refusal"}
"""The parts of a message, and where each has its text."""

CUT = "max_output_tokens"


def reply_of(
    options: ResponsesOptions, response: Mapping[str, Any], items: Mapping[int, Mapping[str, Any]]
) -> Reply:
    """Return the reply that a response with these output items is."""
    ordered = sorted(items.items())
    texts = [text_of(item) for _, item in ordered if item.get("type") == "message"]
    reason = _finish_reason(response, items.values())
    return Reply(
        response_id=text_or_none(response.get("id")),
        model=text_or_none(response.get("model")),
        text=BETWEEN.join(text for text in texts if text),
        reasoning=tuple(_reasoning(options, ordered)),
        tool_requests=tuple(
            _tool_request(index, item)
            for index, item in ordered
            if item.get("type") == "function_call"
        ),
        finish_reason=reason,
        is_cut=reason == CUT,
        usage=_usage(as_mapping(response.get("usage"))),
    )


def text_of(item: Mapping[str, Any]) -> str:
    """Return what a message item says, a refusal included: it is an answer, too."""
    parts = objects(item.get("content"))
    return "".join(_text(part, SAID.get(str(part.get("type")), "")) for part in parts)


def reasoning_field(index: int) -> str:
    """Return the name under which the reasoning item at this place of the output is shown."""
    return f"reasoning_{index}" if index else "reasoning"


def failure_of(told: Mapping[str, Any]) -> tuple[str, bool]:
    """Return what an error object says, and whether it may be different the next time."""
    code = text_or_none(told.get("code")) or text_or_none(told.get("type")) or "error"
    message = text_or_none(told.get("message")) or "it does not say why"
    return f"{code}: {message}", code in {"server_error", "rate_limit_exceeded"}


def _text(part: Mapping[str, Any], name: str) -> str:
    return text_or_none(part.get(name)) or ""


def _reasoning(
    options: ResponsesOptions, ordered: Iterable[tuple[int, Mapping[str, Any]]]
) -> Iterable[Reasoning]:
    """Return the reasoning, each item with itself as its payload if it can be sent back.

    An endpoint that stores nothing knows an item again only by its encrypted content.
    """
    for index, item in ordered:
        if item.get("type") != "reasoning":
            continue
        parts = [*objects(item.get("summary")), *objects(item.get("content"))]
        text = BETWEEN.join(text for part in parts if (text := _text(part, "text")))
        returns = options.store is not False or text_or_none(item.get("encrypted_content"))
        if returns and text_or_none(item.get("id")):
            yield Reasoning(reasoning_field(index), text, dict(item), REPLAY_TAG)
        elif text:
            yield Reasoning(reasoning_field(index), text)


def _tool_request(index: int, item: Mapping[str, Any]) -> ToolRequest:
    id = text_or_none(item.get("call_id")) or text_or_none(item.get("id")) or f"call_{index}"
    arguments = item.get("arguments")
    written = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return ToolRequest(id, _text(item, "name"), written)


def _finish_reason(response: Mapping[str, Any], items: Iterable[Mapping[str, Any]]) -> str | None:
    status = text_or_none(response.get("status"))
    if status == "incomplete":
        details = as_mapping(response.get("incomplete_details"))
        return text_or_none(details.get("reason")) or status
    refused = any(
        part.get("type") == "refusal" for item in items for part in objects(item.get("content"))
    )
    return "refusal" if refused else status


def _usage(told: Mapping[str, Any]) -> Usage:
    taken, given = told.get("input_tokens_details"), told.get("output_tokens_details")
    return Usage(
        token_number(told.get("input_tokens")),
        token_number(told.get("output_tokens")),
        token_number(as_mapping(taken).get("cached_tokens")),
        token_number(as_mapping(given).get("reasoning_tokens")),
    )
