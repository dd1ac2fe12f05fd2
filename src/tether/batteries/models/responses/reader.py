"""The reader of Responses API replies, streamed or in one piece."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tether.batteries.models.errors import ModelStreamError
from tether.batteries.models.responses.items import (
    ARGUMENTS,
    CALL,
    SAID,
    WHOLE,
    OutputItem,
    OutputItems,
    Part,
    text_of,
)
from tether.batteries.models.responses.options import REPLAY_TAG
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
    objects,
    reported,
    text_or_none,
    token_number,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tether.batteries.models.responses.options import ResponsesOptions
    from tether.batteries.models.wire.reply import Delta

REASONING_FIELD = "reasoning"
MAY_PASS = ("server_error", "rate_limit_exceeded")
"""The wire's words for failures that may pass."""

PIECES = {
    "response.output_text.delta": ("output_text", "content_index"),
    "response.refusal.delta": ("refusal", "content_index"),
    "response.reasoning_summary_text.delta": ("summary_text", "summary_index"),
    "response.reasoning_text.delta": ("reasoning_text", "content_index"),
    "response.function_call_arguments.delta": (ARGUMENTS, ""),
}
"""Events with a piece of a part: the kind of part, and the field with its number."""


class ResponsesReader:
    """Collects output items. Pieces are for display; a whole item replaces them when it comes."""

    __slots__ = ("_done", "_items", "_options", "_response", "_said", "_thought")

    def __init__(self, options: ResponsesOptions) -> None:
        self._options = options
        self._response: dict[str, Any] = {}
        self._items = OutputItems(CallSizes.within(options))
        self._said: Part | None = None
        self._thought: Part | None = None
        self._done = False

    @property
    def is_done(self) -> bool:
        """Whether the response has ended."""
        return self._done

    def feed(self, event: str | None, data: str) -> Iterable[Delta]:
        """Take one event; unknown kinds are ignored."""
        body = event_object(data)
        kind = body.get("type") or event
        match kind:
            case "response.output_item.added":
                self._items.begin(body)
            case "response.output_item.done":
                self._items.finish(body)
            case "response.function_call_arguments.done":
                self._items.close(self._items.place(body), event_text(body, ARGUMENTS))
            case "response.created":
                self._response |= as_mapping(body.get("response"))
            case "response.completed" | "response.incomplete":
                self._end(kind, as_mapping(body.get("response")))
            case "response.failed":
                raise _failure(as_mapping(body.get("response")).get("error"))
            case "error":
                raise _failure(body.get("error") or body)
            case str() if kind in PIECES:
                return self._piece(body, *PIECES[kind])
            case _:
                pass
        return ()

    def reply(self) -> Reply:
        """Return the whole reply; raises the stream error before its end or for half a call."""
        if not self._done:
            raise ModelStreamError("the stream ended before the response was complete")
        return reply_of(self._options, self._response, self._items.items())

    def _end(self, kind: str, response: Mapping[str, Any]) -> None:
        """Take the end. The response is complete only if the event and its status both say so."""
        said = text_or_none(response.get("status")) or WHOLE
        status = said if kind == "response.completed" else "incomplete"
        self._response |= {**response, "status": status}
        self._items.merge(response.get("output"))
        self._done = True

    def _piece(self, body: Mapping[str, Any], kind: str, name: str) -> Iterable[Delta]:
        number = body.get(name)
        part = Part(self._items.place(body), kind, number if isinstance(number, int) else 0)
        piece = event_text(body, "delta")
        self._items.add(part, piece)
        if not piece or kind == ARGUMENTS:
            return ()
        if kind in SAID:
            apart = self._said is not None and self._said.place != part.place
            self._said = part
            return (TextDelta(BETWEEN + piece if apart else piece),)
        before, self._thought = self._thought, part
        apart = before is not None and before.place == part.place and before != part
        field = numbered(REASONING_FIELD, part.place)
        return (ReasoningDelta(field, BETWEEN + piece if apart else piece),)


def _failure(body: object) -> ModelStreamError:
    why, may_pass = reported(as_mapping(body), MAY_PASS)
    message = f"the endpoint reported a failure in mid-stream: {why}"
    return ModelStreamError(message, retryable=may_pass)


def reply_of(
    options: ResponsesOptions, response: Mapping[str, Any], items: Sequence[OutputItem]
) -> Reply:
    """Return the reply of a response with these output items, in their order."""
    calls = [item for item in items if item.body.get("type") == CALL]
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
    """Return the items of a response that was cut: reasoning at its end is incomplete, whatever its
    status."""
    *others, last = items or [OutputItem(0, {})]
    if last.body.get("type") != "reasoning":
        return items
    return [*others, last._replace(body={**last.body, "status": "incomplete"})]


def _reasoning(options: ResponsesOptions, items: Sequence[OutputItem]) -> Iterator[Reasoning]:
    """Yield the reasoning; an item that can be sent back is its own payload."""
    for item in items:
        field = numbered(REASONING_FIELD, item.place)
        if _goes_back(options, item):
            yield Reasoning(field, item.reasoning, dict(item.body), REPLAY_TAG)
        elif item.reasoning:
            yield Reasoning(field, item.reasoning)


def _goes_back(options: ResponsesOptions, item: OutputItem) -> bool:
    """Say whether an item is reasoning that the endpoint will accept.

    Half of it proves nothing. An endpoint that stores nothing recognises an item only by its
    encrypted content.
    """
    body = item.body
    is_known = options.store is not False or text_or_none(body.get("encrypted_content"))
    is_named = body.get("type") == "reasoning" and text_or_none(body.get("id"))
    return bool(is_named and is_known and item.is_whole)


def _tool_requests(options: ResponsesOptions, items: Sequence[OutputItem]) -> Iterator[ToolRequest]:
    """Yield the calls, each with its own id and that of the reasoning that led to it.

    The endpoint wants reasoning back together with the items after it, under their ids, and accepts
    such an id only together with the reasoning. An incomplete call counts as not verbatim, so that
    it is not run.
    """
    led_by: str | None = None
    for item in items:
        if _goes_back(options, item):
            led_by = item.body["id"]
        if item.body.get("type") == CALL:
            yield _tool_request(item, led_by)


def _tool_request(item: OutputItem, led_by: str | None) -> ToolRequest:
    body = item.body
    id, arguments = text_or_none(body.get("id")), body.get("arguments")
    is_replayed = id is not None and led_by is not None
    return ToolRequest(
        text_or_none(body.get("call_id")) or id or made_up_id(item.place),
        text_of(body, "name"),
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
    parts = (part for item in items for part in objects(item.body.get("content")))
    return "refusal" if any(part.get("type") == "refusal" for part in parts) else status


def _usage(body: Mapping[str, Any]) -> Usage:
    taken, given = body.get("input_tokens_details"), body.get("output_tokens_details")
    return Usage(
        token_number(body.get("input_tokens")),
        token_number(body.get("output_tokens")),
        token_number(as_mapping(taken).get("cached_tokens")),
        token_number(as_mapping(given).get("reasoning_tokens")),
    )
