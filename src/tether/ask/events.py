"""What an ask turn tells while it runs. The last event of a turn is its `Answer`."""

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
    """Something that was done: `label` for people, `detail` as JSON for `--explain` and traces."""

    kind: StepKind
    state: StepState
    label: str
    detail: Mapping[str, Any]
    elapsed_ms: float


class Provisional(NamedTuple):
    """Text that nobody has checked yet; `Retracted` may follow. Never show it as an answer."""

    attempt: int
    delta: str


class Retracted(NamedTuple):
    """That all provisional text of an attempt failed its checks and is void."""

    attempt: int
    reason: str


AskEvent = Step | Provisional | Retracted | Answer
