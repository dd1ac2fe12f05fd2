"""The options of a chat-completions executor."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, field_validator

from tether.batteries.models.wire.options import ModelOptions, Text
from tether.core.canonical import canonical_json

REASONING_FIELDS = ("reasoning", "reasoning_content")
"""Where endpoints put a model's reasoning."""

MADE_HERE = ("messages", "model", "stream")
"""Fields that `extra_body` may not hold: they are made from the turn and from other options."""

Penalty = Annotated[float, Field(ge=-2, le=2)]
Tokens = Annotated[int, Field(ge=1)]


class ChatCompletionsOptions(ModelOptions):
    """What controls the executor, and the fields of its requests, which have the wire's own names.

    `extra_body` holds what one endpoint alone knows; it is laid over the body last. `n` is not
    more than 1: one reply is read, and the others would be paid for. `tool_media` says where the
    media of a tool's result go: into its own message, or, for endpoints that take only text there,
    into a user message behind it.
    """

    CONTROL: ClassVar[frozenset[str]] = frozenset(
        {"extra_body", "include_usage", "reasoning_field_precedence", "tool_media"}
    )

    temperature: Annotated[float, Field(ge=0)] | None = None
    top_p: Annotated[float, Field(ge=0, le=1)] | None = None
    max_tokens: Tokens | None = None
    max_completion_tokens: Tokens | None = None
    stop: Text | list[Text] | None = None
    seed: int | None = None
    presence_penalty: Penalty | None = None
    frequency_penalty: Penalty | None = None
    logit_bias: dict[str, Annotated[float, Field(ge=-100, le=100)]] | None = None
    logprobs: bool | None = None
    top_logprobs: Annotated[int, Field(ge=0, le=20)] | None = None
    n: Literal[1] | None = None
    parallel_tool_calls: bool | None = None
    tool_choice: Literal["none", "auto", "required"] | dict[str, Any] | None = None
    response_format: dict[str, Any] | None = None
    reasoning_effort: Text | None = None
    service_tier: Text | None = None
    store: bool | None = None
    metadata: dict[str, str] | None = None
    user: Text | None = None

    extra_body: dict[str, Any] = Field(default_factory=dict[str, Any])
    include_usage: bool = True
    reasoning_field_precedence: tuple[Text, ...] = REASONING_FIELDS
    tool_media: Literal["tool", "user"] = "tool"

    @field_validator("extra_body", "response_format", "tool_choice")
    @classmethod
    def _is_json(cls, value: Any) -> Any:
        canonical_json(value)
        return value

    @field_validator("extra_body")
    @classmethod
    def _leaves_alone(cls, extra: dict[str, Any]) -> dict[str, Any]:
        taken = [name for name in MADE_HERE if name in extra]
        if taken:
            raise ValueError(f"must not hold {', '.join(taken)}: the executor makes these itself")
        return extra
