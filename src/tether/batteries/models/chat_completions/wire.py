"""The chat-completions wire: where requests go, and what is in them and in the replies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from tether.batteries.models.chat_completions.options import ChatCompletionsOptions
from tether.batteries.models.chat_completions.reader import StreamReader, whole_reply
from tether.batteries.models.chat_completions.request import carries, request_body
from tether.batteries.models.wire.port import WireErrors
from tether.core.errors import (
    InvalidOpenaiChatCompletionsOptions,
    OpenaiChatCompletionsContextOverflow,
    OpenaiChatCompletionsHttpError,
    OpenaiChatCompletionsInvalidToolCallArgs,
    OpenaiChatCompletionsRequestTimeout,
    OpenaiChatCompletionsStreamError,
    OpenaiChatCompletionsStreamStalled,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tether.batteries.models.wire.options import ModelOptions
    from tether.batteries.models.wire.port import ReplyReader
    from tether.batteries.models.wire.reply import Reply
    from tether.core.media import Media
    from tether.runtime.tool import Tool
    from tether.trust.prompt import Prompt

BASE_URL = "https://api.openai.com/v1"

ERRORS = WireErrors(
    options=InvalidOpenaiChatCompletionsOptions,
    overflow=OpenaiChatCompletionsContextOverflow,
    http=OpenaiChatCompletionsHttpError,
    stream=OpenaiChatCompletionsStreamError,
    stalled=OpenaiChatCompletionsStreamStalled,
    timeout=OpenaiChatCompletionsRequestTimeout,
    tool_args=OpenaiChatCompletionsInvalidToolCallArgs,
)


class ChatCompletionsWire:
    """One provider's shape that became everybody's."""

    name = "chat-completions"
    errors = ERRORS

    def url(self, options: ModelOptions) -> str:
        """Return where requests go."""
        return options.endpoint(BASE_URL, "/chat/completions")

    def headers(self, options: ModelOptions) -> Mapping[str, str]:
        """Return the key's header; a server without keys gets none."""
        key = options.key()
        return {"Authorization": f"Bearer {key}"} if key else {}

    def carries(self, media: Media) -> bool:
        """Say whether the wire has a form for this asset."""
        return carries(media)

    def request(
        self, options: ModelOptions, prompt: Prompt, tools: Sequence[Tool]
    ) -> dict[str, Any]:
        """Return the body of the request."""
        return request_body(cast("ChatCompletionsOptions", options), prompt, tools)

    def reader(self, options: ModelOptions) -> ReplyReader:
        """Return a reader for one streamed reply."""
        return StreamReader(_fields(options), self.errors)

    def reply(self, options: ModelOptions, body: Mapping[str, Any]) -> Reply:
        """Read a reply that came in one piece."""
        return whole_reply(body, _fields(options), self.errors)


def _fields(options: ModelOptions) -> Sequence[str]:
    return cast("ChatCompletionsOptions", options).reasoning_field_precedence
