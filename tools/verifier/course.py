# pyright: reportMissingImports=false
# mypy: disable-error-code="import-not-found"
"""The course of a training: updates by a schedule, and the mean of the last weights."""

from collections.abc import Mapping, Sequence
from typing import Protocol

import torch

from verifier.network import Tensor
from verifier.recipe import Run, optimizer

SPOKEN = 100
"""Steps between two lines about the loss."""


class Weighted(Protocol):
    """A model that learns: its parameters (encoder, head), and all of them by name."""

    @property
    def parts(self) -> Sequence[list[Tensor]]:
        """The parameters of the encoder, and those of the head."""
        ...

    @property
    def values(self) -> Mapping[str, Tensor]:
        """All of them by name."""
        ...


class Course:
    """Updates for about so many steps; keeps the mean of the weights over the last `tail`-th."""

    def __init__(self, run: Run, model: Weighted, steps: int, *, tail: int = 10) -> None:
        self._name = run.name
        self._values = model.values
        self._moved = [one for part in model.parts for one in part]
        self._updates, self._schedule = optimizer(run, model.parts, steps)
        self._step, self._mean_from = 0, steps - max(1, steps // tail)
        self._counted = 0
        self._total = {name: torch.zeros_like(value) for name, value in self._values.items()}

    def follow(self, loss: Tensor) -> None:
        """Make one step."""
        self._updates.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._moved, 1.0)
        self._updates.step()
        self._schedule.step()
        if self._step % SPOKEN == 0:
            print(f"  {self._name} {self._step} loss {float(loss.detach()):.3f}", flush=True)
        self._step += 1
        if self._step > self._mean_from:
            self._count()

    def _count(self) -> None:
        self._counted += 1
        with torch.no_grad():
            for name, value in self._values.items():
                self._total[name] += value

    def finish(self) -> None:
        """Put the mean in place of the weights."""
        with torch.no_grad():
            for name, value in self._values.items():
                value.copy_(self._total[name] / max(1, self._counted))
