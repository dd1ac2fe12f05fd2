"""The settings of a turn. Every field is a setting of the command line too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from tether.ask.errors import InvalidAskSettings
from tether.core.checks import Checks
from tether.core.tiers import TRUST_TIERS, TrustTier

CodePolicy = Literal["forbid", "allow", "auto"]
"""Whether an answer may contain code; `auto` leaves it to the profile of the model."""

CODE_POLICIES: tuple[CodePolicy, ...] = get_args(CodePolicy)
MOST_RETRIES = 10
MOST_PASSAGES = 100
UNBOUND_PASSAGES = 16
"""How many are considered where the setting does not say: further ones never answered."""

_COUNTS = (
    "retries",
    "passages",
    "evidence_tokens",
    "variants",
    "neighbours",
    "tool_calls",
    "output_tokens",
    "rounds",
    "history",
    "memories",
)
_SWITCHES = (
    "rewrite",
    "hypothesis",
    "follow_ups",
    "address_check",
    "second_opinion",
    "remember",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AskSettings:
    """Depths, budgets and switches of a turn; raises `InvalidAskSettings`.

    `retries` is the budget of new attempts after failed checks. How many passages are in the prompt
    follows from the window, and with a local model from the tokens that it reads within `patience`
    (seconds; 0: any time). `passages` and `evidence_tokens` bound them further (0: they do not).
    `rewrite`, `hypothesis` and `variants` prepare the search; without a helper model only the
    deterministic rewrite is done. `follow_ups` lets the previous answer's cited passages join the
    candidates. `address_check` looks whether the quotes address the question. `second_opinion` puts
    each statement in the model's own words to its helper once more. `neighbours` is how many
    passages beside the best ones join the candidates: next to them, above them, linked from them. A
    turn that goes beyond `seconds`, `tool_calls` or `output_tokens` is stopped (0: never), before
    its next attempt. `rounds` bounds the rounds of tool calls of a turn. `history` is how many
    earlier exchanges the model sees. `tier` is the authority of the documents in the prompt.
    """

    retries: int = 2
    passages: int = 12
    evidence_tokens: int = 0
    patience: float = 20.0
    rewrite: bool = True
    hypothesis: bool = False
    variants: int = 0
    follow_ups: bool = True
    address_check: bool = True
    second_opinion: bool = False
    code: CodePolicy = "auto"
    neighbours: int = 0
    seconds: float = 0.0
    tool_calls: int = 0
    output_tokens: int = 0
    rounds: int = 3
    history: int = 4
    memories: int = 8
    remember: bool = True
    tier: TrustTier = "first-party"

    def __post_init__(self) -> None:
        check = Checks()
        for name in _COUNTS:
            check.whole_number(name, getattr(self, name), least=0)
        _seconds(check, "patience", self.patience)
        _seconds(check, "seconds", self.seconds)
        for name in _SWITCHES:
            check.flag(name, getattr(self, name))
        check.choice("code", self.code, CODE_POLICIES)
        check.choice("tier", self.tier, TRUST_TIERS)
        if not check.problems:
            _bounded(check, "retries", self.retries, MOST_RETRIES)
            _bounded(check, "passages", self.passages, MOST_PASSAGES)
        check.done(InvalidAskSettings)

    @property
    def most_passages(self) -> int:
        """How many passages may be shown at most."""
        return self.passages or UNBOUND_PASSAGES


def _seconds(check: Checks, path: str, value: float) -> None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 <= value < float("inf"):
        check.refuse(path, value, "a number from 0")


def _bounded(check: Checks, path: str, value: int, most: int) -> None:
    if value > most:
        check.fail(path, f"must be at most {most}, not {value}")
