"""The log entries about a finished or failed request, which telemetry and budgets read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tether.core.tokens import count_tokens

if TYPE_CHECKING:
    from tether.batteries.models.wire.options import ModelOptions
    from tether.batteries.models.wire.reply import Reply
    from tether.core.errors import RunError
    from tether.runtime.reports import Log

FINISHED = "generation-finished"
"""The kind of the log entry for a whole reply; its payload contains only known facts."""

FAILED = "generation-failed"
"""The kind of the log entry for a failed request, with the code of its error."""


class Timing(NamedTuple):
    """The duration of a request, and the time until its first delta, if it had any."""

    duration_ms: float
    time_to_first_delta_ms: float | None


def log_finish(
    log: Log,
    reply: Reply,
    timing: Timing,
    *,
    wire: str,
    options: ModelOptions,
    prompt_tokens: int | None,
) -> None:
    """Log a whole reply with its cost; warn if the model was cut short."""
    calls = len(reply.tool_requests)
    if options.stream:
        log.debug("accumulator-finalised", f"{calls} tool calls", {"tool_calls": calls})
    facts = {
        "wire": wire,
        "model": options.model,
        "response_model": reply.model,
        "response_id": reply.response_id,
        "finish_reason": reply.finish_reason,
        "usage": known_usage(options, reply, prompt_tokens),
        "streamed": options.stream,
        "attempts": reply.attempts,
        **timing._asdict(),
    }
    known = {name: fact for name, fact in facts.items() if fact is not None}
    log.info(FINISHED, f"{options.model} finished in {timing.duration_ms:.0f} ms", known)
    if reply.is_cut:
        reason = {"finish_reason": reply.finish_reason}
        log.warn("reply-cut", "the model had to stop before it was done", reason)


def log_failure(
    log: Log, error: RunError, duration_ms: float, *, wire: str, options: ModelOptions
) -> None:
    """Log a request that failed after all attempts."""
    facts = {
        "wire": wire,
        "model": options.model,
        "error": error.code,
        "streamed": options.stream,
        "attempts": getattr(error, "attempts", None),
        "duration_ms": duration_ms,
    }
    known = {name: fact for name, fact in facts.items() if fact is not None}
    log.info(FAILED, f"{options.model} failed: {error.code}", known)


def known_usage(options: ModelOptions, reply: Reply, prompt_tokens: int | None) -> dict[str, Any]:
    """Return the provider's counts, with our own for missing or absurd ones."""
    usage, encoding = reply.usage, options.token_encoding
    is_known = usage.input_tokens is not None and usage.output_tokens is not None
    if is_known or encoding is None or prompt_tokens is None:
        return usage.to_json()
    own = usage._replace(
        input_tokens=prompt_tokens if usage.input_tokens is None else usage.input_tokens,
        output_tokens=_output_tokens(reply, encoding)
        if usage.output_tokens is None
        else usage.output_tokens,
    )
    return own.to_json() | {"estimated": True}


def _output_tokens(reply: Reply, encoding: str) -> int:
    texts = [reply.text, *(part.text for part in reply.reasoning)]
    texts += [text for request in reply.tool_requests for text in (request.name, request.arguments)]
    return sum(count_tokens(text, encoding) for text in texts)
