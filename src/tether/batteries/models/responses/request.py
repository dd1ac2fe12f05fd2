"""A prompt as the body of a request to the Responses API."""

from __future__ import annotations

import json
from itertools import islice
from typing import TYPE_CHECKING, Any

from tether.batteries.models.responses.options import REPLAY_TAG
from tether.batteries.models.wire.reply import as_mapping, objects, text_or_none
from tether.batteries.models.wire.timeline import (
    NOTHING_SAID,
    is_replayed,
    is_usual_image,
    safe_id,
    sides,
)
from tether.runtime.tool_definition import tool_definition
from tether.trust.prompt import CallItem, MessageItem, TextPart, ThoughtItem

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tether.batteries.models.responses.options import ResponsesOptions
    from tether.core.media import Media
    from tether.runtime.tool import Tool
    from tether.trust.prompt import Item, MediaPart, Part, Prompt

JsonObject = dict[str, Any]

NEEDS_TOOLS = ("tool_choice", "parallel_tool_calls")
"""Fields that endpoints refuse in a request without tools."""


def carries(media: Media) -> bool:
    """Say whether the wire can carry this asset: the usual images, and documents of any kind."""
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
    """Return the timeline as input items, and the text after it in a role above the user's."""
    ordered = without_lone_reasoning(reasoning_first(prompt.dialogue))
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
    """Return the assistant's words. It cannot send media here, so the user's role does."""
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
    """Return a result: as plain text if it is only text, which every endpoint takes."""
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
    """Return a tool's description. `strict` is off: it requires another kind of schema, and the
    tool checks its arguments itself."""
    return {"type": "function", **tool_definition(tool)["function"], "strict": False}


def reasoning_first(timeline: Sequence[Item]) -> list[Item]:
    """Return the timeline with every replayed thought before the words to which it led.

    Reasoning that was not streamed is stored after its message. But the endpoint wants it back in
    its place: before the words or the call that followed it.
    """
    ordered: list[Item] = []
    for position, item in enumerate(timeline):
        place = len(ordered)
        if is_replayed(item, REPLAY_TAG) and place and _is_said_by_the_assistant(ordered[-1]):
            has_its_own = place > 1 and is_replayed(ordered[-2], REPLAY_TAG)
            if not (has_its_own and _leads_to_words(timeline[position + 1 :])):
                place -= 1
        ordered.insert(place, item)
    return ordered


def without_lone_reasoning(ordered: Sequence[Item]) -> list[Item]:
    """Return the items without replayed reasoning that leads to nothing.

    The endpoint refuses reasoning that nothing of the assistant's follows: a reply that was cut
    inside it, or whose words are gone. Reasoning known only by its id must be followed by an item
    that the endpoint knows too, and only calls keep their ids.
    """
    kept: list[Item] = []
    for item in reversed(ordered):
        if not is_replayed(item, REPLAY_TAG) or _leads_to(item, kept[-1:]):
            kept.append(item)
    return kept[::-1]


def item_ids(items: Iterable[Item]) -> dict[int, str]:
    """Return the ids of calls that are sent back with their reasoning, by place."""
    found: dict[int, str] = {}
    reasoning: set[str] = set()
    for place, item in enumerate(items):
        if is_replayed(item, REPLAY_TAG):
            reasoning.add(str(item.payload.get("id")))
        id = text_or_none(_replay(item).get("id"))
        if id is not None and _replay(item).get("reasoning") in reasoning:
            found[place] = id
    return found


def _leads_to(thought: ThoughtItem, following: Sequence[Item]) -> bool:
    """Say whether the items after a thought are such as the endpoint requires there."""
    payload: Mapping[str, Any] = thought.payload
    says_all = text_or_none(payload.get("encrypted_content")) or objects(payload.get("content"))
    for item in following:
        if is_replayed(item, REPLAY_TAG):
            return True
        if says_all:
            return not (isinstance(item, MessageItem) and item.role == "user")
        return _replay(item).get("reasoning") == payload.get("id")
    return False


def _replay(item: Item) -> Mapping[str, Any]:
    """Return the endpoint's ids that a call keeps."""
    if isinstance(item, CallItem) and item.replay_compatibility == REPLAY_TAG:
        return as_mapping(item.payload)
    return {}


def _is_said_by_the_assistant(item: Item) -> bool:
    return isinstance(item, MessageItem) and item.role == "assistant"


def _leads_to_words(rest: Sequence[Item]) -> bool:
    """Say whether the assistant speaks next, apart from thinking."""
    following = (item for item in rest if not isinstance(item, ThoughtItem))
    return any(_is_said_by_the_assistant(item) for item in islice(following, 1))
