"""The documents agent: a question in, an answer that quotes its source or says that it cannot.

A name is loaded when it is first used: who reads an answer does not pay for an agent.
"""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tether.ask.agent import AskAgent, ToolMaker
    from tether.ask.answer import AbstainReason, Answer, Citation, Consulted, Near, Verdict
    from tether.ask.events import AskEvent, Provisional, Retracted, Step
    from tether.ask.evidence import Evidence
    from tether.ask.library import IndexLibrary, Library
    from tether.ask.model import AskModel, Style
    from tether.ask.settings import AskSettings, CodePolicy
    from tether.ask.turn import AskTurn

__all__ = [
    "AbstainReason",
    "Answer",
    "AskAgent",
    "AskEvent",
    "AskModel",
    "AskSettings",
    "AskTurn",
    "Citation",
    "CodePolicy",
    "Consulted",
    "Evidence",
    "IndexLibrary",
    "Library",
    "Near",
    "Provisional",
    "Retracted",
    "Step",
    "Style",
    "ToolMaker",
    "Verdict",
]

_HOMES = {
    "AbstainReason": "answer",
    "Answer": "answer",
    "AskAgent": "agent",
    "AskEvent": "events",
    "AskModel": "model",
    "AskSettings": "settings",
    "AskTurn": "turn",
    "Citation": "answer",
    "CodePolicy": "settings",
    "Consulted": "answer",
    "Evidence": "evidence",
    "IndexLibrary": "library",
    "Library": "library",
    "Near": "answer",
    "Provisional": "events",
    "Retracted": "events",
    "Step": "events",
    "Style": "model",
    "ToolMaker": "agent",
    "Verdict": "answer",
}


if not TYPE_CHECKING:  # hidden from checkers, which would take any name for granted

    def __getattr__(name: str) -> object:
        """Load a name when it is first asked for."""
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(_import_module(f"{__name__}.{_HOMES[name]}"), name)
        return value

    def __dir__() -> list[str]:
        """List the public names, loaded or not."""
        return sorted({*globals(), *__all__})
