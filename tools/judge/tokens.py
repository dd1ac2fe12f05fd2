# pyright: reportMissingImports=false
# mypy: disable-error-code="import-not-found"
"""Word pieces of passages, prefixes and questions in fixed-width tables, and pairs made of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import BertWordPieceTokenizer

from judge.network import Tensor
from judge.record import Passage
from judge.weights import Array

LONGEST = 288
TEXT = 280
PREFIX = 40
QUESTION = 64
FIRST, BETWEEN = 101, 102
NONE, TITLE, PARENTS, FULL = range(4)
"""What of a passage's path is shown before its text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of word pieces, padded with 0, and their lengths."""

    pieces: Tensor
    lengths: Tensor

    def to(self, device: str) -> "Table":
        """The same table on a device."""
        return Table(pieces=self.pieces.to(device), lengths=self.lengths.to(device))


def join(tables: Sequence[Table]) -> Table:
    """Tables of the same width, one after the other."""
    return Table(
        pieces=torch.cat([table.pieces for table in tables]),
        lengths=torch.cat([table.lengths for table in tables]),
    )


class Pieces:
    """Cuts texts into word pieces with a vocabulary file."""

    def __init__(self, vocabulary: Path) -> None:
        self._tokenizer: Any = BertWordPieceTokenizer(str(vocabulary), lowercase=True)

    def table(self, texts: Sequence[str], width: int) -> Table:
        """One row a text, cut at `width`."""
        pieces = np.zeros((len(texts), width), np.int16)
        lengths = np.zeros(len(texts), np.int64)
        encoded = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        for row, entry in enumerate(encoded):
            ids: Array = np.asarray(entry.ids[:width], np.int16)
            pieces[row, : len(ids)] = ids
            lengths[row] = len(ids)
        return Table(pieces=torch.from_numpy(pieces), lengths=torch.from_numpy(lengths))

    def prefixes(self, passages: Sequence[Passage]) -> Table:
        """Four rows a passage, for `NONE`, `TITLE`, `PARENTS` and `FULL`."""
        shown = []
        for passage in passages:
            path = [passage.title or "", *passage.headings]
            shown += ["", path[0], " > ".join(path[:-1] or path), " > ".join(path)]
        return self.table(shown, PREFIX)


def pairs(
    questions: Table, prefixes: Table, texts: Table, *, asked: Tensor, told: Tensor, shown: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Ids, mask and types of pairs, cut at `LONGEST`.

    A pair is given by a question's number, a passage's number and what of its path is shown.
    """
    head, path = 4 * told + shown, questions.lengths[asked]
    first, second, third = path, prefixes.lengths[head], texts.lengths[told]
    third = torch.minimum(third, LONGEST - 3 - first - second)
    total = first + second + third + 3
    place = torch.arange(int(total.max()), device=asked.device)[None]
    a, b = first[:, None], (first + second)[:, None]
    ids = _at(questions, asked, place - 1)
    ids = torch.where(place > a, _at(prefixes, head, place - 2 - a), ids)
    ids = torch.where(place > b + 1, _at(texts, told, place - 2 - b), ids)
    last = (total - 1)[:, None]
    ids = torch.where((place == a + 1) | (place == last), BETWEEN, ids)
    ids = torch.where(place == 0, FIRST, ids)
    mask = place <= last
    return ids * mask, mask.long(), ((place > a + 1) & mask).long()


def _at(table: Table, rows: Tensor, columns: Tensor) -> Tensor:
    inside = columns.clamp(0, table.pieces.shape[1] - 1).expand(len(rows), -1)
    return table.pieces[rows[:, None], inside].long()
