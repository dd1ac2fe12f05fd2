"""What a Responses endpoint put out, as a reply."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from tether.batteries.models.responses.options import REPLAY_TAG
from tether.batteries.models.wire.parts import BETWEEN, numbered
from tether.batteries.models.wire.reading import objects, text_or_none
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

    from tether.batteries.models.responses.options import ResponsesOptions

SAID = {"output_text": "text", "refusal": "refusal"}
"""The parts of a message, and where each has its text."""

CALL = "function_call"
WHOLE = "completed"
"""How a response, or an item of it, says that it is all there."""

REASONING_FIELD = "reasoning"
MAY_PASS = ("server_error", "rate_limit_exceeded")
"""Failures that may not happen again; the wire's words for them."""


class OutputItem(NamedTuple):
    """An item of the output, its place, and what was shown of it before it came whole."""

    place: int
    told: Mapping[str, Any]
    said: str = ""
    thought: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether the item claims to be; not all endpoints say so."""
        return self.told.get("status") in (None, WHOLE)

    @property
    def text(self) -> str:
        """What a message says, a refusal included: it is an answer, too."""
        is_message = self.told.get("type") == "message"
        parts = objects(self.told.get("content")) if is_message else []
        texts = (_text(part, SAID.get(str(part.get("type")), "")) for part in parts)
        return "".join(texts) or self.said

    @property
    def reasoning(self) -> str:
        """What an item of reasoning says."""
        is_reasoning = self.told.get("type") == "reasoning"
        fields = ("summary", "content") if is_reasoning else ()
        parts = [part for field in fields for part in objects(self.told.get(field))]
        texts = (text for part in parts if (text := _text(part, "text")))
        return BETWEEN.join(texts) or self.thought


def reply_of(
    options: ResponsesOptions, response: Mapping[str, Any], items: Sequence[OutputItem]
) -> Reply:
    """Return the reply that a response with these output items is, in their order."""
    calls = [item for item in items if item.told.get("type") == CALL]
    status = text_or_none(response.get("status"))
    if status != WHOLE:
        items = _without_the_end(items)
    return Reply(
        response_id=text_or_none(response.get("id")),
        model=text_or_none(response.get("model")),
        text=BETWEEN.join(item.text for item in items if item.text),
        reasoning=tuple(_reasoning(options, items)),
        tool_requests=tuple(_tool_requests(options, items)),
        finish_reason=_finish_reason(response, items),
        is_cut=status != WHOLE or not all(call.is_whole for call in calls),
        usage=_usage(as_mapping(response.get("usage"))),
    )


def _without_the_end(items: Sequence[OutputItem]) -> Sequence[OutputItem]:
    """Return the items of a response that was cut: the reasoning in which it ended is not whole,
    whatever it says of itself."""
    *others, last = items or [OutputItem(0, {})]
    if last.told.get("type") != "reasoning":
        return items
    return [*others, last._replace(told={**last.told, "status": "incomplete"})]


def _text(part: Mapping[str, Any], name: str) -> str:
    return text_or_none(part.get(name)) or ""


def _reasoning(options: ResponsesOptions, items: Sequence[OutputItem]) -> Iterator[Reasoning]:
    """Yield the reasoning, each item with itself as its payload if it can be sent back."""
    for item in items:
        field = numbered(REASONING_FIELD, item.place)
        if _goes_back(options, item):
            yield Reasoning(field, item.reasoning, dict(item.told), REPLAY_TAG)
        elif item.reasoning:
            yield Reasoning(field, item.reasoning)


def _goes_back(options: ResponsesOptions, item: OutputItem) -> bool:
    """Say whether an item is reasoning that the endpoint will take back.

    Half of it proves nothing. An endpoint that stores nothing knows an item again only by its
    encrypted content.
    """
    told = item.told
    is_known = options.store is not False or text_or_none(told.get("encrypted_content"))
    is_named = told.get("type") == "reasoning" and text_or_none(told.get("id"))
    return bool(is_named and is_known and item.is_whole)


def _tool_requests(options: ResponsesOptions, items: Sequence[OutputItem]) -> Iterator[ToolRequest]:
    """Yield the calls, each with its own id and that of the reasoning that led to it.

    The endpoint wants reasoning back together with the items behind it, under their ids, and takes
    such an id only together with the reasoning. What is not whole counts as not verbatim, so that
    it is not run.
    """
    led_by: str | None = None
    for item in items:
        if _goes_back(options, item):
            led_by = item.told["id"]
        if item.told.get("type") == CALL:
            yield _tool_request(item, led_by)


def _tool_request(item: OutputItem, led_by: str | None) -> ToolRequest:
    told = item.told
    id, arguments = text_or_none(told.get("id")), told.get("arguments")
    is_replayed = id is not None and led_by is not None
    return ToolRequest(
        text_or_none(told.get("call_id")) or id or made_up_id(item.place),
        _text(told, "name"),
        arguments if isinstance(arguments, str) else json.dumps(arguments),
        {"id": id, "reasoning": led_by} if is_replayed else None,
        REPLAY_TAG if is_replayed else None,
        isinstance(arguments, str) and item.is_whole,
    )


def _finish_reason(response: Mapping[str, Any], items: Sequence[OutputItem]) -> str | None:
    status = text_or_none(response.get("status"))
    if status == "incomplete":
        details = as_mapping(response.get("incomplete_details"))
        return text_or_none(details.get("reason")) or status
    parts = (part for item in items for part in objects(item.told.get("content")))
    return "refusal" if any(part.get("type") == "refusal" for part in parts) else status


def _usage(told: Mapping[str, Any]) -> Usage:
    taken, given = told.get("input_tokens_details"), told.get("output_tokens_details")
    return Usage(
        token_number(told.get("input_tokens")),
        token_number(told.get("output_tokens")),
        token_number(as_mapping(taken).get("cached_tokens")),
        token_number(as_mapping(given).get("reasoning_tokens")),
    )
