"""The Messages API as an executor."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from tether.batteries.models.anthropic.options import AnthropicOptions
from tether.batteries.models.anthropic.wire import AnthropicMessagesWire
from tether.batteries.models.wire.exchange import Exchange
from tether.batteries.models.wire.executor import ModelExecutor

if TYPE_CHECKING:
    from typing import Self, Unpack

    from httpx2 import AsyncClient

    from tether.batteries.models.anthropic.options import AnthropicKeywords


class AnthropicMessages(ModelExecutor):
    """A model behind an endpoint that speaks Anthropic's Messages API.

    The options are those of `AnthropicOptions`; only `model` is required. A `client` of one's own
    is used as it is and stays open; `max_concurrency` bounds the requests that are under way at
    once. Raises `InvalidModelOptions`.
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
        """Return the same executor with other options over its own; it shares the connection."""
        return super().executor(**overrides)
