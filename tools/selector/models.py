# pyright: reportMissingImports=false
# mypy: disable-error-code="import-not-found"
"""The models that learn: the judge as the student, and a large encoder as its teacher."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
import torch
from torch import nn
from transformers import MPNetConfig, MPNetModel

from judge import network as judge
from judge import weights as stored
from judge.network import Tensor
from selector.groups import LONGEST_UNIT, Ids
from verifier.network import Verifier

LONGEST_PAIR = 288
"""Word pieces of a question and a passage; of a question and a unit, `LONGEST_UNIT`."""

Pair = tuple[Ids, Ids]


class Marks(NamedTuple):
    """How a vocabulary writes a pair; `shift` is what it adds to BERT's numbers."""

    first: int
    between: Ids
    pad: int
    shift: int


BERT, MPNET = Marks(101, [102], 0, 0), Marks(0, [2, 2], 1, 4)


class Model(Protocol):
    """Reads questions and units."""

    device: str
    values: dict[str, Tensor]
    parts: list[list[Tensor]]
    """The parameters of the encoder, and those of the head."""

    def answers(self, pairs: Sequence[Pair], dropout: float) -> Tensor:
        """Return a logit for each pair: whether the unit answers the question."""
        ...


class Student:
    """The judge, from packed weights."""

    def __init__(self, path: Path, device: str) -> None:
        self.device = device
        start = stored.with_new_head(stored.unpack(path), 1)
        self.values = {name: torch.tensor(one, device=device) for name, one in start.items()}
        head = [one for name, one in self.values.items() if name.startswith("head")]
        body = [one for name, one in self.values.items() if not name.startswith("head")]
        self.parts = [body, head]
        for value in self.values.values():
            value.requires_grad_()

    def answers(self, pairs: Sequence[Pair], dropout: float) -> Tensor:
        """Return the second output, on units."""
        return self._logits(pairs, dropout, LONGEST_UNIT)[:, 1]

    def relevance(self, pairs: Sequence[Pair], dropout: float) -> Tensor:
        """Return the first output, on passages."""
        return self._logits(pairs, dropout, LONGEST_PAIR)[:, 0]

    def _logits(self, pairs: Sequence[Pair], dropout: float, longest: int) -> Tensor:
        batch = batched(pairs, BERT, longest, self.device)
        with torch.autocast(self.device, torch.bfloat16, enabled=self.device == "cuda"):
            return judge.logits(self.values, *batch, dropout=dropout).float()

    def write(self, path: Path) -> None:
        """Pack the weights."""
        plain = {name: one.detach().float().cpu().numpy() for name, one in self.values.items()}
        stored.pack(path, plain)


class Teacher:
    """all-mpnet-base-v2 with the verifier's head, one output instead of three."""

    def __init__(self, folder: Path, device: str, seed: int) -> None:
        torch.manual_seed(seed)
        self.device = device
        config = MPNetConfig(**json.loads((folder / "config.json").read_text()))
        encoder = MPNetModel(config, add_pooling_layer=False)
        start = stored.unpack(folder / "weights.npz")
        encoder.load_state_dict({name: torch.tensor(value) for name, value in start.items()})
        network = Verifier(encoder, config.hidden_size)
        network.second = nn.Linear(config.hidden_size, 1)
        self._network = network.to(device)
        self.values = dict(network.named_parameters())
        head = [*network.first.parameters(), *network.second.parameters()]
        self.parts = [list(encoder.parameters()), head]

    def answers(self, pairs: Sequence[Pair], dropout: float) -> Tensor:
        """Return the one output."""
        self._network.train(dropout > 0)
        batch = batched(pairs, MPNET, LONGEST_UNIT, self.device)
        with torch.autocast(self.device, torch.bfloat16, enabled=self.device == "cuda"):
            return self._network(*batch, dropout).float()[:, 0]


def batched(pairs: Sequence[Pair], marks: Marks, longest: int, device: str) -> list[Tensor]:
    """Return ids, mask and types of pairs, the second part cut at `longest`."""
    rows: list[tuple[list[int], list[int]]] = []
    for question, told in pairs:
        first = [marks.first, *(one + marks.shift for one in question), *marks.between]
        second = [one + marks.shift for one in told[: longest - len(first) - 1]]
        rows.append((first, [*second, marks.between[-1]]))
    shape = (len(rows), max(len(first) + len(second) for first, second in rows))
    ids, mask, types = np.full(shape, marks.pad), np.zeros(shape, int), np.zeros(shape, int)
    for at, (first, second) in enumerate(rows):
        end = len(first) + len(second)
        ids[at, :end] = [*first, *second]
        mask[at, :end] = 1
        types[at, len(first) : end] = 1
    return [torch.from_numpy(part).to(device) for part in (ids, mask, types)]
