"""The wire of OpenAI's Responses API and its executor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, cast

from tether.batteries.models.errors import ModelHttpError
from tether.batteries.models.responses.items import OutputItems
from tether.batteries.models.responses.options import ResponsesOptions
from tether.batteries.models.responses.reader import MAY_PASS, ResponsesReader, reply_of
from tether.batteries.models.responses.request import carries, request_body
from tether.batteries.models.wire.call_sizes import CallSizes
from tether.batteries.models.wire.exchange import Exchange
from tether.batteries.models.wire.executor import ModelExecutor
from tether.batteries.models.wire.port import MODEL_ERRORS
from tether.batteries.models.wire.reply import as_mapping, reported

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Self, Unpack

    from httpx2 import AsyncClient

    from tether.batteries.models.responses.options import ResponsesKeywords
    from tether.batteries.models.wire.options import ModelOptions
    from tether.batteries.models.wire.port import ReplyReader
    from tether.batteries.models.wire.reply import Reply
    from tether.core.media import Media
    from tether.runtime.tool import Tool
    from tether.trust.prompt import Prompt

BASE_URL = "https://api.openai.com/v1"


class ResponsesWire:
    """The protocol of the Responses API."""

    name = "responses"
    errors = MODEL_ERRORS

    def url(self, options: ModelOptions) -> str:
        """Return the address of requests."""
        return options.endpoint(BASE_URL, "/responses")

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
        return request_body(cast("ResponsesOptions", options), prompt, tools)

    def reader(self, options: ModelOptions) -> ReplyReader:
        """Return a reader for one streamed reply."""
        return ResponsesReader(cast("ResponsesOptions", options))

    def reply(self, options: ModelOptions, body: Mapping[str, Any]) -> Reply:
        """Read a reply that came in one piece."""
        if body.get("error") is not None:
            why, may_pass = reported(as_mapping(body["error"]), MAY_PASS)
            raise ModelHttpError(f"the body contains no reply: {why}", retryable=may_pass)
        if not isinstance(body.get("output"), list):
            raise ModelHttpError("the body contains no reply: it has no list of output")
        items = OutputItems(CallSizes())
        items.merge(body["output"])
        return reply_of(cast("ResponsesOptions", options), body, items.items())


class Responses(ModelExecutor):
    """A model at an endpoint that speaks the Responses API.

    The options are those of `ResponsesOptions`; only `model` is required. A `client` that is given
    is used as it is and stays open; `max_concurrency` limits the open requests. Raises
    `InvalidModelOptions`.
    """

    STASH_KEY: ClassVar[str] = "openai_responses"

    def __init__(
        self,
        *,
        client: AsyncClient | None = None,
        max_concurrency: int | None = None,
        **options: Unpack[ResponsesKeywords],
    ) -> None:
        wire = ResponsesWire()
        exchange = Exchange(wire, client=client, max_concurrency=max_concurrency)
        super().__init__(wire, ResponsesOptions, exchange, options)

    def executor(  # type: ignore[override]  # a base class cannot leave the keywords open
        self, **overrides: Unpack[ResponsesKeywords]
    ) -> Self:
        """Return a copy with these options over its own; it shares the connections."""
        return super().executor(**overrides)
