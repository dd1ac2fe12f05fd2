"""The wire of Anthropic's Messages API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from tether.batteries.models.anthropic.blocks import carries
from tether.batteries.models.anthropic.output import MAY_PASS, reply_of
from tether.batteries.models.anthropic.reader import MessagesReader
from tether.batteries.models.anthropic.request import request_body
from tether.batteries.models.wire.model_errors import MODEL_ERRORS
from tether.batteries.models.wire.parts import reported
from tether.batteries.models.wire.reply import as_mapping
from tether.core.errors import ModelHttpError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tether.batteries.models.anthropic.options import AnthropicOptions
    from tether.batteries.models.wire.options import ModelOptions
    from tether.batteries.models.wire.port import ReplyReader
    from tether.batteries.models.wire.reply import Reply
    from tether.core.media import Media
    from tether.runtime.tool import Tool
    from tether.trust.prompt import Prompt

BASE_URL = "https://api.anthropic.com"


class AnthropicMessagesWire:
    """How the Messages API is spoken."""

    name = "anthropic-messages"
    errors = MODEL_ERRORS

    def url(self, options: ModelOptions) -> str:
        """Return where requests go; the version is part of the path, not of the base address."""
        return options.endpoint(BASE_URL, "/v1/messages")

    def headers(self, options: ModelOptions) -> Mapping[str, str]:
        """Return the key, if there is one, and the version of the API."""
        told = cast("AnthropicOptions", options)
        key = {"x-api-key": told.key()} if told.key() else {}
        return {**key, "anthropic-version": told.anthropic_version}

    def carries(self, media: Media) -> bool:
        """Say whether there is a block for this asset."""
        return carries(media)

    def request(
        self, options: ModelOptions, prompt: Prompt, tools: Sequence[Tool]
    ) -> dict[str, Any]:
        """Return the body of the request."""
        return request_body(cast("AnthropicOptions", options), prompt, tools)

    def reader(self, options: ModelOptions) -> ReplyReader:
        """Return a reader for one streamed reply."""
        return MessagesReader()

    def reply(self, options: ModelOptions, body: Mapping[str, Any]) -> Reply:
        """Read a reply that came in one piece."""
        if body.get("type") == "error":
            why, may_pass = reported(as_mapping(body.get("error")), MAY_PASS)
            raise ModelHttpError(f"the body holds no reply: {why}", retryable=may_pass)
        if not isinstance(body.get("content"), list):
            raise ModelHttpError("the body holds no reply: it has no list of content")
        blocks = {at: as_mapping(block) for at, block in enumerate(body["content"])}
        return reply_of(body, blocks)
