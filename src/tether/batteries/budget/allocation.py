"""How a window is shared out when the answers have to come from retrieved text.

Every other part gets a tight floor or a small share; the evidence gets all the rest.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tether.batteries.budget.amounts import whole_number
from tether.core.checks import Checks
from tether.core.errors import InvalidBudget

if TYPE_CHECKING:
    from collections.abc import Mapping

LEAST_RESERVE = 768
LEAST_EVIDENCE = 700


@dataclass(frozen=True, slots=True, kw_only=True)
class Allocation:
    """The shares of one window, in tokens; none is negative, and they sum to `total`.

    Where the floors alone are more than the window, `total` exceeds it by `missing`, and nothing
    was made smaller to hide that: a caller has to find another model or a shorter prompt.
    """

    window: int
    reserve: int
    """For the answer."""

    system_prompt: int
    standing_instructions: int
    question: int
    turns: int
    memory: int
    tools: int
    headroom: int
    """For counting that is a little off."""

    evidence: int

    @property
    def shares(self) -> Mapping[str, int]:
        """The shares by name."""
        return {
            "reserve": self.reserve,
            "system_prompt": self.system_prompt,
            "standing_instructions": self.standing_instructions,
            "question": self.question,
            "turns": self.turns,
            "memory": self.memory,
            "tools": self.tools,
            "headroom": self.headroom,
            "evidence": self.evidence,
        }

    @property
    def total(self) -> int:
        """The sum of the shares."""
        return sum(self.shares.values())

    @property
    def missing(self) -> int:
        """How many tokens the window is too small by; mostly 0."""
        return max(0, self.total - self.window)

    @property
    def fits(self) -> bool:
        """Whether the window holds all the shares."""
        return self.missing == 0


def allocate(window: int, *, system_prompt: int, tools: int = 0) -> Allocation:
    """Share out a window. `system_prompt` and `tools` are measured costs, not guesses.

    A system prompt that was assumed to be small eats the room that the answer was promised, so it
    has no default. Raises `InvalidBudget`.
    """
    check = Checks()
    whole_number(check, "window", window)
    whole_number(check, "system_prompt", system_prompt, least=0)
    whole_number(check, "tools", tools, least=0)
    check.done(InvalidBudget)
    allocation = Allocation(
        window=window,
        reserve=default_reserve(window),
        system_prompt=max(system_prompt, _percent(12, window)),
        standing_instructions=max(120, _percent(3, window)),
        question=max(250, _percent(6, window)),
        turns=max(400, _percent(10, window)),
        memory=max(120, _percent(3, window)),
        tools=tools,
        headroom=max(450, _percent(10, window)),
        evidence=0,
    )
    return replace(allocation, evidence=max(LEAST_EVIDENCE, window - allocation.total))


def default_reserve(window: int, max_output: int | None = None) -> int:
    """Return what is kept for the answer: a quarter of the window, and never less than 768.

    More than the longest answer of a model need not be kept, where that is known.
    """
    usual = max(LEAST_RESERVE, _percent(25, window))
    return usual if max_output is None else min(usual, max(LEAST_RESERVE, max_output))


def _percent(percent: int, window: int) -> int:
    return percent * window // 100
