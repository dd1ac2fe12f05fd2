"""What a Messages endpoint sends, in the shapes of Anthropic's documentation, and its rules."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any

from support.faulty_endpoint import http_response, streamed

Json = dict[str, Any]

USAGE: Json = {
    "input_tokens": 20,
    "cache_creation_input_tokens": 0,
    "cache_read_input_tokens": 100,
    "output_tokens": 30,
    "output_tokens_details": {"thinking_tokens": 20},
}

TEXT_STREAM = b"""\
event: message_start
data: {"type": "message_start", "message": {"id": "msg_1", "type": "message", "role": "assistant", \
"content": [], "model": "claude-served", "stop_reason": null, "stop_sequence": null, \
"usage": {"input_tokens": 25, "output_tokens": 1}}}

event: content_block_start
data: {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}

event: ping
data: {"type": "ping"}

event: content_block_delta
data: {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hello"}}

event: content_block_delta
data: {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "!"}}

event: content_block_stop
data: {"type": "content_block_stop", "index": 0}

event: message_delta
data: {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": null}, \
"usage": {"output_tokens": 15}}

event: message_stop
data: {"type": "message_stop"}

"""
"""The documentation's first example of a stream."""

TOOL_STREAM = b"""\
event: message_start
data: {"type":"message_start","message":{"id":"msg_2","type":"message","role":"assistant",\
"model":"claude-served","stop_sequence":null,"usage":{"input_tokens":472,"output_tokens":2},\
"content":[],"stop_reason":null}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Let me add."}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1",\
"name":"add","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta",\
"partial_json":"{\\"a\\": 2,"}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta",\
"partial_json":" \\"b\\": 2}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},\
"usage":{"output_tokens":89}}

event: message_stop
data: {"type":"message_stop"}

"""
"""Its second: words, then a tool's input in pieces."""

THINKING_STREAM = b"""\
event: message_start
data: {"type": "message_start", "message": {"id": "msg_3", "type": "message", "role": "assistant", \
"content": [], "model": "claude-served", "stop_reason": null, "stop_sequence": null}}

event: content_block_start
data: {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", \
"thinking": "", "signature": ""}}

event: content_block_delta
data: {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", \
"thinking": "Two and two"}}

event: content_block_delta
data: {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", \
"thinking": "\\nis four."}}

event: content_block_delta
data: {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", \
"signature": "EqQBCgIYAhIM"}}

event: content_block_stop
data: {"type": "content_block_stop", "index": 0}

event: content_block_start
data: {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}}

event: content_block_delta
data: {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "Four."}}

event: content_block_stop
data: {"type": "content_block_stop", "index": 1}

event: message_delta
data: {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": null}}

event: message_stop
data: {"type": "message_stop"}

"""
"""Its third: thinking with a signature, then words."""

OVERLOADED = b"""\
event: error
data: {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}

"""
"""Its example of a failure."""


def message(*content: Json, stop_reason: str = "end_turn", **fields: Any) -> Json:
    """A message that comes in one piece."""
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-served",
        "content": list(content),
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": USAGE,
        **fields,
    }


def text(said: str) -> Json:
    return {"type": "text", "text": said}


def thinking(said: str, signature: str = "EqQB") -> Json:
    return {"type": "thinking", "thinking": said, "signature": signature}


def tool_use(id: str, name: str, **given: Any) -> Json:
    return {"type": "tool_use", "id": id, "name": name, "input": given}


def start(**fields: Any) -> Json:
    return {"type": "message_start", "message": message(**fields) | {"stop_reason": None}}


def begin(index: int, block: Json) -> Json:
    return {"type": "content_block_start", "index": index, "content_block": block}


def piece(index: int, kind: str, **fields: Any) -> Json:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **fields}}


def stop(index: int) -> Json:
    return {"type": "content_block_stop", "index": index}


def ended(reason: str = "end_turn", **usage: Any) -> list[Json]:
    delta = {"stop_reason": reason, "stop_sequence": None}
    return [{"type": "message_delta", "delta": delta, "usage": usage}, {"type": "message_stop"}]


def events_of(*content: Json, stop_reason: str = "end_turn") -> list[Json]:
    """The stream that an endpoint makes of a message with this content."""
    events = [start(content=[], usage=USAGE | {"output_tokens": 1})]
    for index, block in enumerate(content):
        events += [begin(index, _begun(block)), *_pieces(index, block), stop(index)]
    return [*events, *ended(stop_reason, output_tokens=USAGE["output_tokens"])]


def stream_of(*events: Json) -> bytes:
    """The bytes of a stream."""
    written = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events]
    return "".join(written).encode()


def streamed_message(*content: Json, stop_reason: str = "end_turn") -> bytes:
    return streamed(stream_of(*events_of(*content, stop_reason=stop_reason)))


def whole_message(*content: Json, stop_reason: str = "end_turn") -> bytes:
    return http_response(200, body=message(*content, stop_reason=stop_reason))


def data_of(stream: bytes) -> list[str]:
    """Return what the data lines of a stream hold."""
    return re.findall(r"^data: (.*)$", stream.decode(), re.MULTILINE)


def _begun(block: Json) -> Json:
    empty: Json = {"text": "", "thinking": "", "signature": "", "input": {}}
    return {name: empty.get(name, value) for name, value in block.items()}


def _pieces(index: int, block: Json) -> list[Json]:
    match block:
        case {"type": "text", "text": said}:
            return [piece(index, "text_delta", text=part) for part in _halves(said)]
        case {"type": "thinking", "thinking": said, "signature": signature}:
            thought = [piece(index, "thinking_delta", thinking=part) for part in _halves(said)]
            return [*thought, piece(index, "signature_delta", signature=signature)]
        case {"type": "tool_use", "input": given}:
            parts = ["", *_halves(json.dumps(given))] if given else [""]
            return [piece(index, "input_json_delta", partial_json=part) for part in parts]
        case _:
            return []


def _halves(said: str) -> list[str]:
    return [part for part in (said[: len(said) // 2], said[len(said) // 2 :]) if part]


def complaints(body: Json) -> list[str]:
    """Return what the API would refuse about the messages of a request, by its documentation."""
    messages: list[Json] = body["messages"]
    found: list[str] = []
    talk = [message for message in messages if message["role"] != "system"]
    roles = [message["role"] for message in talk]
    if not roles or roles[0] != "user" or roles[-1] != "user":
        found.append("a user speaks first and last")
    if any(one == other for one, other in pairwise(roles)):
        found.append("roles alternate")
    for place, message in enumerate(talk):
        before = talk[place - 1]["content"] if place else []
        after = talk[place + 1]["content"] if place + 1 < len(talk) else []
        found += _about_content(message["content"])
        found += _about_calls(message["content"], before, after)
    return found


_ID = re.compile("[a-zA-Z0-9_-]+")
_NAME = re.compile("[a-zA-Z0-9_-]{1,128}")


def _about_content(blocks: list[Json]) -> list[str]:
    found = [] if blocks else ["content is not empty"]
    for block in blocks:
        if block["type"] == "text" and not block["text"].strip():
            found.append("text has a visible character")
        if block["type"] == "tool_use" and not _ID.fullmatch(block["id"]):
            found.append("ids have letters, digits, _ and -")
        if block["type"] == "tool_use" and not _NAME.fullmatch(block["name"]):
            found.append("so have names")
        if block["type"] == "tool_result":
            found += _about_content(block.get("content", [{"type": "nothing"}]))
            kinds = {inner["type"] for inner in block.get("content", [])}
            if block.get("is_error") and kinds != {"text"}:
                found.append("an error is told in text")
    return found


def _about_calls(blocks: list[Json], before: list[Json], after: list[Json]) -> list[str]:
    """Results stand first, each for a call in the message right before, and every call has one."""
    found: list[str] = []
    kinds = [block["type"] for block in blocks]
    results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
    if kinds[: len(results)] != ["tool_result"] * len(results):
        found.append("results stand first")
    if results != [block["id"] for block in before if block["type"] == "tool_use"]:
        found.append("results answer the calls right before")
    calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
    if calls != [block["tool_use_id"] for block in after if block["type"] == "tool_result"]:
        found.append("calls are answered right after")
    thinking = [kind in ("thinking", "redacted_thinking") for kind in kinds]
    if thinking != sorted(thinking, reverse=True):
        found.append("thinking stands first")
    if thinking and thinking[-1]:
        found.append("a message does not end with thinking")
    return found
