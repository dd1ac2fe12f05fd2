r"""Searches for each question of a set, and writes what is found, with features and labels.

PYTHONPATH=tools:src python3 -m selector.collect --indexes FOLDER --questions SET.jsonl.gz \
    --into SETS
"""

import argparse
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from selector.records import CLASSES, ENDING, Found, Question, Unit, set_of, write
from tether.app.search import SearchParts, open_index
from tether.ask.citations.passage import Passage, Window
from tether.ask.evaluation.grades import is_page
from tether.ask.evidence import Citable
from tether.ask.library import IndexLibrary
from tether.ask.quoting.features import Features
from tether.ask.quoting.selection import MOST_UNITS, WEIGHTS
from tether.retrieval.evaluation.dataset import read_rows
from tether.retrieval.query import Query

PASSAGES = 12
MOST = MOST_UNITS // PASSAGES
LONGEST_PASSAGE = 1_800
LEAST_SHARED = 12
"""Characters that a unit and the written unit must share; shorter ones have to be equal."""

TREES: Mapping[str, str] = {"a": "ta", "b": "tb"}
"""The index of a set whose questions do not name one; others have the name of their set."""


def main() -> None:
    """Read questions and indexes, write the set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--indexes", type=Path, required=True, help="holds an index for each tree")
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--into", type=Path, required=True)
    parser.add_argument("--limit", type=int, help="so many questions: a quick try")
    options = parser.parse_args()
    options.into.mkdir(parents=True, exist_ok=True)
    name = set_of(options.questions)
    rows = list(read_rows(options.questions, "question"))[: options.limit]
    questions = list(_collected(rows, name, options.indexes))
    write(options.into / f"{name}{ENDING}", questions)
    counts = {kind: sum(one.kind == kind for one in questions) for kind in CLASSES}
    print(name, counts, "wanted found:", sum(one.has_wanted for one in questions))


def _collected(rows: list[dict[str, Any]], name: str, indexes: Path) -> Iterator[Question]:
    searches: dict[str, _Search] = {}
    for row in rows:
        tree = row.get("tree") or TREES.get(name, name)
        if tree not in searches:
            searches[tree] = _Search(indexes / tree)
        yield searches[tree].read(row)


class _Search:
    """One index, searched without a judge: by words, and by vectors where it has them."""

    def __init__(self, folder: Path) -> None:
        snapshot = open_index(folder).snapshot()
        self._retriever = SearchParts.uncalibrated(snapshot, "off").retriever()
        self._library = IndexLibrary(snapshot, self._retriever)

    def read(self, row: dict[str, Any]) -> Question:
        """Search for a question, and read the units of what is found."""
        hits = self._retriever.search(Query(question=row["question"]), limit=PASSAGES).hits
        evidence = Citable(self._library).add([hit.chunk for hit in hits], "first-party")
        passages = [Passage(item) for item in evidence]
        features = Features(row["question"], passages, most=MOST)
        return Question(
            id=row["id"],
            kind=row["class"],
            text=row["question"],
            must=_all(row["must"]),
            names=list(features.of(0)) if features.candidates else [],
            passages=[
                Found(hit.chunk.indexed[:LONGEST_PASSAGE], round(hit.score, 4)) for hit in hits
            ],
            units=list(_units(row, passages, features)),
        )


def _units(row: dict[str, Any], passages: list[Passage], features: Features) -> Iterator[Unit]:
    documents = [passage.evidence.chunk.document for passage in passages]
    for at, one in enumerate(features.candidates):
        passage, document = passages[one.passage], documents[one.passage]
        source = passage.source(one.unit.start, one.unit.end)
        window = Window(passage, (one.unit,))
        right = any(is_page(document, page) for page in row["pages"])
        said = _said(f"{window.reading}\n{source}", row["must"])
        values = features.of(at)
        yield Unit(
            text=window.premise,
            passage=one.passage,
            page=documents.index(document),
            words=len(one.unit.text.split()),
            is_right=right,
            said=said,
            is_wanted=right
            and (_is_written(source, row["units"]) or said == _all(row["must"]) > 0),
            coverage=round(features.coverage(at), 3),
            logit=round(_logit(values), 3),
            features=[round(value, 4) for value in values.values()],
        )


def _logit(features: Mapping[str, float]) -> float:
    weighed = (WEIGHTS.get(name, 0.0) * value for name, value in features.items())
    return WEIGHTS["constant"] + sum(weighed)


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
