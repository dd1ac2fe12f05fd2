"""The options of the Anthropic executor, and the fields of its requests."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from tether.batteries.models.wire.options import ModelKeywords, ModelOptions, RetryOptions, Text

REPLAY_TAG = "anthropic-thinking"
"""Marks thinking blocks, with their signatures, that this wire sends back."""

CALL_TAG = "anthropic-messages"
"""Marks calls with the message that proposed them: its calls are sent together."""

RETRIABLE = (429, 502, 503, 504, 529)
"""The usual statuses, and 529, which means that this API is overloaded."""


class AnthropicRetry(RetryOptions):
    """How often and after which waits a request is repeated; also after this API's status 529."""

    retriable_statuses: tuple[Annotated[int, Field(ge=400, le=599)], ...] = RETRIABLE


class AnthropicOptions(ModelOptions):
    """Options that control the executor, and the fields of its requests under the wire's names.

    The API requires `max_tokens`, so it has a default. `replay_compatibility` contains this wire's
    tags: with thinking on, the API refuses a tool's result whose thinking is missing.
    `trailing_role` is the role of the text after the timeline: "system" for models that take such
    messages, "user" for all (`Conversation` explains how it keeps its authority there).
    `system_cache` is how long the prompt cache keeps the leading text. `extra_body` is for fields
    not listed here; it is merged into the body last. Name beta features in `headers`.
    """

    CONTROL: ClassVar[frozenset[str]] = frozenset(
        {"anthropic_version", "system_cache", "trailing_role"}
    )
    MADE_HERE: ClassVar[tuple[str, ...]] = (
        "messages",
        "model",
        "stream",
        "system",
        "tool_choice",
        "tools",
    )

    replay_compatibility: tuple[str, ...] = (REPLAY_TAG, CALL_TAG)
    retry: AnthropicRetry = AnthropicRetry()  # pyright: ignore[reportIncompatibleVariableOverride]  # frozen
    anthropic_version: Text = "2023-06-01"
    trailing_role: Literal["user", "system"] = "user"
    system_cache: Literal["5m", "1h"] | None = None
    max_tokens: Annotated[int, Field(ge=1)] = 16_384
    temperature: Annotated[float, Field(ge=0, le=1)] | None = None
    top_p: Annotated[float, Field(ge=0, le=1)] | None = None
    top_k: Annotated[int, Field(ge=0)] | None = None
    stop_sequences: list[Text] | None = None
    thinking: dict[str, Any] | None = None
    tool_choice: dict[str, Any] | None = None
    output_config: dict[str, Any] | None = None
    metadata: dict[str, Any] | None = None
    service_tier: Text | None = None
    cache_control: dict[str, Any] | None = None


class AnthropicKeywords(ModelKeywords, total=False):
    """The fields of `AnthropicOptions` as keywords, for type checkers; None is the default."""

    anthropic_version: str | None
    trailing_role: Literal["user", "system"] | None
    system_cache: Literal["5m", "1h"] | None
    max_tokens: int | None
    temperature: float | None
    top_p: float | None
    top_k: int | None
    stop_sequences: list[str] | None
    thinking: dict[str, Any] | None
    tool_choice: dict[str, Any] | None
    output_config: dict[str, Any] | None
    metadata: dict[str, Any] | None
    service_tier: str | None
    cache_control: dict[str, Any] | None
