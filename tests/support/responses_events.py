"""What a Responses endpoint sends, checked against the types of OpenAI's own package."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from openai.types.responses import Response, ResponseStreamEvent
from pydantic import TypeAdapter

from support.faulty_endpoint import http_response, sse, streamed

EVENT: TypeAdapter[Any] = TypeAdapter(ResponseStreamEvent)
Json = dict[str, Any]

USAGE: Json = {
    "input_tokens": 120,
    "input_tokens_details": {"cached_tokens": 100, "cache_write_tokens": 0},
    "output_tokens": 30,
    "output_tokens_details": {"reasoning_tokens": 20},
    "total_tokens": 150,
}


def response(*output: Json, status: str = "completed", **fields: Any) -> Json:
    """A response object."""
    body = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1_767_268_800,
        "model": "gpt-served",
        "status": status,
        "output": list(output),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": USAGE,
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "temperature": 1.0,
        "top_p": 1.0,
        **fields,
    }
    Response.model_validate(body)
    return body


def message(*texts: str, id: str = "msg_1") -> Json:
    content = [{"type": "output_text", "text": text, "annotations": []} for text in texts]
    return {
        "type": "message",
        "id": id,
        "role": "assistant",
        "status": "completed",
        "content": content,
    }


def refusal(text: str) -> Json:
    return {**message(), "content": [{"type": "refusal", "refusal": text}]}


def reasoning(*summary: str, id: str = "rs_1", **fields: Any) -> Json:
    parts = [{"type": "summary_text", "text": text} for text in summary]
    return {"type": "reasoning", "id": id, "summary": parts, **fields}


def function_call(call_id: str, name: str, arguments: str, *, id: str = "fc_1") -> Json:
    return {
        "type": "function_call",
        "id": id,
        "call_id": call_id,
        "name": name,
        "arguments": arguments,
        "status": "completed",
    }


def event(kind: str, **fields: Any) -> Json:
    """One event that OpenAI's own types accept."""
    made = {"type": kind, "sequence_number": 1, **fields}
    EVENT.validate_python(made)
    return made


def delta(kind: str, place: int, text: str, **fields: Any) -> Json:
    """A piece of an item at a place of the output."""
    where = {"output_index": place, "item_id": f"item_{place}", "delta": text, **fields}
    return event(f"response.{kind}.delta", **where)


def said(place: int, text: str, part: int = 0) -> Json:
    return delta("output_text", place, text, content_index=part, logprobs=[])


def summarised(place: int, text: str, part: int = 0) -> Json:
    return delta("reasoning_summary_text", place, text, summary_index=part)


def added(place: int, item: Json) -> Json:
    return event("response.output_item.added", output_index=place, item=item)


def done(place: int, item: Json) -> Json:
    return event("response.output_item.done", output_index=place, item=item)


def created() -> Json:
    return event("response.created", response=response(status="in_progress", usage=None))


def completed(*output: Json, **fields: Any) -> Json:
    return event("response.completed", response=response(*output, **fields))


def events_of(*output: Json, size: int = 4) -> list[Json]:
    """The stream that an endpoint makes of a response with these output items."""
    events = [created(), event("response.in_progress", response=response(status="in_progress"))]
    for place, item in enumerate(output):
        events += [added(place, _begun(item)), *_pieces(place, item, size), done(place, item)]
    return [*events, completed(*output)]


def streamed_events(*events: Json) -> bytes:
    """The bytes of a stream."""
    pieces = [f"event: {event['type']}\n".encode() + sse(event) for event in events]
    return streamed(*pieces)


def streamed_response(*output: Json) -> bytes:
    return streamed_events(*events_of(*output))


def whole_response(*output: Json, **fields: Any) -> bytes:
    return http_response(200, body=response(*output, **fields))


def _begun(item: Json) -> Json:
    empty: Json = {"content": [], "summary": [], "arguments": "", "status": "in_progress"}
    return {name: empty.get(name, value) for name, value in item.items()}


def _pieces(place: int, item: Json, size: int) -> list[Json]:
    match item:
        case {"type": "function_call", "arguments": text}:
            id, pieces = {"item_id": item["id"]}, _cut(text, size)
            kind = "function_call_arguments"
            whole = event(f"response.{kind}.done", output_index=place, arguments=text, **id)
            return [*(delta(kind, place, piece, **id) for piece in pieces), whole]
        case {"type": "reasoning", "summary": parts}:
            texts = [(number, part["text"]) for number, part in enumerate(parts)]
            return [summarised(place, p, n) for n, text in texts for p in _cut(text, size)]
        case {"content": parts}:
            texts = [(number, part) for number, part in enumerate(parts)]
            return [
                said(place, piece, number)
                for number, part in texts
                for piece in _cut(part.get("text", ""), size)
            ]
        case _:
            return []


def _cut(text: str, size: int) -> list[str]:
    starts = accumulate([0, *[size] * (len(text) // size)])
    return [text[start : start + size] for start in starts if text[start:]]
