# pyright: reportMissingImports=false
# mypy: disable-error-code="import-not-found"
"""What a training run is told, and the optimizer that follows from it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch

Encoder = Literal["large", "small"]
"""`large` is all-mpnet-base-v2, `small` the judge's encoder (six layers, half as wide)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One training run; without other words it makes the verifier that is shipped."""

    name: str
    encoder: Encoder = "large"
    hold: Sequence[str] = ()
    """Corpora that it does not see and is measured on; `invented-*` names many."""
    files: Sequence[str] = ()
    """Only these hand-written files, by the same patterns; all where empty."""
    epochs: int = 3
    copies: int = 3
    """How often an epoch shows a quote, each time in another form."""
    public: int = 20_000
    rules: int = 5_000
    """Public and rule-made pairs of an epoch, drawn anew each time."""
    rate: float = 3e-5
    head_rate: float = 1e-4
    rank: float = 0.5
    dropout: float = 0.1
    seed: int = 1
    frozen: bool = False
    """The small encoder stays as it is: only the head learns."""
    write: bool = False


def optimizer(run: Run, parts: Sequence[Sequence[Any]], steps: int) -> tuple[Any, Any]:
    """Return AdamW with a faster head, and a schedule: a short warm-up, then down in a line."""
    rates = (run.rate, run.head_rate)
    groups = [{"params": part, "lr": rate} for part, rate in zip(parts, rates, strict=True) if part]
    updates = torch.optim.AdamW(groups, weight_decay=0.01, fused=parts[1][0].is_cuda)
    warm = max(1, steps // 16)

    def share(step: int) -> float:
        return min((step + 1) / warm, max(0.02, (steps - step) / (steps - warm + 1)))

    return updates, torch.optim.lr_scheduler.LambdaLR(updates, share)
