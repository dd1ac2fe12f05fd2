"""What is known about one request to the model, as spans and meters want it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tether.batteries.telemetry.attributes import Attribute

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tether.batteries.telemetry.spans import Labels

GENERATION_FINISHED = "generation-finished"
"""The kind of the log entry with which an executor says how a request went."""


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
        Attribute.INPUT_TOKENS: usage.get("input_tokens"),
        Attribute.OUTPUT_TOKENS: usage.get("output_tokens"),
        Attribute.CACHED_TOKENS: usage.get("cached_tokens"),
        Attribute.REASONING_TOKENS: usage.get("reasoning_tokens"),
    }
    return {key: value for key, value in found.items() if value is not None}


def number(value: object) -> float:
    """Return a number that an executor gave; 0 for anything else."""
    return value if isinstance(value, (int, float)) else 0.0
