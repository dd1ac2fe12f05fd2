"""The ports of an executor: a wire (prompt to request, bytes to reply) and an asker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from tether.batteries.budget.errors import ModelContextOverflow
from tether.batteries.models.errors import (
    InvalidModelOptions,
    ModelHttpError,
    ModelInvalidToolCallArgs,
    ModelRequestTimeout,
    ModelStreamError,
    ModelStreamStalled,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from tether.batteries.models.wire.options import ModelOptions
    from tether.batteries.models.wire.reply import Delta, Reply
    from tether.core.media import Media
    from tether.runtime.abort import AbortSignal
    from tether.runtime.reports import Log
    from tether.runtime.tool import Tool
    from tether.trust.prompt import Prompt


class WireErrors(NamedTuple):
    """The classes of error that one wire raises."""

    options: type[InvalidModelOptions]
    overflow: type[ModelContextOverflow]
    http: type[ModelHttpError]
    stream: type[ModelStreamError]
    stalled: type[ModelStreamStalled]
    timeout: type[ModelRequestTimeout]
    tool_args: type[ModelInvalidToolCallArgs]


class ReplyReader(Protocol):
    """Reads one streamed reply; each request gets a new one."""

    def feed(self, event: str | None, data: str) -> Iterable[Delta]:
        """Take the data of one server-sent event and return the deltas that can be shown.

        Raises `ValueError` for unreadable data, which the exchange logs and skips, and the wire's
        stream error if the endpoint reports a failure inside the stream. Skipped data may have been
        a part of a call: a reader that continues a call after such a gap raises the stream error
        from `reply`.
        """
        ...

    @property
    def is_done(self) -> bool:
        """Whether the wire's end marker was seen: nothing after it is read."""
        ...

    def reply(self) -> Reply:
        """Return the whole reply, assembled from the events.

        Raises the wire's stream error if a necessary part is missing. `Reply.is_cut` is True for
        every end that is not the model's own; `ToolRequest.is_verbatim` is False for arguments that
        did not come as text. `made_up_id` names a call without an id.
        """
        ...


class Wire(Protocol):
    """One provider's protocol: pure functions with a name, without state and without waiting."""

    @property
    def name(self) -> str:
        """The name in log entries and in telemetry: `chat-completions`, `responses`, …"""
        ...

    @property
    def errors(self) -> WireErrors:
        """The classes of error that it raises."""
        ...

    def url(self, options: ModelOptions) -> str:
        """Return the address of requests."""
        ...

    def headers(self, options: ModelOptions) -> Mapping[str, str]:
        """Return the wire's headers, including the key; the user's headers override them."""
        ...

    def carries(self, media: Media) -> bool:
        """Say whether the wire can carry this asset."""
        ...

    def request(
        self, options: ModelOptions, prompt: Prompt, tools: Sequence[Tool]
    ) -> dict[str, Any]:
        """Return the body of the request."""
        ...

    def reader(self, options: ModelOptions) -> ReplyReader:
        """Return a reader for one streamed reply."""
        ...

    def reply(self, options: ModelOptions, body: Mapping[str, Any]) -> Reply:
        """Read a reply that came in one piece; raises the wire's http error if it is not one."""
        ...


class Asker(Protocol):
    """Gets a reply to a request: over a network, or from an engine in this process."""

    async def ask(
        self,
        options: ModelOptions,
        body: Mapping[str, Any],
        *,
        signal: AbortSignal,
        log: Log,
        on_delta: Callable[[Delta], None],
    ) -> Reply:
        """Send the body and return the whole reply; deltas go to `on_delta` as they arrive.

        Raises the wire's errors, and `Aborted` when the signal is set.
        """
        ...

    async def aclose(self) -> None:
        """Release its resources."""
        ...


MODEL_ERRORS = WireErrors(
    options=InvalidModelOptions,
    overflow=ModelContextOverflow,
    http=ModelHttpError,
    stream=ModelStreamError,
    stalled=ModelStreamStalled,
    timeout=ModelRequestTimeout,
    tool_args=ModelInvalidToolCallArgs,
)
