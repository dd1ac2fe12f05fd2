# pyright: reportMissingImports=false
# mypy: disable-error-code="import-not-found"
"""Training lists: one gold and several negatives, drawn anew each time a question is seen."""

from dataclasses import dataclass

import torch

from judge import tokens
from judge.mine import TOP, Candidates
from judge.network import Tensor
from judge.record import Pool
from judge.workbench import Workbench

FAR = -3.0
"""The lanes' vote for a passage that they did not bring."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lists:
    """A batch: numbers count in the workbench's tables; the gold is the first of each list."""

    asked: Tensor
    told: Tensor
    shown: Tensor
    lanes: Tensor
    """What BM25 and cosine vote, as z-values of the fused list."""


class Drawer:
    """Draws lists from all training questions of a workbench, as often as their pools weigh."""

    def __init__(self, bench: Workbench, *, without: frozenset[str], seed: int) -> None:
        device = bench.titled.device
        self._generator = torch.Generator(device=device).manual_seed(seed)
        self._titled = bench.titled
        parts: dict[str, list[Tensor]] = {}
        for number, (pool, found) in enumerate(zip(bench.pools, bench.candidates, strict=True)):
            trains = any(question.use == "train" for question in pool.questions)
            if trains and pool.weight and pool.name not in without:
                start = (bench.question_offsets[number], bench.passage_offsets[number])
                for name, part in _columns(pool, found, *start).items():
                    parts.setdefault(name, []).append(part)
        self._columns = {name: torch.cat(part) for name, part in parts.items()}

    def __len__(self) -> int:
        """Lists in an epoch."""
        return int(self._columns["repeats"].sum())

    def epoch(self) -> Tensor:
        """Rows of an epoch in random order."""
        repeats = self._columns["repeats"]
        rows = torch.arange(len(repeats), device=repeats.device).repeat_interleave(repeats)
        return rows[torch.randperm(len(rows), generator=self._generator, device=rows.device)]

    def draw(self, rows: Tensor, negatives: int) -> Lists:
        """Lists of these rows; places that no negative fits are filled from the whole pool."""
        column = {name: part[rows] for name, part in self._columns.items()}
        shown = self._shown(column)
        fits = column["wrong"] & ((shown == tokens.NONE)[:, None] | self._titled[column["numbers"]])
        keys = torch.rand(fits.shape, generator=self._generator, device=fits.device)
        picked = keys.masked_fill(~fits, -1.0).topk(negatives, 1).indices
        chosen, good = column["numbers"].gather(1, picked), fits.gather(1, picked)
        size = column["size"][:, None].float()
        other = torch.rand(chosen.shape, generator=self._generator, device=fits.device) * size
        told = torch.where(good, chosen, column["first"][:, None] + other.long())
        lanes = torch.where(good, column["lanes"].gather(1, picked), FAR)
        told = torch.cat([column["gold"][:, None], told], 1)
        lanes = torch.cat([column["gold_lanes"][:, None], lanes], 1)
        return Lists(
            asked=column["asked"][:, None].expand_as(told),
            told=told,
            shown=shown[:, None].expand_as(told),
            lanes=lanes,
        )

    def _shown(self, column: dict[str, Tensor]) -> Tensor:
        """How much of the paths to show: by turns for headings, else mostly all of it."""
        size = column["gold"].shape
        turn = torch.randint(0, 4, size, generator=self._generator, device=column["gold"].device)
        people = torch.where(turn == 0, tokens.NONE, tokens.FULL)
        shown = torch.where(column["heading_made"], turn, people)
        return torch.where(self._titled[column["gold"]], shown, tokens.NONE)


def _columns(
    pool: Pool, found: Candidates, question_start: int, passage_start: int
) -> dict[str, Tensor]:
    """The training questions of a pool, one row each."""
    device = found.numbers.device
    use = [number for number, q in enumerate(pool.questions) if q.use == "train" and q.gold]
    rows = torch.tensor(use, device=device)
    present = found.numbers[rows, :TOP] >= 0
    lanes, gold_lanes = torch.zeros_like(found.cosine[rows]), torch.zeros(len(rows), device=device)
    for votes, gold in ((found.lexical, found.gold_lexical), (found.cosine, found.gold_cosine)):
        joined = torch.cat([votes[rows], gold[rows][:, None]], 1)
        z = _against(joined, present)
        lanes, gold_lanes = lanes + z[:, :-1] / 2, gold_lanes + z[:, -1] / 2
    count = len(rows)
    return {
        "asked": rows + question_start,
        "gold": found.gold[rows] + passage_start,
        "numbers": found.numbers[rows].clamp(min=0) + passage_start,
        "wrong": found.wrong[rows],
        "lanes": lanes,
        "gold_lanes": gold_lanes,
        "heading_made": torch.tensor([pool.questions[n].heading_made for n in use], device=device),
        "first": torch.full((count,), passage_start, device=device),
        "size": torch.full((count,), len(pool.passages), device=device),
        "repeats": torch.full((count,), int(pool.weight), device=device),
    }


def _against(values: Tensor, present: Tensor) -> Tensor:
    """z-values of all columns by the mean and spread of the fused list, kept within four."""
    top = values[:, :TOP]
    count = present.sum(1, keepdim=True).clamp(min=1)
    mean = (top * present).sum(1, keepdim=True) / count
    spread = (((top - mean) ** 2 * present).sum(1, keepdim=True) / count).sqrt()
    return ((values - mean) / spread.clamp(min=1e-6)).clamp(-4, 4)
