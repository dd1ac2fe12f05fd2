"""What fits into a model's window, what is left out, and when a turn has had enough."""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tether.batteries.budget.allocation import Allocation, allocate
    from tether.batteries.budget.history import (
        least_relevant_first,
        newest_turns,
        relevance_floor,
        relevant_turns,
    )
    from tether.batteries.budget.limits import TurnLimits
    from tether.batteries.budget.measuring import prompt_tokens
    from tether.batteries.budget.packing import Packed, pack
    from tether.batteries.budget.profiles import ModelProfile, ModelProfiles
    from tether.batteries.budget.report import ThriftReport
    from tether.batteries.budget.shedding import SheddingPolicy
    from tether.batteries.budget.thrift import Thrift

__all__ = [
    "Allocation",
    "allocate",
    "least_relevant_first",
    "newest_turns",
    "relevance_floor",
    "relevant_turns",
    "TurnLimits",
    "prompt_tokens",
    "Packed",
    "pack",
    "ModelProfile",
    "ModelProfiles",
    "ThriftReport",
    "SheddingPolicy",
    "Thrift",
]

_HOMES = {
    "Allocation": "allocation",
    "allocate": "allocation",
    "least_relevant_first": "history",
    "newest_turns": "history",
    "relevance_floor": "history",
    "relevant_turns": "history",
    "TurnLimits": "limits",
    "prompt_tokens": "measuring",
    "Packed": "packing",
    "pack": "packing",
    "ModelProfile": "profiles",
    "ModelProfiles": "profiles",
    "ThriftReport": "report",
    "SheddingPolicy": "shedding",
    "Thrift": "thrift",
}

if not TYPE_CHECKING:  # hidden from checkers, which would take any name for granted

    def __getattr__(name: str) -> object:
        """Load a part when it is first asked for."""
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(_import_module(f"{__name__}.{_HOMES[name]}"), name)
        return value

    def __dir__() -> list[str]:
        """List the public names, loaded or not."""
        return sorted({*globals(), *__all__})
