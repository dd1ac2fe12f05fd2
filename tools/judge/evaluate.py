# pyright: reportMissingImports=false
# mypy: disable-error-code="import-not-found"
"""Measures finished ONNX judges as a vote in the mix, pair by pair, as the product runs them.

PYTHONPATH=tools python3 -m judge.evaluate --pools FOLDER --encoder encoder.npz
    --vocabulary vocab.txt --uses held report --models judge.int8.onnx --into votes.npz
"""

import argparse
import multiprocessing
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import torch

from judge import tokens, weights
from judge.measure import ALONE, STRONG, WITH, WITHOUT, Case, quality, votes
from judge.mine import TOP
from judge.scoring import on_device
from judge.weights import Array
from judge.workbench import Workbench, open_workbench

Pair = tuple[Array, Array]
"""Ids and types of one pair, without padding."""


def main() -> None:
    """Print a row for each model and collection; write votes and gains for a closer look."""
    options = _options()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    encoder = on_device(weights.unpack(options.encoder), device)
    bench = open_workbench(options.pools, options.vocabulary, encoder, device)
    cases = [(use, case) for use in options.uses for case in bench.cases(use)]
    pairs = [_pairs(bench, case) for _, case in cases]
    kept: dict[str, Array] = {}
    for model in options.models:
        found = scores(model, [pair for part in pairs for pair in part])
        ends = np.cumsum([len(part) for part in pairs])
        for (use, case), part in zip(cases, np.split(found, ends[:-1]), strict=True):
            kept |= _measure(f"{case.name}/{use}/{model.stem}", case, part)
    np.savez_compressed(options.into, allow_pickle=False, **kept)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("pools", "encoder", "vocabulary", "into"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--uses", nargs="+", required=True)
    parser.add_argument("--models", nargs="+", type=Path, required=True)
    return parser.parse_args()


def _measure(name: str, case: Case, logits: Array) -> dict[str, Array]:
    """Print the nDCG@10 without a judge, of the judge alone, and of two mixes with it."""
    both = torch.tensor(logits, device=case.rows.device).view(len(case.rows), TOP, 2)
    cast, present = votes(case, both[..., 0])
    gains = [quality(case, cast, present, shares) for shares in (WITHOUT, ALONE, WITH, STRONG)]
    print(name, " ".join(f"{gain.mean():.4f}" for gain in gains), flush=True)
    numbers = case.candidates.numbers[case.rows, :TOP].cpu().numpy()
    return {
        f"{name}/votes": cast.cpu().numpy(),
        f"{name}/logits": both.cpu().numpy(),
        f"{name}/numbers": numbers,
        f"{name}/right": _right(case, numbers),
        f"{name}/gains": np.stack(gains),
    }


def _right(case: Case, numbers: Array) -> Array:
    """Whether each candidate is gold, or of a gold page where pages are gold."""
    marks = np.zeros(numbers.shape, bool)
    for row, question in enumerate(case.rows.tolist()):
        asked = case.pool.questions[question]
        pages = (
            {case.pool.passages[gold].page for gold in asked.gold} if asked.page_level else set()
        )
        for place, number in enumerate(numbers[row].tolist()):
            page = case.pool.passages[max(number, 0)].page
            marks[row, place] = number >= 0 and (number in asked.gold or page in pages)
    return marks


def _pairs(bench: Workbench, case: Case) -> list[Pair]:
    """All candidates of a case as the judge reads them; absent ones repeat the pool's first."""
    place = [pool.name for pool in bench.pools].index(case.name)
    told = case.candidates.numbers[case.rows, :TOP].clamp(min=0)
    asked = case.rows[:, None].expand_as(told)
    made = torch.tensor([q.heading_made for q in case.pool.questions], device=case.rows.device)
    shown = torch.where(made[asked], tokens.PARENTS, tokens.FULL)
    found: list[Pair] = []
    columns = zip(*(part.reshape(-1).split(4096) for part in (asked, told, shown)), strict=True)
    for some, others, kinds in columns:
        ids, mask, types = tokens.pairs(
            bench.questions,
            bench.prefixes,
            bench.texts,
            asked=some + bench.question_offsets[place],
            told=others + bench.passage_offsets[place],
            shown=kinds,
        )
        lengths = mask.sum(1).tolist()
        rows = zip(ids.cpu().numpy(), types.cpu().numpy(), lengths, strict=True)
        found += [(pieces[:length], kind[:length]) for pieces, kind, length in rows]
    return found


def scores(model: Path, pairs: Sequence[Pair]) -> Array:
    """Logits [pairs, 2], each pair scored alone, on all cores."""
    parts = [pairs[start : start + 256] for start in range(0, len(pairs), 256)]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count(), context, _open, (model,)) as workers:
        return np.concatenate(list(workers.map(_score, parts)))


_session: list[Any] = []


def _open(model: Path) -> None:
    """One session a process."""
    import onnxruntime  # noqa: PLC0415 - in the workers only

    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = 1
    _session[:] = [onnxruntime.InferenceSession(str(model), settings)]


def _score(pairs: Sequence[Pair]) -> Array:
    found = []
    for ids, types in pairs:
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": types}
        found.append(_session[0].run(None, {name: value[None] for name, value in feed.items()})[0])
    return np.concatenate(found)


if __name__ == "__main__":
    main()
