# pyright: reportMissingImports=false
# mypy: disable-error-code="import-not-found"
"""How a model learns: steps over shuffled questions, then the mean of its last weights."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch

from selector.groups import Group
from selector.losses import Loss
from selector.models import Model
from selector.recipe import Recipe
from verifier.course import Course
from verifier.recipe import Run as Rates

TAIL = 8
"""The mean is over the last eighth of the steps."""


def train(model: Model, recipe: Recipe, groups: Sequence[Group], loss: Loss, *, seed: int) -> None:
    """Make the steps of a recipe, and put the mean of the last weights in place."""
    torch.manual_seed(seed)
    draw = np.random.default_rng(seed)
    steps = recipe.epochs * (len(groups) // recipe.questions)
    rates = Rates(name="units", rate=recipe.rate, head_rate=recipe.head_rate)
    course = Course(rates, model, steps, tail=TAIL)
    for batch in _batches(groups, recipe, draw):
        course.follow(loss(batch, draw))
    course.finish()


def _batches(groups: Sequence[Group], recipe: Recipe, draw: Any) -> Iterator[list[Group]]:
    size = recipe.questions
    for _ in range(recipe.epochs):
        order = draw.permutation(len(groups))
        for start in range(0, len(order) - size + 1, size):
            yield [groups[at] for at in order[start : start + size]]
