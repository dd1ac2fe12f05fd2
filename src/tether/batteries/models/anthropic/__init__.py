"""Models at Anthropic's Messages API, or any server that speaks it."""

from tether.batteries.models.anthropic.executor import AnthropicMessages
from tether.batteries.models.anthropic.options import AnthropicOptions

__all__ = ["AnthropicMessages", "AnthropicOptions"]
