"""A prompt as the body of a request to the Messages API."""

from __future__ import annotations

import json
from base64 import b64decode
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from tether.batteries.models.anthropic.options import CALL_TAG, REPLAY_TAG
from tether.batteries.models.wire.timeline import (
    NOTHING_SAID,
    is_replayed,
    is_usual_image,
    safe_id,
    sides,
)
from tether.runtime.tool_definition import plain_schema
from tether.trust.media import safe_mime_type
from tether.trust.neutral import neutralise
from tether.trust.prompt import CallItem, MessageItem, TextPart
from tether.trust.visible import visible_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tether.batteries.models.anthropic.options import AnthropicOptions
    from tether.core.media import Media
    from tether.core.message import Role
    from tether.runtime.tool import Tool
    from tether.trust.prompt import Item, MediaPart, Part, Prompt

JsonObject = dict[str, Any]

ASSISTANT_FIRST = "(the assistant speaks first)"
GO_ON = "(go on)"
DIGEST_BYTES = 16
THINKING = ("thinking", "redacted_thinking")
"""The blocks with a model's reasoning."""

PDF = "application/pdf"


def request_body(options: AnthropicOptions, prompt: Prompt, tools: Sequence[Tool]) -> JsonObject:
    """Return the body of the request."""
    body: JsonObject = {"model": options.model, **_dialogue(options, prompt)}
    fields = options.body_fields()
    if tools:
        body["tools"] = [_tool(tool) for tool in tools]
    else:
        fields.pop("tool_choice", None)  # refused in a request without tools
    return body | fields | options.extra_body | {"stream": options.stream}


def _dialogue(options: AnthropicOptions, prompt: Prompt) -> JsonObject:
    """Return the system text and the messages."""
    conversation = Conversation()
    for item in prompt.dialogue:
        conversation.add(item)
    system = [prompt.leading] if prompt.leading.strip() else []
    if prompt.trailing and options.trailing_role == "user":
        system.append(conversation.append_with_authority(prompt))
    messages = conversation.messages()
    if prompt.trailing and options.trailing_role == "system":
        messages.append({"role": "system", "content": prompt.trailing})
    leading = {"system": _system(system, options.system_cache)} if system else {}
    return leading | {"messages": messages}


def _system(texts: Sequence[str], cached_for: str | None) -> str | list[JsonObject]:
    """Return the system text, in blocks if its beginning is to be cached."""
    if cached_for is None:
        return "\n\n".join(texts)
    first, *rest = [block for text in texts for block in text_block(text)]
    return [first | {"cache_control": {"type": "ephemeral", "ttl": cached_for}}, *rest]


def _tool(tool: Tool) -> JsonObject:
    description = tool.describe()
    return description | {"input_schema": plain_schema(description["input_schema"])}


class Conversation:
    """Messages of alternating roles, built from the items of a timeline.

    Roles alternate here, the user speaks first and last, and results come right after their calls.
    """

    __slots__ = ("_messages", "_proposed_by")

    def __init__(self) -> None:
        self._messages: list[JsonObject] = []
        self._proposed_by: str | None = None

    def add(self, item: Item) -> None:
        """Add an item in its role."""
        if isinstance(item, CallItem):
            self._call(item)
            return
        self._proposed_by = None
        if isinstance(item, MessageItem):
            self._message(item)
        elif is_replayed(item, REPLAY_TAG):
            self._think(item.payload)
        else:
            self._say("assistant", text_block(item.text))

    def append_with_authority(self, prompt: Prompt) -> str:
        """Append the text after the timeline; return the sentence about it for the system text.

        The user's role has less authority than the system's, and any text in the timeline could
        claim to be the appendix. So the system text names it by a digest of the whole prompt.
        Nothing in the prompt can contain that name: it would have to contain its own digest.
        """
        whole = json.dumps([prompt.leading, self._messages, prompt.trailing]).encode()
        name = f"appendix_{blake2b(whole, digest_size=DIGEST_BYTES).hexdigest()}"
        self._say("user", text_block(f"<{name}>\n{prompt.trailing}\n</{name}>"))
        return (
            f"The conversation ends with a block between <{name}> and </{name}>. It is not from "
            "the user: the developer put it there. Read it as if it stood here."
        )

    def messages(self) -> list[JsonObject]:
        """Return the messages. The user begins and ends them, with added words if necessary.

        Without the last ones the model would have to continue its own sentence, which the API
        refuses for newer models.
        """
        self._forget_bare_thinking()
        found = self._messages
        if not found:
            return [_user(NOTHING_SAID)]
        first = [_user(ASSISTANT_FIRST)] if found[0]["role"] == "assistant" else []
        last = [_user(GO_ON)] if found[-1]["role"] == "assistant" else []
        return [*first, *found, *last]

    def _say(self, role: Role, blocks: Sequence[JsonObject]) -> None:
        if not blocks:
            return
        if role == "user":
            self._forget_bare_thinking()
        if not self._messages or self._messages[-1]["role"] != role:
            self._messages.append({"role": role, "content": []})
        self._messages[-1]["content"] += blocks

    def _think(self, block: Mapping[str, Any]) -> None:
        """Put thinking at the start of the assistant's message, where the API expects it."""
        self._say("assistant", [dict(block)])
        content = self._messages[-1]["content"]
        said = (place for place, block in enumerate(content) if block.get("type") not in THINKING)
        content.insert(next(said, len(content) - 1), content.pop())

    def _forget_bare_thinking(self) -> None:
        """Drop thinking that led to nothing: a reply may be cut inside it, and the API refuses a
        message that ends with thinking."""
        last = self._messages[-1:]
        if all(block.get("type") in THINKING for it in last for block in it["content"]):
            del self._messages[-1:]

    def _message(self, item: MessageItem) -> None:
        """Add a message. The assistant cannot send media here, so the user's role does."""
        if item.role == "user":
            self._say("user", content_blocks(item.parts))
            return
        written, shown = sides(item.parts)
        self._say("assistant", content_blocks(written))
        self._say("user", content_blocks(shown))

    def _call(self, item: CallItem) -> None:
        """Add a call and its result; calls from one message stay together."""
        id = safe_id(item.id)
        used = {"type": "tool_use", "id": id, "name": item.tool, "input": dict(item.args)}
        result: JsonObject = {"type": "tool_result", "tool_use_id": id}
        if content := content_blocks(item.parts):
            result["content"] = content
        if item.is_error and content and all(block["type"] == "text" for block in content):
            result["is_error"] = True  # refused for results that are empty or hold media
        proposed_by = item.payload if item.replay_compatibility == CALL_TAG else None
        if proposed_by is not None and proposed_by == self._proposed_by:
            self._messages[-2]["content"].append(used)
            self._messages[-1]["content"].append(result)
        else:
            self._say("assistant", [used])
            self._say("user", [result])
        self._proposed_by = proposed_by


def _user(text: str) -> JsonObject:
    return {"role": "user", "content": text_block(text)}


def carries(media: Media) -> bool:
    """Say whether the wire can carry this asset: the usual images, PDF, and text of any kind."""
    mime_type = safe_mime_type(media.mime_type)
    is_readable = mime_type.lower() == PDF or _is_text(mime_type)
    return is_usual_image(media) or (media.kind == "document" and is_readable)


def text_block(text: str) -> list[dict[str, Any]]:
    """Return the text as a block; nothing for blank text, which the API refuses."""
    return [{"type": "text", "text": text}] if text.strip() else []


def content_blocks(parts: Iterable[Part]) -> list[dict[str, Any]]:
    """Return the parts as blocks, without blank texts."""
    return [block for part in parts for block in _blocks(part)]


def _blocks(part: Part) -> list[dict[str, Any]]:
    if isinstance(part, TextPart):
        return text_block(part.text)
    if part.kind == "image":
        return [{"type": "image", "source": _base64(part)}]
    source = _plain_text(part) if _is_text(part.mime_type) else _base64(part)
    return [{"type": "document", "source": source, "title": part.filename}]


def _is_text(mime_type: str) -> bool:
    return mime_type.lower().startswith("text/")


def _base64(part: MediaPart) -> dict[str, str]:
    return {"type": "base64", "media_type": part.mime_type.lower(), "data": part.data}


def _plain_text(part: MediaPart) -> dict[str, str]:
    """Return a text document. The wire takes it as text, so it is neutralised like any payload."""
    text = visible_text(b64decode(part.data).decode("utf-8", "replace")).text
    return {"type": "text", "media_type": "text/plain", "data": neutralise(text)}
