"""What is known about one request to the model, as spans and meters want it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tether.batteries.telemetry.attributes import Attribute

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tether.batteries.telemetry.spans import Labels

GENERATION_OVER = ("generation-finished", "generation-failed")
"""The kinds of the log entries with which an executor says how a request went."""

LONGEST_FACT = 200


def generation_attributes(said: Mapping[str, Any]) -> Labels:
    """Return what a finished generation said, under its names; what it did not say is left out."""
    usage = said.get("usage") or {}
    found = {
        Attribute.WIRE: said.get("wire"),
        Attribute.RESPONSE_ID: said.get("response_id"),
        Attribute.RESPONSE_MODEL: said.get("response_model"),
        Attribute.FINISH_REASONS: [said["finish_reason"]] if said.get("finish_reason") else None,
        Attribute.REQUEST_STREAM: said.get("streamed"),
        Attribute.ATTEMPTS: said.get("attempts"),
        Attribute.TIME_TO_FIRST_CHUNK: _seconds(said.get("time_to_first_delta_ms")),
        Attribute.INPUT_TOKENS: usage.get("input_tokens"),
        Attribute.OUTPUT_TOKENS: usage.get("output_tokens"),
        Attribute.CACHED_TOKENS: usage.get("cached_tokens"),
        Attribute.REASONING_TOKENS: usage.get("reasoning_tokens"),
    }
    return {key: _short(value) for key, value in found.items() if value is not None}


def _seconds(milliseconds: object) -> float | None:
    return None if milliseconds is None else number(milliseconds) / 1_000


def _short(value: Any) -> Any:
    """Cut what a provider said: a name, not an essay."""
    if isinstance(value, list):
        return [_short(item) for item in value]
    return value[:LONGEST_FACT] if isinstance(value, str) else value


def number(value: object) -> float:
    """Return a number that an executor gave; 0 for anything else."""
    return value if isinstance(value, (int, float)) else 0.0
