# pyright: reportMissingImports=false
# mypy: disable-error-code="import-not-found"
"""Logits of units, and what they are worth on questions that a model did not see."""

from collections.abc import Mapping, Sequence

import numpy as np
import torch

from judge.measure import auroc
from judge.weights import Array
from selector.groups import Group
from selector.models import Model, Student
from selector.records import ANSWERABLE, NEAR

TOGETHER = 512
MOST_SCORED = 40
"""Units of a held question that are scored, the best by features."""
REFUSED = 0.05
"""The share of questions with an answer that may be refused."""
SHARE = 0.25
"""Of the judge, where it is mixed with the score of the search."""

Scores = Mapping[str, Sequence[float]]
"""The logits of the first units of a question, by its id."""


def scored(model: Model, groups: Sequence[Group], most: int | None = MOST_SCORED) -> Scores:
    """Return the logits of the first units of each question, or of all."""
    places = [(group, at) for group in groups for at in range(len(group.units[:most]))]
    places.sort(key=lambda one: len(one[0].pieces) + len(one[0].units[one[1]].pieces))
    found: dict[str, dict[int, float]] = {group.id: {} for group in groups}
    for start in range(0, len(places), TOGETHER):
        part = places[start : start + TOGETHER]
        pairs = [(group.pieces, group.units[at].pieces) for group, at in part]
        with torch.no_grad():
            logits = model.answers(pairs, 0.0).tolist()
        for (group, at), logit in zip(part, logits, strict=True):
            found[group.id][at] = logit
    return {id: [logits[at] for at in sorted(logits)] for id, logits in found.items()}


def mean(every: Sequence[Scores]) -> Scores:
    """Return the mean of the logits of several models."""
    return {id: np.mean([one[id] for one in every], 0).tolist() for id in every[0]}


def report(name: str, groups: Sequence[Group], scores: Scores) -> None:
    """Print how often the best units are wanted, and how well near questions are refused."""
    asked = [group for group in groups if group.kind == ANSWERABLE and group.has_wanted]
    near = np.array([max(scores[group.id]) for group in groups if group.kind == NEAR])
    best = np.array([max(scores[group.id]) for group in asked])
    cells = [f"{name}: {len(asked)} with an answer, {len(near)} near"]
    for count, words in ((1, "best wanted"), (3, "one of three")):
        read = np.mean([_is_wanted(group, _order(scores[group.id]), count) for group in asked])
        plain = np.mean([_is_wanted(group, range(count), count) for group in asked])
        cells.append(f"{words} {read:.3f} (features {plain:.3f})")
    if len(best) and len(near):
        labels = np.repeat([True, False], [len(best), len(near)])
        cells.append(f"auc {auroc(np.concatenate([best, near]), labels):.3f}")
        refused = np.mean(near < np.quantile(best, REFUSED))
        cells.append(f"near refused {refused:.3f} at {REFUSED:.0%} of the answerable")
    print(" | ".join(cells), flush=True)


def _order(scores: Sequence[float]) -> Sequence[int]:
    return sorted(range(len(scores)), key=lambda at: -scores[at])


def _is_wanted(group: Group, order: Sequence[int], count: int) -> bool:
    return any(group.units[at].is_wanted for at in order[:count] if at < len(group.units))


def report_passages(name: str, model: Student, groups: Sequence[Group]) -> None:
    """Print how passages rank by the judge, by the search, and by both."""
    ranks: list[list[int]] = []
    for group in groups:
        if 0 < len(group.gold) < len(group.passages):
            with torch.no_grad():
                pairs = [(group.pieces, passage) for passage in group.passages]
                judged = model.relevance(pairs, 0.0).cpu().numpy()
            search = np.array(group.scores)
            mixed = (1 - SHARE) * _standard(search) + SHARE * _standard(judged)
            ranks.append([_rank(votes, group.gold) for votes in (judged, mixed, search)])
    if ranks:
        found = np.array(ranks)
        first, reciprocal = (found == 0).mean(0).round(3), (1 / (1 + found)).mean(0).round(3)
        print(
            f"{name}, passages by judge, mix, search: first {first}, MRR {reciprocal}", flush=True
        )


def _standard(values: Array) -> Array:
    result: Array = (values - values.mean()) / (values.std() + 1e-6)
    return result


def _rank(votes: Array, gold: Sequence[int]) -> int:
    """Return the place of the best gold passage."""
    order: list[int] = np.argsort(-votes, kind="stable").tolist()
    return min(order.index(at) for at in gold)
