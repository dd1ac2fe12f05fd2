# pyright: reportMissingImports=false
# mypy: disable-error-code="import-not-found"
"""How a model learns: steps over shuffled questions, then the mean of its last weights."""

import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch

from judge.network import Tensor
from selector.groups import Group
from selector.losses import Loss
from selector.models import Model
from selector.recipe import Recipe
from verifier.recipe import Run as Rates
from verifier.recipe import optimizer

SPOKEN = 100
"""Steps between two lines about the loss."""
TAIL = 8
"""The mean is over the last eighth of the steps."""


def train(model: Model, recipe: Recipe, groups: Sequence[Group], loss: Loss, *, seed: int) -> None:
    """Make the steps of a recipe, and put the mean of the last weights in place."""
    torch.manual_seed(seed)
    draw = np.random.default_rng(seed)
    steps = recipe.epochs * (len(groups) // recipe.questions)
    course = _Course(model, recipe, steps)
    for batch in _batches(groups, recipe, draw):
        course.follow(loss(batch, draw))
    course.finish()


def _batches(groups: Sequence[Group], recipe: Recipe, draw: Any) -> Iterator[list[Group]]:
    size = recipe.questions
    for _ in range(recipe.epochs):
        order = draw.permutation(len(groups))
        for start in range(0, len(order) - size + 1, size):
            yield [groups[at] for at in order[start : start + size]]


class _Course:
    """Updates of a model for so many steps, and the mean of its weights over the last of them."""

    def __init__(self, model: Model, recipe: Recipe, steps: int) -> None:
        self._values = model.values
        self._moved = [one for part in model.parts for one in part]
        rates = Rates(name="", rate=recipe.rate, head_rate=recipe.head_rate)
        self._updates, self._schedule = optimizer(rates, model.parts, steps)
        self._steps, self._step, self._counted = steps, 0, 0
        self._total = {name: torch.zeros_like(value) for name, value in self._values.items()}
        self._started = time.monotonic()

    def follow(self, loss: Tensor) -> None:
        """Make one step."""
        self._updates.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._moved, 1.0)
        self._updates.step()
        self._schedule.step()
        if self._step % SPOKEN == 0:
            took = f"{time.monotonic() - self._started:.0f} s"
            print(
                f"  {self._step}/{self._steps} loss {float(loss.detach()):.3f} {took}", flush=True
            )
        self._step += 1
        if self._step > self._steps - max(1, self._steps // TAIL):
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
