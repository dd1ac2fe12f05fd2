# pyright: reportMissingImports=false
# mypy: disable-error-code="import-not-found"
"""What a judge is worth: nDCG@10 of the mix with its vote, and how well it knows answers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from judge.mine import TOP, Candidates
from judge.network import Tensor
from judge.record import Pool
from judge.weights import Array

WITHOUT = (0.5, 0.25, 0.25, 0.0)
WITH = (0.4, 0.15, 0.15, 0.3)
STRONG = (0.25, 0.125, 0.125, 0.5)
ALONE = (0.0, 0.0, 0.0, 1.0)
"""Shares of boost, BM25, cosine and judge in the z-sum."""

Scorer = Callable[[Tensor, Tensor], Tensor]
"""Question numbers [n] and passage numbers [n] of a pool to relevance logits [n]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """The questions of one use in a pool, with their candidates."""

    name: str
    pool: Pool
    rows: Tensor
    candidates: Candidates


def standard(values: Tensor, present: Tensor) -> Tensor:
    """z-values inside each row's present entries."""
    count = present.sum(1, keepdim=True).clamp(min=1)
    mean = (values * present).sum(1, keepdim=True) / count
    spread = (((values - mean) ** 2 * present).sum(1, keepdim=True) / count).sqrt()
    return (values - mean) / spread.clamp(min=1e-6)


def votes(case: Case, relevance: Tensor) -> tuple[Tensor, Tensor]:
    """z-values [questions, TOP, 4] of boost, BM25, cosine and judge, and which are present."""
    found = case.candidates
    present = found.numbers[case.rows, :TOP] >= 0
    lanes = [part[case.rows, :TOP] for part in (found.boosted, found.lexical, found.cosine)]
    return torch.stack([standard(lane, present) for lane in [*lanes, relevance]], -1), present


def judged(case: Case, scorer: Scorer) -> Tensor:
    """The judge's relevance for each candidate [questions, TOP]."""
    numbers = case.candidates.numbers[case.rows, :TOP].clamp(min=0)
    asked = case.rows[:, None].expand_as(numbers)
    return scorer(asked.reshape(-1), numbers.reshape(-1)).view_as(numbers).float()


def quality(case: Case, cast: Tensor, present: Tensor, shares: Sequence[float]) -> Array:
    """nDCG@10 of each question; pages count by their best passage where gold is a page."""
    total = (cast * torch.tensor(shares, device=cast.device)).sum(-1)
    order = total.masked_fill(~present, -1e9).argsort(1, descending=True).cpu().numpy()
    numbers = case.candidates.numbers[case.rows, :TOP].cpu().numpy()
    shown = present.cpu().numpy()
    results = []
    for row, question in enumerate(case.rows.tolist()):
        ranked = [numbers[row, place] for place in order[row] if shown[row, place]]
        results.append(_gain(case.pool, question, ranked))
    return np.array(results)


def _gain(pool: Pool, question: int, ranked: Sequence[int]) -> float:
    asked = pool.questions[question]

    def name(number: int) -> str:
        return pool.passages[number].page if asked.page_level else str(number)

    right = {name(number) for number in asked.gold}
    listed = list(dict.fromkeys(name(number) for number in ranked))[:10]
    gain = sum(1 / np.log2(rank + 2) for rank, page in enumerate(listed) if page in right)
    return (
        float(gain / sum(1 / np.log2(rank + 2) for rank in range(min(10, len(right)))))
        if right
        else 0.0
    )


def auroc(scores: Array, labels: Array) -> float:
    """The chance that a positive scores above a negative; ties count half."""
    order = np.argsort(scores, kind="stable")
    ranks = np.empty(len(scores))
    _, inverse, counts = np.unique(scores[order], return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    ranks[order] = ((ends - counts + 1 + ends) / 2)[inverse]
    positives = labels.sum()
    above = ranks[labels].sum() - positives * (positives + 1) / 2
    return float(above / (positives * (len(labels) - positives)))
