# pyright: reportMissingImports=false
# mypy: disable-error-code="import-not-found"
"""The losses of teacher and student, each a function of the questions of one step."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import torch
from torch.nn import functional as f

from judge.network import Tensor
from selector.draws import Passages, Shown, passages, shown
from selector.groups import Group
from selector.models import Model, Student
from selector.recipe import Recipe, Weighed

WANTED_WEIGHT = 4.0
HIDDEN_WEIGHT = 0.5

Loss = Callable[[Sequence[Group], Any], Tensor]
"""Questions of a step and a source of random numbers to a loss."""

Soft = Mapping[str, Sequence[float]]
"""The teachers' logits of all units, by the id of a question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TeacherLoss:
    """The loss by the labels."""

    model: Model
    recipe: Recipe

    def __call__(self, groups: Sequence[Group], draw: Any) -> Tensor:
        """Return the loss of one step."""
        return _labelled(*_read(self.model, self.recipe, groups, draw))


@dataclass(frozen=True, slots=True, kw_only=True)
class StudentLoss:
    """The loss by labels and teachers on units, and by labels and the old judge on passages."""

    model: Student
    recipe: Recipe
    weighed: Weighed
    soft: Soft
    old: Student

    def __call__(self, groups: Sequence[Group], draw: Any) -> Tensor:
        """Return the loss of one step."""
        read, logits = _read(self.model, self.recipe, groups, draw)
        taught = [self.soft[one.group.id][at] for one in read for at in one.places]
        apart = ((logits - logits.new_tensor(taught)) ** 2).mean()
        units = self.weighed.labels * _labelled(read, logits) + self.weighed.teachers * apart
        return units + self._on_passages(passages(groups, draw))

    def _on_passages(self, read: Sequence[Passages]) -> Tensor:
        """Return the loss that keeps the judge's relevance what it was, or better."""
        pairs = [pair for one in read for pair in one.pairs]
        with torch.no_grad():
            before = self.old.relevance(pairs, 0.0)
        logits = self.model.relevance(pairs, self.recipe.dropout)
        apart = ((logits - before) ** 2).mean()
        parts = torch.split(logits, [len(one.pairs) for one in read])
        lists = zip(parts, (one.gold for one in read), strict=True)
        listed = sum(_listed(part, gold) for part, gold in lists)
        return self.weighed.old * apart + self.weighed.relevance * listed / len(read)


def _listed(logits: Tensor, gold: Sequence[int]) -> Tensor:
    if not gold or len(gold) == len(logits):
        return logits.new_zeros(())
    return torch.logsumexp(logits, 0) - torch.logsumexp(logits[gold], 0)


def _read(
    model: Model, recipe: Recipe, groups: Sequence[Group], draw: Any
) -> tuple[list[Shown], Tensor]:
    read = [shown(group, recipe, draw) for group in groups]
    pairs = list(chain.from_iterable(one.pairs for one in read))
    return read, model.answers(pairs, recipe.dropout)


def _labelled(read: Sequence[Shown], logits: Tensor) -> Tensor:
    total = logits.new_zeros(())
    parts = torch.split(logits, [len(one.places) for one in read])
    for one, part in zip(read, parts, strict=True):
        weight = HIDDEN_WEIGHT if one.is_hidden else 1.0
        total = total + weight * labelled(part, part.new_tensor(one.labels))
    return total / len(read)


def labelled(logits: Tensor, labels: Tensor) -> Tensor:
    """Return the loss of one question: a list loss in which "none of them" is 0, and each alone."""
    right = logits[labels > 0] if labels.any() else logits.new_zeros(1)
    among = torch.logsumexp(torch.cat([logits.new_zeros(1), logits]), 0)
    heavy = logits.new_tensor(WANTED_WEIGHT)
    alone = f.binary_cross_entropy_with_logits(logits, labels, pos_weight=heavy)
    return among - torch.logsumexp(right, 0) + alone
