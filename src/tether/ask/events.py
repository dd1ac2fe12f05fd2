"""The events of a turn while it runs; the last one is its `Answer`."""

# No `from __future__ import annotations` here: NamedTuple compiles every annotation that is a
# string.
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from tether.ask.answer import Answer

StepKind = Literal[
    "history",
    "rewrite",
    "hypothesis",
    "variants",
    "search",
    "floor",
    "evidence",
    "memories",
    "shed",
    "generate",
    "tool",
    "gate",
    "verify",
    "refuse",
    "remember",
    "propose",
    "store",
]
StepState = Literal["done", "failed", "skipped"]


class Step(NamedTuple):
    """A step that was taken: `label` for people, `detail` as JSON for `--explain` and traces."""

    kind: StepKind
    state: StepState
    label: str
    detail: Mapping[str, Any]
    elapsed_ms: float


class Provisional(NamedTuple):
    """Unchecked text; `Retracted` may follow. Never show it as an answer."""

    attempt: int
    delta: str


class Retracted(NamedTuple):
    """All provisional text of an attempt is void: it failed its checks."""

    attempt: int
    reason: str


AskEvent = Step | Provisional | Retracted | Answer
