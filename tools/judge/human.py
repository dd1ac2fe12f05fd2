"""Pools of the human question sets: `train/*.pairs.jsonl.gz`."""

import gzip
import json
import random
from pathlib import Path
from typing import Any

from judge.record import Passage, Pool, Question
from judge.sections import WINDOW_CHARACTERS

HELD_PROJECTS = frozenset(
    {
        "cloudflare+cloudflare-docs",
        "docker+docs",
        "prometheus+docs",
        "JetBrains+kotlin-web-site",
        "argoproj+argo-cd",
    }
)
"""Projects whose questions choose between models and never train."""


class _Shelf:
    """Collects passages; the same text is stored once, and a known title wins over none."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self.passages: list[Passage] = []

    def put(self, text: str, title: str | None) -> int:
        """The place of a passage in the pool."""
        shown = text[:WINDOW_CHARACTERS]
        place = self._places.setdefault(shown, len(self.passages))
        passage = Passage(page=title or f"?{place}", title=title, headings=(), text=shown)
        if place == len(self.passages):
            self.passages.append(passage)
        elif title is not None and self.passages[place].title is None:
            self.passages[place] = passage
        return place


def rows(path: Path) -> list[dict[str, Any]]:
    """The lines of a compressed JSON lines file."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def documentation(data: Path) -> list[Pool]:
    """Two pools of the documentation questions: projects to train on, projects kept aside.

    The second holds the titled passages of all projects, so that the search in it is not too easy.
    """
    found = rows(data / "train" / "docfaq.pairs.jsonl.gz")
    train, held = _Shelf(), _Shelf()
    asked = []
    for row in found:
        if row["repo"] not in HELD_PROJECTS:
            gold = train.put(row["positive"], row["positive_title"])
            near = tuple(train.put(text, None) for text in row["negatives"])
            asked.append(Question(text=row["question"], gold=(gold,), near=near))
    kept = []
    for row in found:
        gold = held.put(row["positive"], row["positive_title"])
        if row["repo"] in HELD_PROJECTS:
            kept.append(Question(text=row["question"], gold=(gold,), use="held"))
    return [
        Pool(name="docfaq", passages=tuple(train.passages), questions=tuple(asked), weight=2.0),
        Pool(name="docfaq-held", passages=tuple(held.passages), questions=tuple(kept), weight=0.0),
    ]


def pool(
    data: Path,
    name: str,
    *,
    limit: int | None,
    weight: float,
    draw: random.Random,
    use: str = "train",
    same_page_only: bool = False,
) -> Pool:
    """A set as a pool; `limit` caps its questions, never its passages' variety of pages."""
    found = rows(data / "train" / f"{name}.pairs.jsonl.gz")
    draw.shuffle(found)
    shelf = _Shelf()
    questions = []
    for row in found[:limit]:
        gold = shelf.put(row["positive"], row["positive_title"])
        near = tuple(shelf.put(text, None) for text in row["negatives"])
        questions.append(
            Question(
                text=_words(row, draw),
                gold=(gold,),
                near=near if use == "train" else (),
                use=use,
                same_page_only=same_page_only,
            )
        )
    return Pool(
        name=name, passages=tuple(shelf.passages), questions=tuple(questions), weight=weight
    )


def _words(row: dict[str, Any], draw: random.Random) -> str:
    """The question; where its author wrote a body, now and then with the body's beginning."""
    body = row.get("question_body")
    if body and draw.random() < 0.3:
        return f"{row['question']} {body[:240]}"
    return str(row["question"])
