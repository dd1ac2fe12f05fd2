"""The chat-completions wire and its executor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, cast

from tether.batteries.models.chat_completions.options import ChatCompletionsOptions
from tether.batteries.models.chat_completions.reader import StreamReader, whole_reply
from tether.batteries.models.chat_completions.request import carries, request_body
from tether.batteries.models.errors import (
    InvalidOpenaiChatCompletionsOptions,
    OpenaiChatCompletionsContextOverflow,
    OpenaiChatCompletionsHttpError,
    OpenaiChatCompletionsInvalidToolCallArgs,
    OpenaiChatCompletionsRequestTimeout,
    OpenaiChatCompletionsStreamError,
    OpenaiChatCompletionsStreamStalled,
)
from tether.batteries.models.wire.call_sizes import CallSizes
from tether.batteries.models.wire.exchange import Exchange
from tether.batteries.models.wire.executor import ModelExecutor
from tether.batteries.models.wire.port import WireErrors

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Self, Unpack

    from httpx2 import AsyncClient

    from tether.batteries.models.chat_completions.options import ChatCompletionsKeywords
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
    """OpenAI's chat-completions protocol, which most servers speak."""

    name = "chat-completions"
    errors = ERRORS

    def url(self, options: ModelOptions) -> str:
        """Return the address of requests."""
        return options.endpoint(BASE_URL, "/chat/completions")

    def headers(self, options: ModelOptions) -> Mapping[str, str]:
        """Return the key's header, if there is a key."""
        return options.bearer()

    def carries(self, media: Media) -> bool:
        """Say whether the wire can carry this asset."""
        return carries(media)

    def request(
        self, options: ModelOptions, prompt: Prompt, tools: Sequence[Tool]
    ) -> dict[str, Any]:
        """Return the body of the request."""
        return request_body(cast("ChatCompletionsOptions", options), prompt, tools)

    def reader(self, options: ModelOptions) -> ReplyReader:
        """Return a reader for one streamed reply."""
        return StreamReader(_fields(options), self.errors, CallSizes.within(options))

    def reply(self, options: ModelOptions, body: Mapping[str, Any]) -> Reply:
        """Read a reply that came in one piece."""
        return whole_reply(body, _fields(options), self.errors)


def _fields(options: ModelOptions) -> Sequence[str]:
    return cast("ChatCompletionsOptions", options).reasoning_field_precedence


class ChatCompletions(ModelExecutor):
    """A model at an endpoint that speaks chat completions.

    The options are those of `ChatCompletionsOptions`; only `model` is required. A `client` that is
    given is used as it is and stays open; `max_concurrency` limits the open requests. Raises
    `InvalidOpenaiChatCompletionsOptions`.
    """

    STASH_KEY: ClassVar[str] = "openai_chat_completions"

    def __init__(
        self,
        *,
        client: AsyncClient | None = None,
        max_concurrency: int | None = None,
        **options: Unpack[ChatCompletionsKeywords],
    ) -> None:
        wire = ChatCompletionsWire()
        exchange = Exchange(wire, client=client, max_concurrency=max_concurrency)
        super().__init__(wire, ChatCompletionsOptions, exchange, options)

    def executor(  # type: ignore[override]  # a base class cannot leave the keywords open
        self, **overrides: Unpack[ChatCompletionsKeywords]
    ) -> Self:
        """Return a copy with these options over its own; it shares the connections."""
        return super().executor(**overrides)
