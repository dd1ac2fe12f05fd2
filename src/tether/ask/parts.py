"""The parts of an agent."""

from __future__ import annotations

from dataclasses import dataclass

from tether.ask.library import Library
from tether.ask.model import AskModel
from tether.ask.prompt import system_prompt
from tether.ask.settings import AskSettings
from tether.batteries.storage.port import Store
from tether.runtime.clock import Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The parts of an agent that its stages use, the same in every turn."""

    library: Library
    model: AskModel
    store: Store
    settings: AskSettings
    clock: Clock

    @property
    def retries(self) -> int:
        """How often a failed answer may be written again.

        An executor that answers by quotation says the same to the same question: it is run once.
        """
        return 0 if self.model.style == "quotes" else self.settings.retries

    @property
    def allows_code(self) -> bool:
        """Whether an answer may contain code; quotations are verbatim and may."""
        if self.settings.code != "auto":
            return self.settings.code == "allow"
        return self.model.profile.code or self.model.style in ("quotes", "points")

    @property
    def system_prompt(self) -> str:
        """The system prompt of every turn."""
        return system_prompt(self.model.style, code=self.allows_code)
