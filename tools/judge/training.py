# pyright: reportMissingImports=false
# mypy: disable-error-code="import-not-found"
"""One training run: lists and answer pairs in, the mean of the last weights out."""

from collections.abc import Iterator, Mapping

import torch
from torch.nn import functional as f

from judge import tokens, weights
from judge.lists import Drawer, Lists
from judge.network import Tensor
from judge.recipe import Recipe, optimizer
from judge.scoring import on_device, score
from judge.weights import Weights
from judge.workbench import Workbench


def train(recipe: Recipe, start: Weights, bench: Workbench, device: str) -> Weights:
    """The weights after a run; the mean over its last tenth of steps."""
    torch.manual_seed(recipe.seed)
    values = on_device(weights.with_new_head(start, recipe.seed), device)
    for value in values.values():
        value.requires_grad_()
    drawer = Drawer(bench, without=frozenset(recipe.without), seed=recipe.seed)
    steps = recipe.limit or int(len(drawer) * recipe.epochs / recipe.lists)
    updates, schedule = optimizer(recipe, values, steps)
    batches = _batches(drawer, recipe.lists)
    pairs = PairDrawer(bench, recipe.seed)
    tail = max(1, steps // 10)
    mean = {name: torch.zeros_like(value) for name, value in values.items()}
    for step in range(steps):
        loss = _loss(recipe, values, bench, drawer.draw(next(batches), recipe.negatives), pairs)
        updates.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(list(values.values()), 1.0)
        updates.step()
        schedule.step()
        if step % 200 == 0:
            print(f"  {recipe.name} {step}/{steps} loss {float(loss.detach()):.3f}", flush=True)
        if step >= steps - tail:
            _add(mean, values, 1 / tail)
    return {name: value.cpu().numpy() for name, value in mean.items()}


def _add(total: dict[str, Tensor], values: Mapping[str, Tensor], share: float) -> None:
    with torch.no_grad():
        for name, value in values.items():
            total[name] += value * share


def _batches(drawer: Drawer, size: int) -> Iterator[Tensor]:
    while True:
        for rows in drawer.epoch().split(size):
            if len(rows) == size:
                yield rows


class PairDrawer:
    """Draws answer pairs that are not held."""

    def __init__(self, bench: Workbench, seed: int) -> None:
        device = bench.titled.device
        self._generator = torch.Generator(device=device).manual_seed(seed + 1000)
        use = [number for number, pair in enumerate(bench.pairs) if not pair.held]
        self._numbers = torch.tensor(use, device=device)
        self._answered = torch.tensor([bench.pairs[n].answered for n in use], device=device).float()

    def draw(self, count: int) -> tuple[Tensor, Tensor]:
        """Pair numbers and labels."""
        size = len(self._numbers)
        rows = torch.randint(
            0, size, (count,), generator=self._generator, device=self._numbers.device
        )
        return self._numbers[rows], self._answered[rows]


def _loss(
    recipe: Recipe, values: Mapping[str, Tensor], bench: Workbench, lists: Lists, pairs: PairDrawer
) -> Tensor:
    numbers, answered = pairs.draw(recipe.pairs)
    asked = torch.cat([lists.asked.reshape(-1), numbers + bench.pair_offsets[0]])
    told = torch.cat([lists.told.reshape(-1), numbers + bench.pair_offsets[1]])
    shown = torch.cat([lists.shown.reshape(-1), torch.full_like(numbers, tokens.FULL)])
    found = score(values, bench, asked, told, shown, dropout=recipe.dropout)
    listed, paired = found[: -recipe.pairs].view(*lists.told.shape, 2), found[-recipe.pairs :]
    first = torch.zeros(len(listed), dtype=torch.int64, device=listed.device)
    mixed = listed[..., 0] + recipe.lane_scale * lists.lanes
    return (
        recipe.plain * f.cross_entropy(listed[..., 0], first)
        + (1 - recipe.plain) * f.cross_entropy(mixed, first)
        + recipe.relevance_weight * _first_is_right(listed[..., 0])
        + recipe.answer_weight * _first_is_right(listed[..., 1])
        + recipe.pair_weight * f.binary_cross_entropy_with_logits(paired[:, 1], answered)
    )


def _first_is_right(logits: Tensor) -> Tensor:
    """Each entry alone: the first of a list is right, the others are wrong."""
    gold = torch.zeros_like(logits)
    gold[:, 0] = 1
    heavy = torch.tensor(3.0, device=gold.device)
    return f.binary_cross_entropy_with_logits(logits, gold, pos_weight=heavy)
