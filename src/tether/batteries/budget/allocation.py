"""The shares of a window when the answers come from retrieved text.

Every other part gets a tight minimum or a small share; the evidence gets all the rest.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tether.batteries.budget.errors import InvalidBudget
from tether.core.checks import Checks

if TYPE_CHECKING:
    from collections.abc import Mapping


LEAST_RESERVE = 768
LEAST_EVIDENCE = 700


@dataclass(frozen=True, slots=True, kw_only=True)
class Allocation:
    """The shares of one window, in tokens; none is negative, and they sum to `total`.

    If the minimums alone exceed the window, `total` is larger by `missing`, and no share is reduced
    to hide it: the caller needs another model or a shorter prompt.
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
    """For inexact counts."""

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
        """The number of tokens by which the window is too small; usually 0."""
        return max(0, self.total - self.window)

    @property
    def fits(self) -> bool:
        """Whether the window holds all the shares."""
        return self.missing == 0


def allocate(window: int, *, system_prompt: int, tools: int = 0) -> Allocation:
    """Divide a window. `system_prompt` and `tools` are measured costs, not guesses.

    A system prompt that is larger than assumed takes the tokens of the answer, so it has no
    default. Raises `InvalidBudget`.
    """
    check = Checks()
    check.whole_number("window", window)
    check.whole_number("system_prompt", system_prompt, least=0)
    check.whole_number("tools", tools, least=0)
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
    """Return the tokens reserved for the answer: a quarter of the window, at least 768.

    No more than the longest answer of the model, if that is known.
    """
    usual = max(LEAST_RESERVE, _percent(25, window))
    return usual if max_output is None else min(usual, max(LEAST_RESERVE, max_output))


def _percent(percent: int, window: int) -> int:
    return percent * window // 100
