r"""Reads the units of the passages that are found for each question, with features and labels.

PYTHONPATH=tools:src python3 -m selector.collect --index FOLDER --questions SET.jsonl.gz \
    --into SET.npz
"""

import argparse
import re
from pathlib import Path
from typing import Any

import numpy as np

from tether.app.search import SearchParts, open_index
from tether.ask.citations.passage import Passage, Window
from tether.ask.evaluation.grades import is_page
from tether.ask.evidence import Citable
from tether.ask.library import IndexLibrary
from tether.ask.quoting.features import Features
from tether.retrieval.evaluation.dataset import read_rows
from tether.retrieval.query import Query

PASSAGES = 8
MOST = 100
LEAST_SHARED = 12
"""Characters that a unit and the written unit must share; shorter ones have to be equal."""

CLASSES = ("answerable", "near", "far")


def main() -> None:
    """Read questions and an index, write the features of their units."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--into", type=Path, required=True)
    arguments = parser.parse_args()
    collected = _Collected(arguments.index)
    for row in read_rows(arguments.questions, "question"):
        collected.add(row)
    np.savez_compressed(arguments.into, **collected.arrays())


class _Collected:
    """The units of all questions so far: one row each, in the order of the questions."""

    def __init__(self, folder: Path) -> None:
        snapshot = open_index(folder).snapshot()
        self._retriever = SearchParts.uncalibrated(snapshot, judged=0).retriever()
        self._library = IndexLibrary(snapshot, self._retriever)
        self._rows: list[dict[str, float]] = []
        self._facts: list[tuple[int, int, int, int, int]] = []
        self._must: list[int] = []
        self._classes: list[int] = []
        self._wanted: list[int] = []

    def add(self, row: dict[str, Any]) -> None:
        """Search for a question, and read the units of what is found."""
        hits = self._retriever.search(Query(question=row["question"]), limit=PASSAGES).hits
        evidence = Citable(self._library).add([hit.chunk for hit in hits], "first-party")
        passages = [Passage(item) for item in evidence]
        features = Features(row["question"], passages, most=MOST)
        documents = [passage.evidence.chunk.document for passage in passages]
        pages = [documents.index(name) for name in documents]
        for at, one in enumerate(features.candidates):
            passage = passages[one.passage]
            source = passage.source(one.unit.start, one.unit.end)
            reading = Window(passage, (one.unit,)).reading
            right = any(is_page(documents[one.passage], page) for page in row["pages"])
            said = _said(f"{reading}\n{source}", row["must"])
            wanted = right and (_is_written(source, row["units"]) or said == _all(row["must"]) > 0)
            self._rows.append(features.of(at))
            words = len(one.unit.text.split())
            self._facts.append((len(self._classes), pages[one.passage], words, right, wanted))
            self._must.append(said)
        self._classes.append(CLASSES.index(row["class"]))
        self._wanted.append(_all(row["must"]))

    def arrays(self) -> dict[str, Any]:
        """Return what was collected, one array for each kind."""
        names = list(self._rows[0])
        return {
            "names": np.array(names),
            "features": np.array([[row[name] for name in names] for row in self._rows]),
            "facts": np.array(self._facts),
            "said": np.array(self._must),
            "classes": np.array(self._classes),
            "wanted": np.array(self._wanted),
        }


def _said(text: str, must: list[str]) -> int:
    """Return which of the groups of strings a text has, as bits."""
    folded = text.casefold()
    groups = (any(one in folded for one in group.casefold().split("|")) for group in must)
    return sum(1 << at for at, found in enumerate(groups) if found)


def _all(must: list[str]) -> int:
    return (1 << len(must)) - 1


def _is_written(source: str, units: list[str]) -> bool:
    """Say whether a unit is one that a person wrote down as the answer, or a part of one."""
    plain = _plain(source)
    if len(plain) <= LEAST_SHARED:
        return bool(plain) and plain in map(_plain, units)
    return any(plain in one or one in plain for one in map(_plain, units))


def _plain(text: str) -> str:
    return re.sub(r"\W+", " ", text.casefold()).strip()


if __name__ == "__main__":
    main()
