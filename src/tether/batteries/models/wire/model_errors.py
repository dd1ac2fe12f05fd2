"""What the wires raise that have no errors of their own."""

from __future__ import annotations

from tether.batteries.models.wire.port import WireErrors
from tether.core.errors import (
    InvalidModelOptions,
    ModelContextOverflow,
    ModelHttpError,
    ModelInvalidToolCallArgs,
    ModelRequestTimeout,
    ModelStreamError,
    ModelStreamStalled,
)

MODEL_ERRORS = WireErrors(
    options=InvalidModelOptions,
    overflow=ModelContextOverflow,
    http=ModelHttpError,
    stream=ModelStreamError,
    stalled=ModelStreamStalled,
    timeout=ModelRequestTimeout,
    tool_args=ModelInvalidToolCallArgs,
)
