"""Corpora with questions of people: pages, and for each question the pages that answer it."""

import gzip
import json
import random
import tarfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from tether.retrieval.evaluation.dataset import DatasetSource, load_questions
from tether.retrieval.floor.questions import GivenQuestion

TREES = {"docker": "docker", "powershell": "powershell-sql", "sql": "powershell-sql"}
"""The file of questions of each documentation tree."""

PAIRS = {"encyclopedia": "nq-oracle-qed", "covid": "covidqa-deepset"}
"""Sets of questions with their passages; the passages of all questions are the corpus."""

Row = dict[str, Any]
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page as its reader takes it; the ending of `name` selects the reader."""

    key: str
    name: str
    title: str
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """Pages and questions. `near` are on the subject and not answered by any page."""

    name: str
    pages: tuple[Page, ...]
    answerable: tuple[GivenQuestion, ...]
    near: tuple[str, ...] = ()

    def thinned(self, *, questions: int, pages: int, draw: random.Random) -> "Corpus":
        """Return a sample: some questions, all their pages, and random other pages."""
        asked = _sample(self.answerable, questions, draw)
        gold = {key for one in asked for key in one.documents}
        others = [page for page in self.pages if page.key not in gold]
        kept = gold | {page.key for page in _sample(others, max(0, pages - len(gold)), draw)}
        return Corpus(
            name=self.name,
            pages=tuple(page for page in self.pages if page.key in kept),
            answerable=tuple(asked),
            near=tuple(_sample(self.near, questions, draw)),
        )


def _sample(found: Iterable[Item], count: int, draw: random.Random) -> list[Item]:
    every = list(found)
    return draw.sample(every, min(count, len(every)))


def readers(data: Path, trees: Path) -> dict[str, Callable[[], Corpus]]:
    """Return a function for every corpus; only the sides for tuning are read."""
    found: dict[str, Callable[[], Corpus]] = {}
    for name, file in TREES.items():
        questions = data / "questions" / f"{file}.tune.jsonl.gz"
        found[name] = partial(_tree, name, trees / f"{name}.tar.gz", questions)
    found["ray"] = partial(_dataset, "ray", data / "ray-docs", "synthetic")
    found["scifact"] = partial(_dataset, "scifact", data / "scifact", "train")
    found["squad"] = partial(_squad, data / "squad2")
    for name, file in PAIRS.items():
        at = data / "train" / f"{file}.pairs.jsonl.gz"
        found[name] = partial(_pairs, name, at)
    return found


def _rows(path: Path) -> Iterator[Row]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines)


def _tree(name: str, archive: Path, questions: Path) -> Corpus:
    pages = []
    with tarfile.open(archive) as members:
        for member in members:
            file = members.extractfile(member) if member.name.endswith(".md") else None
            if file is not None:
                key = member.name
                pages.append(Page(key=key, name=key, title=Path(key).stem, data=file.read()))
    asked = [row for row in _rows(questions) if row["corpus"] == name and not row["history"]]
    known = {page.key for page in pages}
    return Corpus(
        name=name,
        pages=tuple(pages),
        answerable=tuple(
            GivenQuestion(text=row["question"], documents=frozenset(row["pages"]))
            for row in asked
            if row["class"] == "answerable" and known.issuperset(row["pages"])
        ),
        near=tuple(row["question"] for row in asked if row["class"] == "near"),
    )


def _pages(folder: Path) -> tuple[Page, ...]:
    return tuple(
        Page(key=item.key, name=item.name, title=item.title, data=item.load())
        for item in DatasetSource(folder=folder).scan()
    )


def _dataset(name: str, folder: Path, side: str) -> Corpus:
    return Corpus(
        name=name,
        pages=_pages(folder),
        answerable=tuple(
            GivenQuestion(text=one.text, documents=frozenset(one.relevant))
            for one in load_questions(folder, side=side)
        ),
    )


def _squad(folder: Path) -> Corpus:
    rows = list(_rows(folder / "qa.jsonl.gz"))
    return Corpus(
        name="squad",
        pages=_pages(folder),
        answerable=tuple(
            GivenQuestion(text=row["question"], documents=frozenset(row["context_ids"]))
            for row in rows
            if row["answerable"]
        ),
        near=tuple(row["question"] for row in rows if not row["answerable"]),
    )


def _pairs(name: str, path: Path) -> Corpus:
    texts: dict[str, Page] = {}
    asked = []
    for row in _rows(path):
        key = f"{len(texts)}.txt"
        data = row["positive"].encode()
        page = texts.setdefault(
            row["positive"], Page(key=key, name=key, title=row["positive_title"], data=data)
        )
        asked.append(GivenQuestion(text=row["question"], documents=frozenset({page.key})))
    return Corpus(name=name, pages=tuple(texts.values()), answerable=tuple(asked))
