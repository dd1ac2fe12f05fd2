"""Models behind OpenAI's Responses API, and every server that speaks it."""

from tether.batteries.models.responses.executor import Responses
from tether.batteries.models.responses.options import ResponsesOptions

__all__ = ["Responses", "ResponsesOptions"]
