"""Models behind a chat-completions endpoint: the cloud's, and every server that speaks it."""

from tether.batteries.models.chat_completions.executor import ChatCompletions
from tether.batteries.models.chat_completions.options import ChatCompletionsOptions

__all__ = ["ChatCompletions", "ChatCompletionsOptions"]
