"""What a wire has to say for itself: how a prompt becomes a request, and bytes become a reply."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from tether.batteries.models.wire.options import ModelOptions
    from tether.batteries.models.wire.reply import Delta, Reply
    from tether.core.errors import (
        InvalidModelOptions,
        ModelContextOverflow,
        ModelHttpError,
        ModelInvalidToolCallArgs,
        ModelRequestTimeout,
        ModelStreamError,
        ModelStreamStalled,
    )
    from tether.core.media import Media
    from tether.runtime.abort import AbortSignal
    from tether.runtime.reporting import Log
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
    """Takes one streamed reply apart; a new one is made for each request."""

    def feed(self, event: str | None, data: str) -> Iterable[Delta]:
        """Take the data of one server-sent event and return what can be shown of it.

        Data that cannot be read is skipped (`ValueError` tells the exchange to log it). Raises the
        wire's stream error where the endpoint reports a failure inside the stream. What was skipped
        may have been a part of a call: a reader that lets a call go on behind such a gap raises the
        stream error from `reply`.
        """
        ...

    @property
    def is_done(self) -> bool:
        """Whether the wire's own end was seen: what comes after it is not read."""
        ...

    def reply(self) -> Reply:
        """Return the whole reply, assembled from what was fed.

        Raises the wire's stream error where a part of it is missing that cannot be done without.
        `Reply.is_cut` holds for every end that is not the model's own; `ToolRequest.is_verbatim` is
        False for arguments that did not come as text. `made_up_id` names a call without an id.
        """
        ...


class Wire(Protocol):
    """One provider's shape. It holds nothing and waits for nothing: pure functions with a name."""

    @property
    def name(self) -> str:
        """How it is called in log entries and in telemetry: `chat-completions`, `responses`, …"""
        ...

    @property
    def errors(self) -> WireErrors:
        """What it raises."""
        ...

    def url(self, options: ModelOptions) -> str:
        """Return where requests go."""
        ...

    def headers(self, options: ModelOptions) -> Mapping[str, str]:
        """Return the wire's own headers, the key among them; the user's are merged over these."""
        ...

    def carries(self, media: Media) -> bool:
        """Say whether the wire has a form for this asset."""
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
        """Read a reply that came in one piece; raises the wire's http error where it is none."""
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
        """Send the body and return the whole reply; deltas are handed over as they come.

        Raises the wire's errors, and `Aborted` when the signal goes on.
        """
        ...

    async def aclose(self) -> None:
        """Let go of what it holds."""
        ...
