"""A prompt as the body of a chat-completions request."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tether.batteries.http.syntax import media_type
from tether.batteries.models.wire.timeline import short_id, sides
from tether.runtime.tool_definition import tool_definition
from tether.trust.prompt import CallItem, MediaPart, MessageItem, TextPart, ThoughtItem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tether.batteries.models.chat_completions.options import ChatCompletionsOptions
    from tether.core.media import Media
    from tether.runtime.tool import Tool
    from tether.trust.prompt import Item, Part, Prompt

Message = dict[str, Any]

PAYLOADS = "_tether_reasoning_payloads"
"""The field for opaque blocks of reasoning, for which the wire has no place. It is sent only if a
thought's tag is in `replay_compatibility`."""

EXTRA_CONTENT = "extra_content"
"""The field of a tool call for an endpoint's own data, which the endpoint wants back."""

LONGEST_ID = 40
"""The longest id of a call that endpoints accept."""

AUDIO_FORMATS = {
    "audio/wav": "wav",
    "audio/x-wav": "wav",
    "audio/wave": "wav",
    "audio/vnd.wave": "wav",
    "audio/mpeg": "mp3",
    "audio/mp3": "mp3",
}
"""The kinds of audio that the wire names."""

NEEDS_TOOLS = ("tool_choice", "parallel_tool_calls")
"""Fields that endpoints refuse in a request without tools."""


def request_body(
    options: ChatCompletionsOptions, prompt: Prompt, tools: Sequence[Tool]
) -> dict[str, Any]:
    """Return the body of a request."""
    body: dict[str, Any] = {
        "model": options.model,
        "messages": list(_messages(options, prompt)),
        "stream": options.stream,
    }
    if options.stream and options.include_usage:
        body["stream_options"] = {"include_usage": True}
    body |= options.body_fields()
    if tools:
        body["tools"] = [tool_definition(tool) for tool in tools]
    else:
        body = {name: value for name, value in body.items() if name not in NEEDS_TOOLS}
    payloads = _payloads(prompt.timeline)
    if payloads:
        body[PAYLOADS] = payloads
    return body | options.extra_body


def audio_format(mime_type: str) -> str | None:
    """Return the wire's name for a kind of audio, or None."""
    return AUDIO_FORMATS.get(media_type(mime_type))


def carries(media: Media) -> bool:
    """Say whether the wire can carry this asset."""
    if media.kind == "audio":
        return audio_format(media.mime_type) is not None
    return media.kind in ("image", "document")


def _messages(options: ChatCompletionsOptions, prompt: Prompt) -> Iterator[Message]:
    if prompt.leading:
        yield {"role": options.system_role, "content": prompt.leading}
    for item in prompt.dialogue:
        yield from _item(item, media_in_tool=options.tool_media == "tool")
    if prompt.trailing:
        yield {"role": options.trailing_role, "content": prompt.trailing}


def _item(item: Item, *, media_in_tool: bool) -> Iterator[Message]:
    match item:
        case MessageItem():
            yield from _message(item)
        case ThoughtItem():
            yield {"role": "assistant", "content": item.text}
        case _:
            yield {"role": "assistant", "content": None, "tool_calls": [_tool_call(item)]}
            result = {"role": "tool", "tool_call_id": short_id(item.id, LONGEST_ID)}
            yield from _with_media(result, item.parts, may_hold_media=media_in_tool)


def _message(item: MessageItem) -> Iterator[Message]:
    message: Message = {"role": item.role}
    if item.name is not None:
        message["name"] = item.name
    yield from _with_media(message, item.parts, may_hold_media=item.role == "user")


def _with_media(
    message: Message, parts: Sequence[Part], *, may_hold_media: bool
) -> Iterator[Message]:
    """Yield a message with its content, then one with the media that it cannot contain.

    All roles but the user's take only text: media move into a user message, each with the text
    before it, which describes it.
    """
    if may_hold_media or not any(isinstance(part, MediaPart) for part in parts):
        yield message | {"content": _content(parts)}
        return
    kept, moved = sides(parts)
    if kept or message["role"] == "tool":
        yield message | {"content": _content(kept) or "(the result is in the next message)"}
    yield {"role": "user", "content": _content(moved)}


def _content(parts: Iterable[Part]) -> str | list[Message]:
    """Return plain text if there is only text: not every endpoint takes a list."""
    given = list(parts)
    texts = [part.text for part in given if isinstance(part, TextPart)]
    if len(texts) == len(given):
        return "\n".join(texts)
    return [_block(part) for part in given]


def _block(part: Part) -> Message:
    if isinstance(part, TextPart):
        return {"type": "text", "text": part.text}
    address = f"data:{part.mime_type};base64,{part.data}"
    if part.kind == "image":
        return {"type": "image_url", "image_url": {"url": address}}
    if part.kind == "audio":
        sound = {"data": part.data, "format": audio_format(part.mime_type)}
        return {"type": "input_audio", "input_audio": sound}
    return {"type": "file", "file": {"filename": part.filename, "file_data": address}}


def _tool_call(item: CallItem) -> Message:
    arguments = json.dumps(item.args, ensure_ascii=False)
    call: Message = {
        "id": short_id(item.id, LONGEST_ID),
        "type": "function",
        "function": {"name": item.tool, "arguments": arguments},
    }
    return call if item.payload is None else call | {EXTRA_CONTENT: item.payload}


def _payloads(timeline: Iterable[Item]) -> list[Message]:
    return [
        {
            "id": item.id,
            "replay_compatibility": item.replay_compatibility,
            "payload": item.payload,
        }
        for item in timeline
        if isinstance(item, ThoughtItem) and item.payload is not None
    ]
