# pyright: reportMissingImports=false
# mypy: disable-error-code="import-not-found"
"""The judge as functions over named tensors: an encoder that reads question and passage at once.

The head sees the first token, the mean of the question's tokens, the mean of the passage's, their
product and distance, their cosine and the mean of each question token's best match in the passage.
"""

from collections.abc import Mapping
from typing import Any

import torch
from torch.nn import functional as f

from judge.weights import LAYERS, WIDTH

Tensor = Any
Parameters = Mapping[str, Tensor]

HEADS = 12
EPSILON = 1e-12


def hidden(
    weights: Parameters, ids: Tensor, mask: Tensor, types: Tensor, *, dropout: float = 0.0
) -> Tensor:
    """The encoder's last states [pairs, tokens, width]."""
    states = f.embedding(ids, weights["word"]) + weights["position"][: ids.shape[1]]
    states = states + f.embedding(types, weights["type"])
    states = _normal(states, weights, "norm")
    seen = mask[:, None, None, :].bool()
    for number in range(LAYERS):
        attended = f.dropout(_attend(states, weights, number, seen), dropout)
        states = _normal(states + attended, weights, f"{number}.norm1")
        inner = f.gelu(_linear(states, weights, f"{number}.up"))
        states = states + f.dropout(_linear(inner, weights, f"{number}.down"), dropout)
        states = _normal(states, weights, f"{number}.norm2")
    return states


def logits(
    weights: Parameters, ids: Tensor, mask: Tensor, types: Tensor, *, dropout: float = 0.0
) -> Tensor:
    """Relevance and "answers it" for each pair [pairs, 2], in float32."""
    states = hidden(weights, ids, mask, types, dropout=dropout).float()
    asked, told = mask.float() * (1 - types.float()), mask.float() * types.float()
    question, passage = _mean(states, asked), _mean(states, told)
    cosine = f.cosine_similarity(question, passage, dim=-1)[:, None]
    u, v = 8 * f.normalize(question, dim=-1), 8 * f.normalize(passage, dim=-1)
    best = _best_match(states, asked, told)
    seen = torch.cat([states[:, 0], u, v, u * v, (u - v).abs(), 4 * cosine, 4 * best], -1)
    inner = f.gelu(_linear(f.dropout(seen, dropout), weights, "head1"))
    return _linear(inner, weights, "head2").float()


def embed(weights: Parameters, ids: Tensor, mask: Tensor) -> Tensor:
    """Sentence vectors of length one, as the dense lane uses them."""
    states = hidden(weights, ids, mask, torch.zeros_like(ids)).float()
    return f.normalize(_mean(states, mask.float()), dim=-1)


def _attend(states: Tensor, weights: Parameters, number: int, seen: Tensor) -> Tensor:
    pairs, tokens, _ = states.shape
    mixed = _linear(states, weights, f"{number}.qkv").view(pairs, tokens, 3, HEADS, WIDTH // HEADS)
    query, key, value = mixed.permute(2, 0, 3, 1, 4)
    attended = f.scaled_dot_product_attention(query, key, value, attn_mask=seen)
    return _linear(attended.transpose(1, 2).reshape(pairs, tokens, WIDTH), weights, f"{number}.out")


def _best_match(states: Tensor, asked: Tensor, told: Tensor) -> Tensor:
    unit = f.normalize(states, dim=-1)
    match = torch.bmm(unit, unit.transpose(1, 2)).masked_fill(told[:, None, :] == 0, -1.0)
    best = match.amax(-1).float() * asked
    return best.sum(-1, keepdim=True) / asked.sum(-1, keepdim=True).clamp(min=1)


def _mean(states: Tensor, mask: Tensor) -> Tensor:
    return (states * mask[..., None]).sum(1) / mask.sum(1, keepdim=True).clamp(min=1)


def _linear(states: Tensor, weights: Parameters, name: str) -> Tensor:
    return f.linear(states, weights[f"{name}.weight"], weights[f"{name}.bias"])


def _normal(states: Tensor, weights: Parameters, name: str) -> Tensor:
    return f.layer_norm(
        states, (WIDTH,), weights[f"{name}.weight"], weights[f"{name}.bias"], EPSILON
    )
