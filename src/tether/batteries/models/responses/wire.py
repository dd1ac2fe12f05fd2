"""The wire of OpenAI's Responses API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from tether.batteries.models.responses.items import OutputItems
from tether.batteries.models.responses.output import MAY_PASS, reply_of
from tether.batteries.models.responses.reader import ResponsesReader
from tether.batteries.models.responses.request import carries, request_body
from tether.batteries.models.wire.model_errors import MODEL_ERRORS
from tether.batteries.models.wire.parts import reported
from tether.batteries.models.wire.reply import as_mapping
from tether.core.errors import ModelHttpError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tether.batteries.models.responses.options import ResponsesOptions
    from tether.batteries.models.wire.options import ModelOptions
    from tether.batteries.models.wire.port import ReplyReader
    from tether.batteries.models.wire.reply import Reply
    from tether.core.media import Media
    from tether.runtime.tool import Tool
    from tether.trust.prompt import Prompt

BASE_URL = "https://api.openai.com/v1"


class ResponsesWire:
    """How the Responses API is spoken."""

    name = "responses"
    errors = MODEL_ERRORS

    def url(self, options: ModelOptions) -> str:
        """Return where requests go."""
        return options.endpoint(BASE_URL, "/responses")

    def headers(self, options: ModelOptions) -> Mapping[str, str]:
        """Return the key, if there is one."""
        return {"Authorization": f"Bearer {options.key()}"} if options.key() else {}

    def carries(self, media: Media) -> bool:
        """Say whether there is a form for this asset."""
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
            raise ModelHttpError(f"the body holds no reply: {why}", retryable=may_pass)
        if not isinstance(body.get("output"), list):
            raise ModelHttpError("the body holds no reply: it has no list of output")
        items = OutputItems()
        items.merge(body["output"])
        return reply_of(cast("ResponsesOptions", options), body, items.items())
