# pyright: reportMissingImports=false
# mypy: disable-error-code="import-not-found"
"""Scores pairs of a workbench with given weights, and prints what a model is worth."""

from collections.abc import Mapping, Sequence

import numpy as np
import torch

from judge import network, tokens
from judge.measure import (
    ALONE,
    STRONG,
    WITH,
    WITHOUT,
    Case,
    Scorer,
    auroc,
    judged,
    quality,
    votes,
)
from judge.network import Tensor
from judge.weights import Weights
from judge.workbench import Workbench


def on_device(values: Weights, device: str) -> dict[str, Tensor]:
    """Weights as tensors."""
    return {name: torch.tensor(value, device=device) for name, value in values.items()}


def score(
    values: Mapping[str, Tensor],
    bench: Workbench,
    asked: Tensor,
    told: Tensor,
    shown: Tensor,
    *,
    dropout: float = 0.0,
    parts: int = 4,
) -> Tensor:
    """Logits of pairs, computed in parts of similar length, in the order given."""
    lengths = bench.questions.lengths[asked] + bench.texts.lengths[told]
    lengths = lengths + bench.prefixes.lengths[4 * told + shown]
    order = lengths.argsort()
    found: list[Tensor] = []
    for rows in order.chunk(parts):
        ids, mask, types = tokens.pairs(
            bench.questions,
            bench.prefixes,
            bench.texts,
            asked=asked[rows],
            told=told[rows],
            shown=shown[rows],
        )
        with torch.autocast(ids.device.type, torch.bfloat16, enabled=ids.is_cuda):
            found.append(network.logits(values, ids, mask, types, dropout=dropout))
    return torch.cat(found)[order.argsort()]


def report(name: str, values: Mapping[str, Tensor], bench: Workbench, uses: Sequence[str]) -> None:
    """Print a model's nDCG@10 for each collection: without it, it alone, and two mixes with it."""
    cells: list[str] = []
    for use in uses:
        for case in bench.cases(use):
            cast, present = votes(case, judged(case, _scorer(values, bench, case)))
            scores = [
                quality(case, cast, present, s).mean() for s in (WITHOUT, ALONE, WITH, STRONG)
            ]
            cells.append(f"{case.name}/{use} " + " ".join(f"{value:.4f}" for value in scores))
    cells.append("answers " + " ".join(f"{value:.3f}" for value in _answers(values, bench)))
    print(f"{name}: " + " | ".join(cells), flush=True)


def _scorer(values: Mapping[str, Tensor], bench: Workbench, case: Case) -> Scorer:
    place = [pool.name for pool in bench.pools].index(case.name)
    starts = bench.question_offsets[place], bench.passage_offsets[place]
    made = torch.tensor([q.heading_made for q in case.pool.questions], device=case.rows.device)

    def scorer(asked: Tensor, told: Tensor) -> Tensor:
        found: list[Tensor] = []
        with torch.no_grad():
            for some, others in zip(asked.split(4096), told.split(4096), strict=True):
                shown = torch.where(made[some], tokens.PARENTS, tokens.FULL)
                found.append(
                    score(values, bench, some + starts[0], others + starts[1], shown, parts=8)
                )
        return torch.cat(found)[:, 0]

    return scorer


def _answers(values: Mapping[str, Tensor], bench: Workbench) -> tuple[float, float]:
    """AUROC of both logits on the held answer pairs."""
    use = [number for number, pair in enumerate(bench.pairs) if pair.held]
    labels = np.array([bench.pairs[number].answered for number in use])
    rows = torch.tensor(use, device=bench.titled.device)
    with torch.no_grad():
        found = score(
            values,
            bench,
            rows + bench.pair_offsets[0],
            rows + bench.pair_offsets[1],
            torch.full_like(rows, tokens.FULL),
        )
    both = found.cpu().numpy()
    return auroc(both[:, 0], labels), auroc(both[:, 1], labels)
