# pyright: reportMissingImports=false
# mypy: disable-error-code="import-not-found"
"""What a training run is told, and the optimizer that follows from it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from judge.network import Tensor


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """One training run."""

    name: str
    start: str = "encoder"
    """`encoder` (all-MiniLM-L6-v2), `first` (the first judge) or the name of an earlier run."""
    rate: float = 5e-5
    head_rate: float = 2e-4
    epochs: float = 2.0
    lists: int = 64
    negatives: int = 7
    plain: float = 0.5
    """Share of the list loss that reads the judge alone; the rest adds the lanes' vote first."""
    lane_scale: float = 1.0
    relevance_weight: float = 0.2
    answer_weight: float = 0.4
    pair_weight: float = 0.4
    pairs: int = 64
    dropout: float = 0.1
    without: Sequence[str] = ()
    seed: int = 1
    limit: int = 0
    """At most so many steps, where not 0."""


def optimizer(recipe: Recipe, values: Mapping[str, Tensor], steps: int) -> tuple[Any, Any]:
    """AdamW with a faster head, and its schedule: a short warm-up, then down in a line."""
    head = [value for name, value in values.items() if name.startswith("head")]
    body = [value for name, value in values.items() if not name.startswith("head")]
    optimizer = torch.optim.AdamW(
        [{"params": body, "lr": recipe.rate}, {"params": head, "lr": recipe.head_rate}],
        weight_decay=0.01,
        fused=body[0].is_cuda,
    )
    warm = max(1, steps // 16)

    def share(step: int) -> float:
        return min((step + 1) / warm, max(0.02, (steps - step) / (steps - warm + 1)))

    return optimizer, torch.optim.lr_scheduler.LambdaLR(optimizer, share)
