# pyright: reportMissingImports=false
# mypy: disable-error-code="import-not-found"
"""Scores of quotes that a run did not see."""

import json
from collections.abc import Sequence
from pathlib import Path

import torch

from verifier.bench import Bench
from verifier.models import Model
from verifier.pairs import Pair, Quote, evaluated
from verifier.recipe import Run
from verifier.scores import collected, kept_at, told_apart

FALSE = (0.03, 0.06, 0.08, 0.1)
TOGETHER = 128


def measure(run: Run, model: Model, bench: Bench, held: Sequence[Quote], *, into: Path) -> None:
    """Print how well true and false statements are told apart; write every logit."""
    pairs = [pair for quote in held for pair in evaluated(quote)]
    quotes = [quote for quote in held for _ in quote.statements]
    rows = [
        {
            "quote": quote.id,
            "corpus": quote.corpus,
            "statement": pair.statement,
            "label": pair.label,
            "kind": pair.kind,
            "logits": logits,
        }
        for quote, pair, logits in zip(
            quotes, pairs, predicted(run, model, bench, pairs), strict=True
        )
    ]
    (into / f"scores-{run.name}.json").write_text(json.dumps(rows))
    scores = collected(rows)
    kept = "".join(f" | {kept_at(scores, one):.3f} of true at {one:.0%} false" for one in FALSE)
    print(f"{run.name}: auroc {told_apart(scores):.4f}{kept}", flush=True)


def predicted(run: Run, model: Model, bench: Bench, pairs: Sequence[Pair]) -> list[list[float]]:
    """Return the logits of pairs."""
    pieces, device = bench.pieces(run.encoder), bench.device
    encoded = pieces.encode(pairs)
    order = sorted(range(len(pairs)), key=lambda at: len(encoded[at][0]))
    found: dict[int, list[float]] = {}
    for start in range(0, len(order), TOGETHER):
        part = order[start : start + TOGETHER]
        batch = pieces.batch([encoded[at] for at in part], [pairs[at] for at in part], device)
        with torch.no_grad(), torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            found |= dict(zip(part, model(batch, 0.0).float().tolist(), strict=True))
    return [found[at] for at in range(len(pairs))]
