# pyright: reportMissingImports=false, reportUntypedBaseClass=false
# mypy: disable-error-code="import-not-found, misc"
"""The verifier's loss and score, and its network: a published encoder with a head of ours."""

from typing import Any

import torch
from torch import nn
from torch.nn import functional as f

from verifier.batches import Batch
from verifier.pairs import SUPPORTS, UNSUPPORTED

Tensor = Any


def score(logits: Tensor) -> Tensor:
    """Return how much more "supports" weighs than the other two together."""
    return logits[:, 0] - torch.logsumexp(logits[:, 1:], -1)


def loss(logits: Tensor, batch: Batch, *, rank: float) -> Tensor:
    """Return cross-entropy over three classes, with a rank loss between statements of one quote.

    Where the label only says "not supported", both other classes are right.
    """
    logs = f.log_softmax(logits, -1)
    exact = -logs.gather(1, batch.labels.clamp(max=2)[:, None])[:, 0]
    either = -torch.logsumexp(logs[:, 1:], -1)
    rows = torch.where(batch.labels == UNSUPPORTED, either, exact)
    return rows.mean() + rank * _ranked(score(logits), batch.labels, batch.groups)


def _ranked(scores: Tensor, labels: Tensor, groups: Tensor) -> Tensor:
    same = (groups[:, None] == groups[None, :]) & (groups[:, None] >= 0)
    pairs = same & (labels[:, None] == SUPPORTS) & (labels[None, :] != SUPPORTS)
    apart = f.softplus(-(scores[:, None] - scores[None, :]))
    return (apart * pairs.float()).sum() / pairs.sum().clamp(min=1)


class Verifier(nn.Module):
    """The head sees the first token, the means of both parts, their product and distance."""

    def __init__(self, encoder: Any, width: int) -> None:
        super().__init__()
        self.encoder = encoder
        self.first = nn.Linear(5 * width, width)
        self.second = nn.Linear(width, 3)

    def forward(self, ids: Tensor, mask: Tensor, types: Tensor, dropout: float = 0.0) -> Tensor:
        """Return three logits for each pair."""
        states = self.encoder(input_ids=ids, attention_mask=mask).last_hidden_state.float()
        one, two = _mean(states, mask * (1 - types)), _mean(states, mask * types)
        seen = torch.cat([states[:, 0], one, two, one * two, (one - two).abs()], -1)
        inner = f.gelu(self.first(f.dropout(seen, dropout, training=self.training)))
        return self.second(inner)


def _mean(states: Tensor, mask: Tensor) -> Tensor:
    weights = mask.float()
    return (states * weights[..., None]).sum(1) / weights.sum(1, keepdim=True).clamp(min=1)
