# pyright: reportMissingImports=false
# mypy: disable-error-code="import-not-found"
"""One training run: pairs in, the mean of the last weights out."""

from pathlib import Path

import torch

from judge import weights
from verifier.batches import Batch
from verifier.bench import Bench
from verifier.course import Course
from verifier.epochs import epochs
from verifier.measure import measure
from verifier.models import Learner, learner
from verifier.network import Tensor, loss
from verifier.recipe import Run


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


def _loss(run: Run, bench: Bench, learns: Learner, batch: Batch) -> Tensor:
    fast = bench.device == "cuda"
    with torch.autocast(bench.device, torch.bfloat16, enabled=fast):
        logits = learns.model(batch, run.dropout).float()
    return loss(logits, batch, rank=run.rank)
