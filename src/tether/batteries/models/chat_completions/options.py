"""The options of a chat-completions executor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from tether.batteries.models.wire.options import ModelKeywords, ModelOptions, Text

REASONING_FIELDS = ("reasoning", "reasoning_content")
"""The fields in which endpoints send a model's reasoning."""

Penalty = Annotated[float, Field(ge=-2, le=2)]
Tokens = Annotated[int, Field(ge=1)]


class ChatCompletionsOptions(ModelOptions):
    """Options that control the executor, and the fields of its requests under the wire's names.

    `extra_body` is for fields that only one endpoint knows; it is merged into the body last. `n` is
    at most 1: one reply is read, and the others would cost money. `tool_media` is the place for
    media of a tool's result: its own message, or, for endpoints that take only text there, a user
    message after it. `system_role` is the role of the text before the timeline, `trailing_role` of
    the text after it: a chat template may refuse a late system message, but as the user's it has
    only the user's authority.
    """

    CONTROL: ClassVar[frozenset[str]] = frozenset(
        {
            "include_usage",
            "reasoning_field_precedence",
            "system_role",
            "tool_media",
            "trailing_role",
        }
    )
    MADE_HERE: ClassVar[tuple[str, ...]] = (
        "messages",
        "model",
        "n",
        "stream",
        "tool_choice",
        "tools",
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

    include_usage: bool = True
    reasoning_field_precedence: tuple[Text, ...] = REASONING_FIELDS
    system_role: Literal["system", "developer"] = "system"
    tool_media: Literal["tool", "user"] = "tool"
    trailing_role: Literal["system", "developer", "user"] = "system"


class ChatCompletionsKeywords(ModelKeywords, total=False):
    """The fields of `ChatCompletionsOptions`, for type checkers; None is the default."""

    temperature: float | None
    top_p: float | None
    max_tokens: int | None
    max_completion_tokens: int | None
    stop: str | list[str] | None
    seed: int | None
    presence_penalty: float | None
    frequency_penalty: float | None
    logit_bias: dict[str, float] | None
    logprobs: bool | None
    top_logprobs: int | None
    n: Literal[1] | None
    parallel_tool_calls: bool | None
    tool_choice: Literal["none", "auto", "required"] | dict[str, Any] | None
    response_format: dict[str, Any] | None
    reasoning_effort: str | None
    service_tier: str | None
    store: bool | None
    metadata: dict[str, str] | None
    user: str | None
    include_usage: bool | None
    reasoning_field_precedence: Sequence[str] | None
    system_role: Literal["system", "developer"] | None
    tool_media: Literal["tool", "user"] | None
    trailing_role: Literal["system", "developer", "user"] | None
