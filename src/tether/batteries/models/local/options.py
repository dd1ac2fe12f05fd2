"""The options of a local model's executor."""

from __future__ import annotations

from pydantic import field_validator

from tether.batteries.models.chat_completions.options import ChatCompletionsOptions


class LocalModelOptions(ChatCompletionsOptions):
    """The options of chat completions, less those that are about a network."""

    @field_validator("api_key", "base_url", "connect_timeout_ms", "headers", "retry", mode="before")
    @classmethod
    def _there_is_no_network(cls, _: object) -> object:
        raise ValueError("is about an endpoint, and this model runs in the process")
