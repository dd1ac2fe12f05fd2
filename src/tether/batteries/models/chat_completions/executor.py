"""Chat completions as an executor."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from tether.batteries.models.chat_completions.options import ChatCompletionsOptions
from tether.batteries.models.chat_completions.wire import ChatCompletionsWire
from tether.batteries.models.wire.exchange import Exchange
from tether.batteries.models.wire.executor import ModelExecutor

if TYPE_CHECKING:
    from typing import Self, Unpack

    from httpx2 import AsyncClient

    from tether.batteries.models.chat_completions.options import ChatCompletionsKeywords


class ChatCompletions(ModelExecutor):
    """A model behind an endpoint that speaks chat completions.

    The options are those of `ChatCompletionsOptions`; only `model` is required. A `client` of one's
    own is used as it is and stays open; `max_concurrency` bounds the requests that are under way at
    once. Raises `InvalidOpenaiChatCompletionsOptions`.
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
        """Return the same executor with other options over its own; it shares the connection."""
        return super().executor(**overrides)
