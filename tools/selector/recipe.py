"""What training is told: a recipe for the teachers, one for the student, and the runs of a plan."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How one model learns."""

    epochs: int
    units: int
    """Units of a question that one step reads."""
    rate: float
    head_rate: float = 2e-4
    hide: float
    """How often the right pages of a question are left out, so that nothing answers it."""
    questions: int = 16
    """Questions of one step."""
    dropout: float = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """What weighs how much in the loss of the student."""

    labels: float = 0.5
    teachers: float = 0.2
    """Its distance from the teachers' logits."""
    old: float = 0.3
    """On passages, the distance of its relevance from that of the judge that it starts from."""
    relevance: float = 0.3
    """On passages, the list loss of its relevance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One teacher for each seed, then the student; by default what made the shipped judge."""

    name: str
    hold: Sequence[str] = ()
    """Sets that it does not see and is measured on."""
    without: Sequence[str] = ()
    """Sets that it does not see at all."""
    teachers: Sequence[int] = (7,)
    """Their seeds."""
    seed: int = 1
    teacher: Recipe = field(default_factory=lambda: Recipe(epochs=3, units=16, rate=2e-5, hide=0.3))
    student: Recipe = field(
        default_factory=lambda: Recipe(epochs=5, units=18, rate=6e-5, hide=0.25)
    )
    weighed: Weighed = field(default_factory=Weighed)
    write: bool = False


def read_plan(path: Path) -> list[Run]:
    """Return the runs of a plan; a recipe that it gives has to be whole."""
    return [_run(entry) for entry in json.loads(path.read_text())]


def _run(entry: dict[str, Any]) -> Run:
    kinds: dict[str, Any] = {"teacher": Recipe, "student": Recipe, "weighed": Weighed}
    given = {name: kinds[name](**entry[name]) for name in kinds if name in entry}
    return Run(**(entry | given))
