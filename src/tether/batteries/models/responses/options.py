"""The options of the Responses executor: what its requests can say."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, field_validator

from tether.batteries.models.wire.options import ModelOptions, Text
from tether.core.canonical import canonical_json

REPLAY_TAG = "openai-responses"
"""Marks reasoning items that this wire takes back."""

MADE_HERE = ("input", "instructions", "model", "stream")
"""Fields that `extra_body` may not hold: they are made from the turn and the options."""


class ResponsesOptions(ModelOptions):
    """What controls the executor, and the fields of its requests, which have the wire's own names.

    `replay_compatibility` holds this wire's own tag, so that reasoning goes back where it came
    from; leave it empty where an endpoint does not know its own reasoning again. `trailing_role` is
    the role of what stands after the timeline. `extra_body` holds what is not listed here, among it
    the API's `max_tool_calls`, which is about built-in tools; it is laid over the body last.
    """

    CONTROL: ClassVar[frozenset[str]] = frozenset({"extra_body", "trailing_role"})

    replay_compatibility: tuple[str, ...] = (REPLAY_TAG,)
    trailing_role: Literal["developer", "system"] = "developer"
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Annotated[float, Field(ge=0, le=1)] | None = None
    top_logprobs: Annotated[int, Field(ge=0, le=20)] | None = None
    max_output_tokens: Annotated[int, Field(ge=1)] | None = None
    tool_choice: Literal["none", "auto", "required"] | dict[str, Any] | None = None
    parallel_tool_calls: bool | None = None
    reasoning: dict[str, Any] | None = None
    text: dict[str, Any] | None = None
    truncation: Literal["auto", "disabled"] | None = None
    include: list[Text] | None = None
    store: bool | None = None
    metadata: dict[str, str] | None = None
    service_tier: Text | None = None
    user: Text | None = None
    safety_identifier: Text | None = None
    prompt_cache_key: Text | None = None
    prompt_cache_retention: Text | None = None
    stream_options: dict[str, Any] | None = None
    extra_body: dict[str, Any] = Field(default_factory=dict[str, Any])

    @field_validator("extra_body", "reasoning", "stream_options", "text", "tool_choice")
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
