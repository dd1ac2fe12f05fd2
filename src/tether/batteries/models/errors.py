"""Errors of models: their options, endpoints, streams and engines."""

from __future__ import annotations

from typing import Unpack

from tether.batteries.budget.errors import ModelContextOverflow
from tether.core.errors import InvalidInput, Overrides, RunError


class InvalidModelOptions(InvalidInput):
    """The options of a model's executor were refused."""

    default_code = "E_INVALID_MODEL_OPTIONS"
    default_status = 529
    subject = "model options"


class InvalidOpenaiChatCompletionsOptions(InvalidModelOptions):
    """The options of a chat-completions executor were refused."""

    default_code = "E_INVALID_OPENAI_CHAT_COMPLETIONS_OPTIONS"
    subject = "chat-completions options"


class OpenaiChatCompletionsContextOverflow(ModelContextOverflow):
    """The prompt is larger than the window of a chat-completions model; nothing was sent."""

    default_code = "E_OPENAI_CHAT_COMPLETIONS_CONTEXT_OVERFLOW"


class LocalModelFailed(RunError):
    """The engine that runs a model in this process could not load it, or failed while it ran."""

    default_code = "E_LOCAL_MODEL_FAILED"
    default_status = 502


class ModelHttpError(RunError):
    """The endpoint answered with an error, answered nonsense, or could not be reached.

    `http_status` is its status, 0 without an answer; `attempts` counts the requests made.
    """

    default_code = "E_MODEL_HTTP_ERROR"
    default_status = 502

    def __init__(
        self,
        message: str = "",
        *,
        http_status: int = 0,
        attempts: int = 1,
        **overrides: Unpack[Overrides],
    ) -> None:
        super().__init__(message, **overrides)
        self.http_status = http_status
        self.attempts = attempts


class ModelStreamError(RunError):
    """The stream broke after it had begun; it is not retried. `partial` is the text so far."""

    default_code = "E_MODEL_STREAM_ERROR"
    default_status = 502

    def __init__(
        self, message: str = "", *, partial: str = "", **overrides: Unpack[Overrides]
    ) -> None:
        super().__init__(message, **overrides)
        self.partial = partial


class ModelStreamStalled(ModelStreamError):
    """No byte arrived for longer than the idle limit."""

    default_code = "E_MODEL_STREAM_STALLED"
    default_status = 504
    default_retryable = True


class ModelToolArgsTooLarge(ModelStreamError):
    """The model wrote more arguments than a call, or a reply, may have; none of its calls was run.

    Raised as soon as a stream exceeds the limit: arguments are kept until the reply is whole.
    """

    default_code = "E_MODEL_TOOL_ARGS_TOO_LARGE"


class ModelRequestTimeout(RunError):
    """The request took longer than its limit; `phase` is its state: connecting, waiting for the
    answer, or reading it."""

    default_code = "E_MODEL_REQUEST_TIMEOUT"
    default_status = 504
    default_retryable = True

    def __init__(
        self,
        message: str = "",
        *,
        phase: str = "",
        attempts: int = 1,
        **overrides: Unpack[Overrides],
    ) -> None:
        super().__init__(message, **overrides)
        self.phase = phase
        self.attempts = attempts


class ModelInvalidToolCallArgs(RunError):
    """The model's arguments are not a JSON object; the text becomes the tool's result."""

    default_code = "E_MODEL_INVALID_TOOL_CALL_ARGS"
    default_status = 422


class OpenaiChatCompletionsHttpError(ModelHttpError):
    """The chat-completions endpoint answered with an error, or could not be reached (status 0)."""

    default_code = "E_OPENAI_CHAT_COMPLETIONS_HTTP_ERROR"


class OpenaiChatCompletionsStreamError(ModelStreamError):
    """The chat-completions stream broke after it had begun; it is not retried."""

    default_code = "E_OPENAI_CHAT_COMPLETIONS_STREAM_ERROR"


class OpenaiChatCompletionsStreamStalled(ModelStreamStalled):
    """No byte of the chat-completions stream arrived for longer than the idle limit."""

    default_code = "E_OPENAI_CHAT_COMPLETIONS_STREAM_STALLED"


class OpenaiChatCompletionsRequestTimeout(ModelRequestTimeout):
    """The chat-completions request took longer than its limit."""

    default_code = "E_OPENAI_CHAT_COMPLETIONS_REQUEST_TIMEOUT"


class OpenaiChatCompletionsInvalidToolCallArgs(ModelInvalidToolCallArgs):
    """The model's arguments are not a JSON object; the text becomes the tool's result."""

    default_code = "E_OPENAI_CHAT_COMPLETIONS_INVALID_TOOL_CALL_ARGS"
