"""Models at OpenAI's Responses API, or any server that speaks it."""

from tether.batteries.models.responses.executor import Responses
from tether.batteries.models.responses.options import ResponsesOptions

__all__ = ["Responses", "ResponsesOptions"]
