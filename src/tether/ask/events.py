"""The events of a turn while it runs; the last one is its `Answer`."""

# No `from __future__ import annotations` here: NamedTuple compiles every annotation that is a
# string.
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from tether.ask.answer import Answer

StepKind = Literal[
    "history",
    "context",
    "spelling",
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
    "opinion",
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


WorkPhase = Literal["loading", "reading", "writing"]

_LABELS: Mapping[WorkPhase, str] = {
    "loading": "loading the model",
    "reading": "reading the prompt",
    "writing": "writing",
}
MEGABYTE = 1_000_000


class Working(NamedTuple):
    """A local model is at work. `done` and `total` are bytes of its file while it is loaded, and
    tokens otherwise; None and 0 mean that nobody knows."""

    phase: WorkPhase
    done: int
    total: int | None = None
    per_second: float | None = None

    @property
    def label(self) -> str:
        """The same for people."""
        of = f" of {self._amount(self.total)}" if self.total else ""
        tokens = "token" if self.done == 1 and not of else "tokens"
        unit = "MB" if self.phase == "loading" else tokens
        speed = f", {self.per_second:.1f} tokens/s" if self.per_second else ""
        return f"{_LABELS[self.phase]}: {self._amount(self.done)}{of} {unit}{speed}"

    def _amount(self, number: int) -> str:
        return f"{number // MEGABYTE if self.phase == 'loading' else number:,}"


class Provisional(NamedTuple):
    """Unchecked text; `Retracted` may follow. Never show it as an answer."""

    attempt: int
    delta: str


class Retracted(NamedTuple):
    """All provisional text of an attempt is void: it failed its checks."""

    attempt: int
    reason: str


AskEvent = Step | Working | Provisional | Retracted | Answer
