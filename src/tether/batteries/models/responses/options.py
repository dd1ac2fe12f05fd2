"""The options of the Responses executor: what its requests can say."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from tether.batteries.models.wire.options import ModelKeywords, ModelOptions, Text

REPLAY_TAG = "openai-responses"
"""Marks reasoning items that this wire takes back, and the calls to which they led."""


class ResponsesOptions(ModelOptions):
    """What controls the executor, and the fields of its requests, which have the wire's own names.

    `replay_compatibility` holds this wire's own tag, so that reasoning goes back where it came
    from; leave it empty where an endpoint does not know its own reasoning again. `trailing_role` is
    the role of what stands after the timeline. `extra_body` holds what is not listed here, among it
    the API's `max_tool_calls`, which is about built-in tools; it is laid over the body last.
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
