"""Small corpora for measuring a ranking: every page with an answer, and random others beside it.

Embedding a whole manual takes minutes, so each set is cut to some pages and written in the layout
of `tether eval`. Figures of a cut set compare only with figures of the same cut.
"""

from __future__ import annotations

import gzip
import json
import tarfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from tether.retrieval.evaluation.dataset import LabelledQuestion, load_questions, read_rows

Row = dict[str, Any]


class Cut(NamedTuple):
    """A set to cut: its name, the sides that bring their pages, and the trees of its pages.

    Without trees the set has a corpus of its own. It is cut to `pages` pages, or to those with an
    answer if they are more; of a tuning side, each `every`-th question is used.
    """

    name: str
    sides: tuple[str, ...]
    pages: int
    every: int = 1
    trees: tuple[str, ...] = ()


SETS = (
    Cut("scifact", ("train", ""), pages=900, every=3),
    Cut("ray-docs", ("synthetic", ""), pages=240, every=8),
    Cut("docker", ("tune",), pages=300, trees=("docker",)),
    Cut("powershell-sql", ("tune",), pages=200, trees=("powershell", "sql")),
)


def write_subset(cut: Cut, shared: Path, folder: Path) -> Path:
    """Write a set below `folder`, cut, and return its folder.

    `shared` has `data` and `corpora`. A folder that is there already stays as it is.
    """
    target = folder / cut.name
    if (target / "corpus.jsonl.gz").exists():
        return target
    target.mkdir(parents=True)
    sides = {side: _questions(cut, side, shared / "data") for side in cut.sides}
    for side, questions in sides.items():
        _write_side(target, side, questions)
    right = {page for asked in sides.values() for one in asked for page in one.relevant}
    corpus = list(_corpus(cut, shared))
    _write_rows(target / "corpus.jsonl.gz", _chosen(corpus, right, cut.pages))
    return target


def _questions(cut: Cut, side: str, data: Path) -> Sequence[LabelledQuestion]:
    if not cut.trees:
        found = load_questions(data / cut.name, side=side)
        return found[:: cut.every] if side else found
    rows = read_rows(data / "questions" / f"{cut.name}.{side}.jsonl.gz", "question")
    return [
        LabelledQuestion(
            id=row["id"], text=row["question"], relevant=dict.fromkeys(row["pages"], 1)
        )
        for row in rows
        if row["class"] == "answerable" and not row["history"]
    ]


def _corpus(cut: Cut, shared: Path) -> Iterator[Row]:
    if not cut.trees:
        yield from read_rows(shared / "data" / cut.name / "corpus.jsonl.gz", "text")
    for tree in cut.trees:
        yield from _tree(shared / "corpora" / f"{tree}.tar.gz")


def _tree(path: Path) -> Iterator[Row]:
    with tarfile.open(path) as tree:
        for member in tree:
            opened = tree.extractfile(member) if member.name.endswith(".md") else None
            if opened is not None:
                yield {"id": member.name, "text": opened.read().decode("utf-8", "replace")}


def _chosen(corpus: Sequence[Row], right: set[str], pages: int) -> list[Row]:
    """Return the right pages and random others, in the order of the corpus."""
    others = [row["id"] for row in corpus if row["id"] not in right]
    more = min(max(0, pages - len(right)), len(others))
    kept = right | set(Random(0).sample(others, more))
    return [row for row in corpus if row["id"] in kept]


def _write_side(target: Path, side: str, questions: Sequence[LabelledQuestion]) -> None:
    ending = f"_{side}" if side else ""
    rows = ({"id": one.id, "text": one.text} for one in questions)
    _write_rows(target / f"queries{ending}.jsonl.gz", rows)
    labels = [
        f"{one.id}\t{page}\t{grade}\n" for one in questions for page, grade in one.relevant.items()
    ]
    text = "".join(["query-id\tcorpus-id\tscore\n", *labels])
    (target / f"qrels{ending}.tsv").write_text(text, encoding="utf-8")


def _write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
