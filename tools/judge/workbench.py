# pyright: reportMissingImports=false
# mypy: disable-error-code="import-not-found"
"""Everything that training reads, on the device: word pieces, candidates, answer pairs."""

from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import torch

from judge import network, tokens
from judge.lexical import Postings, postings
from judge.measure import Case
from judge.mine import Candidates, mine
from judge.network import Tensor
from judge.record import AnswerPair, Passage, Pool, load_pairs, load_pool
from judge.tokens import Pieces, Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Workbench:
    """Pools one after the other: a pool's questions and passages start at its offsets."""

    pools: tuple[Pool, ...]
    candidates: tuple[Candidates, ...]
    question_offsets: tuple[int, ...]
    passage_offsets: tuple[int, ...]
    questions: Table
    prefixes: Table
    texts: Table
    pairs: tuple[AnswerPair, ...]
    pair_offsets: tuple[int, int]
    """Where the answer pairs' questions and passages begin in the tables."""
    titled: Tensor
    """Whether a passage's title is known [passages]."""

    def cases(self, use: str) -> list[Case]:
        """The questions of a use, pool by pool."""
        found = []
        for pool, candidates in zip(self.pools, self.candidates, strict=True):
            rows = [number for number, question in enumerate(pool.questions) if question.use == use]
            if rows:
                places = torch.tensor(rows, device=self.titled.device)
                found.append(Case(name=pool.name, pool=pool, rows=places, candidates=candidates))
        return found


def open_workbench(
    folder: Path, vocabulary: Path, encoder: Mapping[str, Tensor], device: str
) -> Workbench:
    """Read the prepared pools, cut them into pieces, embed and mine them."""
    files = sorted(folder.glob("*.pool.xz"))
    with ProcessPoolExecutor() as workers:
        loaded = list(workers.map(_load, files))
    pools = tuple(pool for pool, _ in loaded)
    pairs = tuple(load_pairs(folder / "pairs.xz"))
    pieces = Pieces(vocabulary)
    extra = [Passage(page="", title=pair.title, headings=(), text=pair.text) for pair in pairs]
    every = [*(passage for pool in pools for passage in pool.passages), *extra]
    asked = [
        *(q.text for pool in pools for q in pool.questions),
        *(pair.question for pair in pairs),
    ]
    questions = pieces.table(asked, tokens.QUESTION).to(device)
    prefixes = pieces.prefixes(every).to(device)
    texts = pieces.table([passage.text for passage in every], tokens.TEXT).to(device)
    passage_offsets = _offsets([len(pool.passages) for pool in pools])
    question_offsets = _offsets([len(pool.questions) for pool in pools])
    candidates = []
    for number, (pool, found) in enumerate(loaded):
        told = torch.arange(len(pool.passages), device=device) + passage_offsets[number]
        rows = torch.arange(len(pool.questions), device=device) + question_offsets[number]
        vectors = _embed_passages(encoder, prefixes, texts, told)
        candidates.append(mine(pool, found, vectors, _embed_questions(encoder, questions, rows)))
    return Workbench(
        pools=pools,
        candidates=tuple(candidates),
        question_offsets=question_offsets[:-1],
        passage_offsets=passage_offsets[:-1],
        questions=questions,
        prefixes=prefixes,
        texts=texts,
        pairs=pairs,
        pair_offsets=(question_offsets[-1], passage_offsets[-1]),
        titled=torch.tensor([bool(passage.title) for passage in every], device=device),
    )


def _load(path: Path) -> tuple[Pool, Postings]:
    pool = load_pool(path)
    return pool, postings(pool)


def _offsets(sizes: list[int]) -> tuple[int, ...]:
    offsets = [0]
    for size in sizes:
        offsets.append(offsets[-1] + size)
    return tuple(offsets)


def _embed_passages(
    encoder: Mapping[str, Tensor], prefixes: Table, texts: Table, told: Tensor
) -> Tensor:
    """Vectors of `path text`, cut at 256 pieces as the sentence encoder expects."""
    empty = Table(
        pieces=torch.zeros(1, 1, dtype=torch.int16, device=told.device),
        lengths=torch.zeros(1, dtype=torch.int64, device=told.device),
    )
    vectors = []
    for part in told.split(512):
        zero = torch.zeros_like(part)
        ids, mask, _ = tokens.pairs(
            empty, prefixes, texts, asked=zero, told=part, shown=zero + tokens.FULL
        )
        # without a question the pair begins [CLS][SEP]: the second piece is dropped
        ids = torch.cat([ids[:, :1], ids[:, 2:]], 1)[:, :256]
        vectors.append(_vectors(encoder, ids, mask[:, 1:][:, :256]))
    return torch.cat(vectors)


def _embed_questions(encoder: Mapping[str, Tensor], questions: Table, rows: Tensor) -> Tensor:
    vectors = []
    for part in rows.split(2048):
        lengths = questions.lengths[part]
        ids = questions.pieces[part].long()
        ids = torch.nn.functional.pad(ids, (1, 1))
        ids[:, 0] = tokens.FIRST
        ids.scatter_(1, (lengths + 1)[:, None], tokens.BETWEEN)
        mask = torch.arange(ids.shape[1], device=ids.device)[None] < (lengths + 2)[:, None]
        vectors.append(_vectors(encoder, ids, mask.long()))
    return torch.cat(vectors)


def _vectors(encoder: Mapping[str, Tensor], ids: Tensor, mask: Tensor) -> Tensor:
    with torch.no_grad(), torch.autocast(ids.device.type, torch.bfloat16, enabled=ids.is_cuda):
        return network.embed(encoder, ids, mask)
