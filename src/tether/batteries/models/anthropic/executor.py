"""The wire of Anthropic's Messages API and its executor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, cast

from tether.batteries.models.anthropic.options import AnthropicOptions
from tether.batteries.models.anthropic.reader import MAY_PASS, MessagesReader, reply_of
from tether.batteries.models.anthropic.request import carries, request_body
from tether.batteries.models.errors import ModelHttpError
from tether.batteries.models.wire.call_sizes import CallSizes
from tether.batteries.models.wire.exchange import Exchange
from tether.batteries.models.wire.executor import ModelExecutor
from tether.batteries.models.wire.port import MODEL_ERRORS
from tether.batteries.models.wire.reply import as_mapping, reported

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Self, Unpack

    from httpx2 import AsyncClient

    from tether.batteries.models.anthropic.options import AnthropicKeywords
    from tether.batteries.models.wire.options import ModelOptions
    from tether.batteries.models.wire.port import ReplyReader
    from tether.batteries.models.wire.reply import Reply
    from tether.core.media import Media
    from tether.runtime.tool import Tool
    from tether.trust.prompt import Prompt

BASE_URL = "https://api.anthropic.com"


class AnthropicMessagesWire:
    """The protocol of the Messages API."""

    name = "anthropic-messages"
    errors = MODEL_ERRORS

    def url(self, options: ModelOptions) -> str:
        """Return the address of requests; the version is part of the path."""
        return options.endpoint(BASE_URL, "/v1/messages")

    def headers(self, options: ModelOptions) -> Mapping[str, str]:
        """Return the key, if there is one, and the version of the API."""
        key = {"x-api-key": options.key()} if options.key() else {}
        version = cast("AnthropicOptions", options).anthropic_version
        return {**key, "anthropic-version": version}

    def carries(self, media: Media) -> bool:
        """Say whether the wire can carry this asset."""
        return carries(media)

    def request(
        self, options: ModelOptions, prompt: Prompt, tools: Sequence[Tool]
    ) -> dict[str, Any]:
        """Return the body of the request."""
        return request_body(cast("AnthropicOptions", options), prompt, tools)

    def reader(self, options: ModelOptions) -> ReplyReader:
        """Return a reader for one streamed reply."""
        return MessagesReader(CallSizes.within(options))

    def reply(self, options: ModelOptions, body: Mapping[str, Any]) -> Reply:
        """Read a reply that came in one piece."""
        if body.get("type") == "error":
            why, may_pass = reported(as_mapping(body.get("error")), MAY_PASS)
            raise ModelHttpError(f"the body contains no reply: {why}", retryable=may_pass)
        if not isinstance(body.get("content"), list):
            raise ModelHttpError("the body contains no reply: it has no list of content")
        blocks = {at: as_mapping(block) for at, block in enumerate(body["content"])}
        return reply_of(body, blocks)


class AnthropicMessages(ModelExecutor):
    """A model at an endpoint that speaks Anthropic's Messages API.

    The options are those of `AnthropicOptions`; only `model` is required. A `client` that is given
    is used as it is and stays open; `max_concurrency` limits the open requests. Raises
    `InvalidModelOptions`.
    """

    STASH_KEY: ClassVar[str] = "anthropic_messages"

    def __init__(
        self,
        *,
        client: AsyncClient | None = None,
        max_concurrency: int | None = None,
        **options: Unpack[AnthropicKeywords],
    ) -> None:
        wire = AnthropicMessagesWire()
        exchange = Exchange(wire, client=client, max_concurrency=max_concurrency)
        super().__init__(wire, AnthropicOptions, exchange, options)

    def executor(  # type: ignore[override]  # a base class cannot leave the keywords open
        self, **overrides: Unpack[AnthropicKeywords]
    ) -> Self:
        """Return a copy with these options over its own; it shares the connections."""
        return super().executor(**overrides)
