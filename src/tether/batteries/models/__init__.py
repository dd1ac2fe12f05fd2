"""Executors: the models, and what stands in for one."""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tether.batteries.models.anthropic import AnthropicMessages
    from tether.batteries.models.chat_completions import ChatCompletions
    from tether.batteries.models.extractive import Extractive
    from tether.batteries.models.local import LocalEngine, LocalModel
    from tether.batteries.models.responses import Responses
    from tether.batteries.models.scripted import ScriptedModel

__all__ = [
    "AnthropicMessages",
    "ChatCompletions",
    "Extractive",
    "LocalEngine",
    "LocalModel",
    "Responses",
    "ScriptedModel",
]

_HOMES = {
    "AnthropicMessages": "anthropic",
    "ChatCompletions": "chat_completions",
    "Extractive": "extractive",
    "LocalEngine": "local",
    "LocalModel": "local",
    "Responses": "responses",
    "ScriptedModel": "scripted",
}

if not TYPE_CHECKING:  # hidden from checkers, which would take any name for granted

    def __getattr__(name: str) -> object:
        """Load a class when it is first asked for."""
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(_import_module(f"{__name__}.{_HOMES[name]}"), name)
        return value

    def __dir__() -> list[str]:
        """List the public names, loaded or not."""
        return sorted({*globals(), *__all__})
