"""Models at a chat-completions endpoint: in the cloud, or any server that speaks the protocol."""

from tether.batteries.models.chat_completions.executor import ChatCompletions
from tether.batteries.models.chat_completions.options import ChatCompletionsOptions

__all__ = ["ChatCompletions", "ChatCompletionsOptions"]
