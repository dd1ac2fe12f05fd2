"""The options of the Responses executor, and the fields of its requests."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from tether.batteries.models.wire.options import ModelKeywords, ModelOptions, Text

REPLAY_TAG = "openai-responses"
"""Marks reasoning items that this wire sends back, and the calls to which they led."""


class ResponsesOptions(ModelOptions):
    """Options that control the executor, and the fields of its requests under the wire's names.

    `replay_compatibility` contains this wire's tag, so that reasoning is sent back; leave it empty
    for an endpoint that does not recognise its own reasoning. `trailing_role` is the role of the
    text after the timeline. `extra_body` is for fields not listed here, including the API's
    `max_tool_calls`, which is about built-in tools; it is merged into the body last.
    """

    CONTROL: ClassVar[frozenset[str]] = frozenset({"trailing_role"})
    MADE_HERE: ClassVar[tuple[str, ...]] = (
        "input",
        "instructions",
        "model",
        "stream",
        "tool_choice",
        "tools",
    )

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


class ResponsesKeywords(ModelKeywords, total=False):
    """The fields of `ResponsesOptions` as keywords, for type checkers; None is the default."""

    trailing_role: Literal["developer", "system"] | None
    temperature: float | None
    top_p: float | None
    top_logprobs: int | None
    max_output_tokens: int | None
    tool_choice: Literal["none", "auto", "required"] | dict[str, Any] | None
    parallel_tool_calls: bool | None
    reasoning: dict[str, Any] | None
    text: dict[str, Any] | None
    truncation: Literal["auto", "disabled"] | None
    include: list[str] | None
    store: bool | None
    metadata: dict[str, str] | None
    service_tier: str | None
    user: str | None
    safety_identifier: str | None
    prompt_cache_key: str | None
    prompt_cache_retention: str | None
    stream_options: dict[str, Any] | None
