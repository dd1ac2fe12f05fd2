"""A prompt as the body of a request to the Responses API."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tether.batteries.models.responses.options import REPLAY_TAG
from tether.batteries.models.responses.order import item_ids, reasoning_first, with_what_it_led_to
from tether.batteries.models.wire.parts import is_usual_image
from tether.batteries.models.wire.timeline import NOTHING_SAID, is_replayed, safe_id, sides
from tether.runtime.tool_definition import tool_definition
from tether.trust.prompt import CallItem, MessageItem, TextPart

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tether.batteries.models.responses.options import ResponsesOptions
    from tether.core.media import Media
    from tether.runtime.tool import Tool
    from tether.trust.prompt import Item, MediaPart, Part, Prompt

JsonObject = dict[str, Any]

NEEDS_TOOLS = ("tool_choice", "parallel_tool_calls")
"""Fields that endpoints refuse in a request without tools."""


def carries(media: Media) -> bool:
    """Say whether there is a form for this asset: the usual images, and documents of any kind."""
    return media.kind == "document" or is_usual_image(media)


def request_body(options: ResponsesOptions, prompt: Prompt, tools: Sequence[Tool]) -> JsonObject:
    """Return the body of the request."""
    body: JsonObject = {"model": options.model}
    if prompt.leading:
        body["instructions"] = prompt.leading
    body["input"] = input_items(prompt, options.trailing_role)
    body |= options.body_fields()
    left_out = [] if options.stream else ["stream_options"]
    if tools:
        body["tools"] = [_tool(tool) for tool in tools]
    else:
        left_out += NEEDS_TOOLS
    kept = {name: value for name, value in body.items() if name not in left_out}
    return kept | options.extra_body | {"stream": options.stream}


def input_items(prompt: Prompt, trailing_role: str = "developer") -> list[JsonObject]:
    """Return the timeline as input items, and what stands after it in a role above the user's."""
    ordered = with_what_it_led_to(reasoning_first(prompt.timeline))
    ids = item_ids(ordered)
    items = [made for place, item in enumerate(ordered) for made in _items(item, ids.get(place))]
    if prompt.trailing:
        items.append(_message(trailing_role, [_content(TextPart(prompt.trailing))]))
    return items or [_message("user", [_content(TextPart(NOTHING_SAID))])]


def _items(item: Item, id: str | None) -> list[JsonObject]:
    match item:
        case MessageItem(parts=()):
            return []
        case MessageItem(role="user"):
            return [_message("user", [_content(part) for part in item.parts])]
        case MessageItem():
            return _said_by_the_assistant(item.parts)
        case CallItem():
            return [_call(item) | ({"id": id} if id else {}), _output(item)]
        case _ if is_replayed(item, REPLAY_TAG):
            return [dict(item.payload)]
        case _:
            return [_said(item.text)]


def _message(role: str, content: list[JsonObject]) -> JsonObject:
    return {"type": "message", "role": role, "content": content}


def _said(text: str) -> JsonObject:
    return {"type": "message", "role": "assistant", "content": text}


def _said_by_the_assistant(parts: Sequence[Part]) -> list[JsonObject]:
    """Return what the assistant said. It can show nothing here, so a user does it for it."""
    written, shown = sides(parts)
    items = [_said(_joined(written))] if written else []
    if shown:
        items.append(_message("user", [_content(part) for part in shown]))
    return items


def _call(item: CallItem) -> JsonObject:
    return {
        "type": "function_call",
        "call_id": safe_id(item.id),
        "name": item.tool,
        "arguments": json.dumps(item.args, ensure_ascii=False),
    }


def _output(item: CallItem) -> JsonObject:
    """Return a result: text where it is only text, which every endpoint takes."""
    is_text = all(isinstance(part, TextPart) for part in item.parts)
    output = _joined(item.parts) if is_text else [_content(part) for part in item.parts]
    return {"type": "function_call_output", "call_id": safe_id(item.id), "output": output}


def _joined(parts: Sequence[Part]) -> str:
    return "\n".join(part.text for part in parts if isinstance(part, TextPart))


def _content(part: Part) -> JsonObject:
    if isinstance(part, TextPart):
        return {"type": "input_text", "text": part.text}
    if part.kind == "image":
        return {"type": "input_image", "detail": "auto", "image_url": _data_url(part)}
    return {"type": "input_file", "filename": part.filename, "file_data": _data_url(part)}


def _data_url(part: MediaPart) -> str:
    return f"data:{part.mime_type.lower()};base64,{part.data}"


def _tool(tool: Tool) -> JsonObject:
    """Return a tool's description. `strict` is off: the endpoint would want another schema, and
    the tool checks its arguments itself."""
    return {"type": "function", **tool_definition(tool)["function"], "strict": False}
