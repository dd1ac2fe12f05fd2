# pyright: reportMissingImports=false
# mypy: disable-error-code="import-not-found"
"""One training run: pairs in, the mean of the last weights out."""

from pathlib import Path

import torch

from judge import weights
from verifier.batches import Batch
from verifier.bench import Bench
from verifier.epochs import epochs
from verifier.measure import measure
from verifier.models import Learner, learner
from verifier.network import Tensor, loss
from verifier.recipe import Run, optimizer


def train(run: Run, bench: Bench, into: Path, limit: int) -> None:
    """Train one model, measure it on what it did not see, write it where the plan says so.

    A run that holds nothing out is measured on a few quotes that it has seen, as a sign of life.
    """
    torch.manual_seed(run.seed)
    quotes, held = bench.quotes(run)
    learns = learner(run, bench)
    course: Course | None = None
    for batches in epochs(run, bench, quotes, limit):
        course = course or Course(run, learns, len(batches) * run.epochs)
        for batch in batches:
            course.follow(_loss(run, bench, learns, batch))
    if course:
        course.finish()
    shown = (held or quotes[:200])[: limit or None]
    measure(run, learns.model, bench, shown, into=into)
    if run.write:
        values = {name: one.detach().float().cpu().numpy() for name, one in learns.values.items()}
        weights.pack(into / f"{run.name}.npz", values)


class Course:
    """Updates for about so many steps; keeps the mean of the weights over the last tenth."""

    def __init__(self, run: Run, learns: Learner, steps: int) -> None:
        self._name = run.name
        self._values = learns.values
        self._moved = [one for part in learns.parts for one in part]
        self._updates, self._schedule = optimizer(run, learns.parts, steps)
        self._step, self._mean_from = 0, steps - max(1, steps // 10)
        self._counted = 0
        self._total = {name: torch.zeros_like(value) for name, value in self._values.items()}

    def follow(self, loss: Tensor) -> None:
        """Make one step."""
        self._updates.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._moved, 1.0)
        self._updates.step()
        self._schedule.step()
        if self._step % 300 == 0:
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


def _loss(run: Run, bench: Bench, learns: Learner, batch: Batch) -> Tensor:
    fast = bench.device == "cuda"
    with torch.autocast(bench.device, torch.bfloat16, enabled=fast):
        logits = learns.model(batch, run.dropout).float()
    return loss(logits, batch, rank=run.rank)
