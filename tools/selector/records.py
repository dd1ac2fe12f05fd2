"""What `selector.collect` writes of a set of questions: what a search finds, and its units."""

import gzip
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

ENDING = ".jsonl.gz"
ANSWERABLE, NEAR, FAR = CLASSES = ("answerable", "near", "far")


class Unit(NamedTuple):
    """A unit of a passage that was found, with its label."""

    text: str
    """As the judge reads it."""
    passage: int
    page: int
    """The first passage of its page."""
    words: int
    is_right: bool
    """Whether its page is one that answers."""
    said: int
    """Which of the strings that an answer must have it has, as bits."""
    is_wanted: bool
    coverage: float
    logit: float
    """By the features and the weights of the product, as they were at that time."""
    features: list[float]


class Found(NamedTuple):
    """A passage as the judge reads it, and its score in the search."""

    text: str
    score: float


class Question(NamedTuple):
    """A question with what was found for it; `must` are all bits that `Unit.said` can have."""

    id: str
    kind: str
    """One of `CLASSES`."""
    text: str
    must: int
    names: list[str]
    """The names of the features."""
    passages: list[Found]
    units: list[Unit]

    @property
    def has_wanted(self) -> bool:
        """Whether a wanted unit was found."""
        return any(unit.is_wanted for unit in self.units)

    def ranked(self) -> list[int]:
        """Return the places of the units, the best by features first."""
        return sorted(range(len(self.units)), key=lambda at: -self.units[at].logit)


def set_of(path: Path) -> str:
    """Return the name of the set that a file holds."""
    return path.name.removesuffix(ENDING)


def write(path: Path, questions: Iterable[Question]) -> None:
    """Write questions, one a line."""
    with gzip.open(path, "wt", encoding="utf-8") as file:
        for question in questions:
            parts = {
                "passages": [one._asdict() for one in question.passages],
                "units": [one._asdict() for one in question.units],
            }
            file.write(json.dumps(question._asdict() | parts, ensure_ascii=False) + "\n")


def read(path: Path) -> Iterator[Question]:
    """Yield what `write` wrote."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            row: dict[str, Any] = json.loads(line)
            row["passages"] = [Found(**one) for one in row["passages"]]
            row["units"] = [Unit(**one) for one in row["units"]]
            yield Question(**row)
