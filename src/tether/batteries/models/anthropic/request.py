"""A prompt as the body of a request to the Messages API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tether.batteries.models.anthropic.blocks import text_block
from tether.batteries.models.anthropic.conversation import Conversation
from tether.runtime.tool_definition import plain_schema

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tether.batteries.models.anthropic.options import AnthropicOptions
    from tether.runtime.tool import Tool
    from tether.trust.prompt import Prompt

JsonObject = dict[str, Any]


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
    for item in prompt.timeline:
        conversation.add(item)
    system = [prompt.leading] if prompt.leading.strip() else []
    if prompt.trailing and options.trailing_role == "user":
        system.append(conversation.append_with_authority(prompt))
    messages = conversation.messages()
    if prompt.trailing and options.trailing_role == "system":
        messages.append({"role": "system", "content": prompt.trailing})
    told = {"system": _system(system, options.system_cache)} if system else {}
    return told | {"messages": messages}


def _system(texts: Sequence[str], cached_for: str | None) -> str | list[JsonObject]:
    """Return the system text; in blocks where its beginning is to be cached."""
    if cached_for is None:
        return "\n\n".join(texts)
    first, *rest = [block for text in texts for block in text_block(text)]
    return [first | {"cache_control": {"type": "ephemeral", "ttl": cached_for}}, *rest]


def _tool(tool: Tool) -> JsonObject:
    told = tool.describe()
    return told | {"input_schema": plain_schema(told["input_schema"])}
