# pyright: reportMissingImports=false
# mypy: disable-error-code="import-not-found"
"""Candidates of every question: what the fused lanes find, and what else looks like gold."""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import torch

from judge.lexical import Postings
from judge.network import Tensor
from judge.record import Pool
from judge.weights import Array

TOP = 30
LANE = 100
FUSION = 60
EXTRA = 10
"""Candidates beside the fused ones: set against the gold by the source, or of the same page."""
SAME = 0.92
"""Cosine to the gold from which a passage counts as a copy of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """For each question of a pool [questions, TOP + EXTRA]; numbers count inside the pool."""

    numbers: Tensor
    """Passages; -1 where there is none. The first TOP are the fused list, best first."""
    lexical: Tensor
    cosine: Tensor
    boosted: Tensor
    """Fused score after the page-coverage boost; 0 outside of the fused list."""
    wrong: Tensor
    """Whether it can serve as a negative."""
    gold: Tensor
    """The gold passage that the lanes like best [questions]."""
    gold_lexical: Tensor
    gold_cosine: Tensor


def mine(
    pool: Pool, postings: Postings, passages: Tensor, questions: Tensor, *, batch: int = 256
) -> Candidates:
    """Search a pool with all of its questions; vectors are given, one row each."""
    device = passages.device
    matrix = _sparse(postings.passages, len(pool.passages), postings.terms, device)
    pages = _page_numbers(pool).to(device)
    extra, wrong = _marks(pool)
    parts = []
    for start in range(0, len(pool.questions), batch):
        stop = min(start + batch, len(pool.questions))
        asked = _dense_rows(postings, start, stop, device)
        lexical = torch.sparse.mm(matrix, asked.T).T
        cosine = questions[start:stop] @ passages.T
        parts.append(
            _one_batch(
                pool,
                (lexical, cosine),
                passages,
                pages=pages,
                extra=extra[start:stop].to(device),
                start=start,
            )
        )
    joined = {name: torch.cat([part[name] for part in parts]) for name in parts[0]}
    joined["wrong"] &= ~_excluded(joined["numbers"], wrong)
    return Candidates(**joined)


def _one_batch(
    pool: Pool,
    scores: tuple[Tensor, Tensor],
    passages: Tensor,
    *,
    pages: Tensor,
    extra: Tensor,
    start: int,
) -> dict[str, Tensor]:
    lexical, cosine = scores
    fused = _fuse(lexical, cosine)
    boosted = _boost(fused, pages)
    value, numbers = fused.topk(min(TOP, fused.shape[1]), -1)
    numbers = torch.nn.functional.pad(numbers, (0, TOP - numbers.shape[1]), value=0)
    value = torch.nn.functional.pad(value, (0, TOP - value.shape[1]))
    numbers = torch.cat([torch.where(value > 0, numbers, -1), extra], 1)
    inside = numbers.clamp(min=0)
    gold = _best_gold(pool, lexical, cosine, start)
    copies = (passages[inside] @ passages[gold][:, :, None]).squeeze(-1) > SAME
    listed = torch.arange(numbers.shape[1], device=numbers.device) < TOP
    return {
        "numbers": numbers,
        "lexical": lexical.gather(1, inside),
        "cosine": cosine.gather(1, inside),
        "boosted": boosted.gather(1, inside) * listed,
        "wrong": (numbers >= 0) & ~copies,
        "gold": gold,
        "gold_lexical": lexical.gather(1, gold[:, None])[:, 0],
        "gold_cosine": cosine.gather(1, gold[:, None])[:, 0],
    }


def _fuse(lexical: Tensor, cosine: Tensor) -> Tensor:
    """Reciprocal ranks of the two lanes, summed."""
    fused = torch.zeros_like(cosine)
    depth = min(LANE, cosine.shape[1])
    shares = 1 / (FUSION + 1 + torch.arange(depth, device=cosine.device, dtype=cosine.dtype))
    for lane in (lexical, cosine):
        value, numbers = lane.topk(depth, -1)
        fused.scatter_add_(1, numbers, shares * (value > 0))
    return fused


def _boost(fused: Tensor, pages: Tensor) -> Tensor:
    """Up to half more for passages of the page that has most of the fused mass."""
    mass = fused.new_zeros(len(fused), int(pages.max()) + 1)
    mass.scatter_add_(1, pages.expand_as(fused), fused)
    share = mass / mass.amax(1, keepdim=True).clamp(min=1e-9)
    return fused * (1 + 0.5 * share.gather(1, pages.expand_as(fused)))


def _best_gold(pool: Pool, lexical: Tensor, cosine: Tensor, start: int) -> Tensor:
    best = []
    for row in range(len(cosine)):
        gold = list(pool.questions[start + row].gold) or [0]
        score = cosine[row, gold] + lexical[row, gold] / lexical[row].max().clamp(min=1e-6)
        best.append(gold[int(score.argmax())])
    return torch.tensor(best, device=cosine.device)


def _marks(pool: Pool) -> tuple[Tensor, list[set[int]]]:
    """For each question: extra candidates, and the passages that are no negatives."""
    by_page: defaultdict[str, list[int]] = defaultdict(list)
    for number, passage in enumerate(pool.passages):
        by_page[passage.page].append(number)
    right: defaultdict[str, set[int]] = defaultdict(set)
    for question in pool.questions:
        right[question.text].update(question.gold)
    extra = torch.full((len(pool.questions), EXTRA), -1, dtype=torch.int64)
    wrong: list[set[int]] = []
    draw = np.random.default_rng(3)
    everything = set(range(len(pool.passages)))
    for row, question in enumerate(pool.questions):
        golds = right[question.text]
        mates = [
            m for gold in question.gold for m in by_page[pool.passages[gold].page] if m not in golds
        ]
        never = golds | set(mates) if question.page_level else golds
        wrong.append(everything - set(mates) if question.same_page_only else never)
        more = [] if question.page_level else mates
        picked = [*question.near, *draw.permutation(np.array(more, np.int64))][:EXTRA]
        extra[row, : len(picked)] = torch.tensor([int(number) for number in picked])
    return extra, wrong


def _excluded(numbers: Tensor, wrong: list[set[int]]) -> Tensor:
    listed = numbers.cpu().numpy()
    marks = [
        [int(number) in never for number in row] for row, never in zip(listed, wrong, strict=True)
    ]
    return torch.tensor(marks, device=numbers.device)


def _page_numbers(pool: Pool) -> Tensor:
    numbers: dict[str, int] = {}
    return torch.tensor([numbers.setdefault(p.page, len(numbers)) for p in pool.passages])


def _sparse(rows: tuple[Array, Array, Array], height: int, width: int, device: str) -> Tensor:
    starts, columns, values = (torch.from_numpy(array) for array in rows)
    return torch.sparse_csr_tensor(starts, columns, values, (height, width)).to(device)


def _dense_rows(postings: Postings, start: int, stop: int, device: str) -> Tensor:
    starts, columns, values = postings.questions
    rows = np.repeat(np.arange(stop - start), np.diff(starts[start : stop + 1]))
    inside = slice(starts[start], starts[stop])
    dense = torch.zeros(stop - start, postings.terms, device=device)
    place = (torch.from_numpy(rows).to(device), torch.from_numpy(columns[inside]).to(device))
    dense.index_put_(place, torch.from_numpy(values[inside]).to(device))
    return dense
