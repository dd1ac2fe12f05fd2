"""The one table of the names that spans and metrics carry.

The first group is OpenTelemetry's vocabulary for generative AI, which still changes: when it does,
this is the file to edit. The second group is our own.
"""

from __future__ import annotations

from enum import StrEnum


class Attribute(StrEnum):
    """The key of a span attribute."""

    OPERATION = "gen_ai.operation.name"
    PROVIDER = "gen_ai.provider.name"
    AGENT = "gen_ai.agent.name"
    REQUEST_MODEL = "gen_ai.request.model"
    REQUEST_STREAM = "gen_ai.request.stream"
    RESPONSE_MODEL = "gen_ai.response.model"
    RESPONSE_ID = "gen_ai.response.id"
    FINISH_REASONS = "gen_ai.response.finish_reasons"
    TIME_TO_FIRST_CHUNK = "gen_ai.response.time_to_first_chunk"
    INPUT_TOKENS = "gen_ai.usage.input_tokens"
    OUTPUT_TOKENS = "gen_ai.usage.output_tokens"
    CACHED_TOKENS = "gen_ai.usage.cache_read.input_tokens"
    REASONING_TOKENS = "gen_ai.usage.reasoning.output_tokens"
    TOKEN_TYPE = "gen_ai.token.type"  # noqa: S105  # of a token of text
    TOOL = "gen_ai.tool.name"
    TOOL_CALL = "gen_ai.tool.call.id"
    TOOL_ARGUMENTS = "gen_ai.tool.call.arguments"
    TOOL_RESULT = "gen_ai.tool.call.result"
    OUTPUT_MESSAGES = "gen_ai.output.messages"
    ERROR_TYPE = "error.type"

    TURN = "tether.turn.id"
    DISPATCH = "tether.dispatch.id"
    DISPATCH_STATUS = "tether.dispatch.status"
    ITERATION = "tether.iteration"
    ITERATIONS = "tether.dispatch.iterations"
    WIRE = "tether.wire"
    ATTEMPTS = "tether.request.attempts"
    GATE = "tether.gate.id"
    GATE_REASON = "tether.gate.reason"
    GATE_RESULT = "tether.gate.result"
    LOG_LEVEL = "tether.log.level"
    LOG_MESSAGE = "tether.log.message"
    BUDGET = "tether.budget"


class Metric(StrEnum):
    """The name of an instrument."""

    OPERATION_DURATION = "gen_ai.client.operation.duration"
    TIME_TO_FIRST_CHUNK = "gen_ai.client.operation.time_to_first_chunk"
    TOKEN_USAGE = "gen_ai.client.token.usage"  # noqa: S105
    TURN_DURATION = "tether.turn.duration"
    TOOL_DURATION = "tether.tool.duration"
    GATE_DURATION = "tether.gate.duration"


class Operation(StrEnum):
    """What a span is about, in the common vocabulary."""

    INVOKE_AGENT = "invoke_agent"
    CHAT = "chat"
    EXECUTE_TOOL = "execute_tool"
