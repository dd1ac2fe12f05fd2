# pyright: reportMissingImports=false
# mypy: disable-error-code="import-not-found"
"""What a run trains: the large encoder with a new head, or the judge with a new last layer."""

import json
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import torch
from transformers import MPNetConfig, MPNetModel

from judge import network as judge
from judge import weights as stored
from verifier.batches import Batch
from verifier.bench import Bench
from verifier.network import Tensor, Verifier
from verifier.recipe import Run

Model = Callable[[Batch, float], Tensor]
"""A batch and a dropout to logits [pairs, 3]."""


class Learner(NamedTuple):
    """A model, its parameters (encoder, head), and all of them by name."""

    model: Model
    parts: Sequence[list[Tensor]]
    values: dict[str, Tensor]


def learner(run: Run, bench: Bench) -> Learner:
    """Return the model that a run starts from."""
    return _large(bench) if run.encoder == "large" else _small(bench, frozen=run.frozen)


def _large(bench: Bench) -> Learner:
    """Return all-mpnet-base-v2 with a new head."""
    folder = bench.data / "large"
    config = MPNetConfig(**json.loads((folder / "config.json").read_text()))
    encoder = MPNetModel(config, add_pooling_layer=False)
    network = Verifier(encoder, config.hidden_size)
    start = stored.unpack(folder / "weights.npz")
    encoder.load_state_dict({name: torch.tensor(value) for name, value in start.items()})
    network = network.to(bench.device)

    def model(batch: Batch, dropout: float) -> Tensor:
        network.train(dropout > 0)
        return network(batch.ids, batch.mask, batch.types, dropout)

    head = [*network.first.parameters(), *network.second.parameters()]
    return Learner(model, [list(encoder.parameters()), head], dict(network.named_parameters()))


def _small(bench: Bench, *, frozen: bool) -> Learner:
    """Return the judge with three outputs instead of two; frozen, only its head learns."""
    start = stored.unpack(bench.data / "judge.npz")
    last = np.random.default_rng(1).normal(0, 0.02, (3, stored.WIDTH)).astype(np.float32)
    start |= {"head2.weight": last, "head2.bias": np.zeros(3, np.float32)}
    values = {name: torch.tensor(value, device=bench.device) for name, value in start.items()}
    head = [value for name, value in values.items() if name.startswith("head")]
    body = [value for name, value in values.items() if not name.startswith("head")]
    for value in head if frozen else values.values():
        value.requires_grad_()

    def model(batch: Batch, dropout: float) -> Tensor:
        return judge.logits(values, batch.ids, batch.mask, batch.types, dropout=dropout)

    return Learner(model, [[] if frozen else body, head], values)
