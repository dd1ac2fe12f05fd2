# pyright: reportMissingImports=false
# mypy: disable-error-code="import-not-found"
"""Batches of pairs in word pieces: statements of one quote stay together, lengths are similar."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

import numpy as np
import torch

from verifier.pairs import Pair

LONGEST = 256
TOKENS = 16_384
SORTED = 6_000
"""So many clusters are sorted by length at a time: batches stay mixed, padding stays small."""

Encoded = tuple[list[int], int]
"""Word pieces, and where the second part begins."""


class Batch(NamedTuple):
    """Pairs in word pieces; `groups` numbers the quote of each, -1 for a pair of its own."""

    ids: Any
    mask: Any
    types: Any
    labels: Any
    groups: Any


class Pieces:
    """Cuts pairs into word pieces with a tokenizer, the longer part first."""

    def __init__(self, tokenizer: Any, *, pad: int = 0) -> None:
        self._tokenizer = tokenizer
        self._tokenizer.no_padding()  # published tokenizers pad to a fixed length
        self._tokenizer.enable_truncation(LONGEST, strategy="longest_first")
        self._pad = pad
        self._end = tokenizer.token_to_id("</s>") or tokenizer.token_to_id("[SEP]")

    def encode(self, pairs: Sequence[Pair]) -> list[Encoded]:
        """Return the pieces of each pair, and the place after the first mark between its parts."""
        found = self._tokenizer.encode_batch([(one.statement, one.premise) for one in pairs])
        return [(one.ids, one.ids.index(self._end) + 1) for one in found]

    def batch(
        self,
        encoded: Sequence[Encoded],
        pairs: Sequence[Pair],
        device: str,
        groups: Sequence[int] = (),
    ) -> Batch:
        """Return padded tensors."""
        ids = np.full((len(pairs), max(len(row) for row, _ in encoded)), self._pad)
        mask, types = np.zeros_like(ids), np.zeros_like(ids)
        for at, (row, second) in enumerate(encoded):
            ids[at, : len(row)] = row
            mask[at, : len(row)] = 1
            types[at, second : len(row)] = 1
        labels = [one.label for one in pairs]
        parts = (ids, mask, types, labels, list(groups) or [-1] * len(pairs))
        return Batch(*(torch.as_tensor(part).to(device) for part in parts))


def packed(
    clusters: Sequence[Sequence[Pair]], pieces: Pieces, draw: Random, device: str
) -> Iterator[Batch]:
    """Yield clusters in batches of at most `TOKENS` word pieces, in random order."""
    flat = [pair for cluster in clusters for pair in cluster]
    encoded = pieces.encode(flat)
    packs = _packs(_rows(clusters, encoded))
    draw.shuffle(packs)
    for pack in packs:
        numbers = [n for group in pack for n in group]
        groups = [at if len(group) > 1 else -1 for at, group in enumerate(pack) for _ in group]
        pairs = [flat[n] for n in numbers]
        yield pieces.batch([encoded[n] for n in numbers], pairs, device, groups)


def _rows(
    clusters: Sequence[Sequence[Pair]], encoded: Sequence[Encoded]
) -> list[tuple[int, list[int]]]:
    """Return the longest pair and the places of the pairs of each cluster."""
    rows: list[tuple[int, list[int]]] = []
    at = 0
    for cluster in clusters:
        numbers = list(range(at, at + len(cluster)))
        rows.append((max(len(encoded[n][0]) for n in numbers), numbers))
        at += len(cluster)
    return rows


def _packs(rows: Sequence[tuple[int, list[int]]]) -> list[list[list[int]]]:
    """Return clusters of similar length together, as many as fit in a batch."""
    packs: list[list[list[int]]] = []
    for start in range(0, len(rows), SORTED):
        now: list[list[int]] = []
        count = 0
        for width, numbers in sorted(rows[start : start + SORTED]):
            if now and (count + len(numbers)) * width > TOKENS:
                packs.append(now)
                now, count = [], 0
            now.append(numbers)
            count += len(numbers)
        packs.append(now)
    return packs
