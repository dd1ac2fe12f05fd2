"""What preparation hands to training: passages in pools, questions with gold, answer pairs."""

import json
import lzma
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A piece of text that can be ranked."""

    page: str
    title: str | None
    """None where the source does not tell: such a passage is only shown in lists without titles."""
    headings: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question, with the places of its gold passages in the pool."""

    text: str
    gold: tuple[int, ...]
    page_level: bool = False
    """Whether other passages of a gold page are right too, and so never negatives."""
    heading_made: bool = False
    """Whether the words were taken from the gold's headings, which are then hidden by turns."""
    same_page_only: bool = False
    """Whether only passages of the same page can be told to be wrong."""
    near: tuple[int, ...] = ()
    """Passages that the source itself sets against the gold."""
    use: str = "train"
    """`train`, `held` (chooses between models) or `report` (measured once, at the end)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPair:
    """A question, a passage and whether the passage answers it."""

    question: str
    title: str
    text: str
    answered: bool
    held: bool
    """Whether it measures, and so never trains."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """A collection that is searched as a whole, with the questions asked of it."""

    name: str
    passages: tuple[Passage, ...]
    questions: tuple[Question, ...]
    weight: float = 1.0
    """How many times its questions are seen in an epoch."""


def save(path: Path, value: object) -> None:
    """Write dataclasses as compressed JSON; the folder is made where missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with lzma.open(path, "wt", encoding="utf-8", preset=6) as file:
        json.dump(value, file, default=asdict, ensure_ascii=False, separators=(",", ":"))


def load_pool(path: Path) -> Pool:
    """Read what `save` wrote of a pool."""
    with lzma.open(path, "rt", encoding="utf-8") as file:
        raw: dict[str, Any] = json.load(file)
    passages: list[dict[str, Any]] = raw.pop("passages")
    questions: list[dict[str, Any]] = raw.pop("questions")
    for entry in passages:
        entry["headings"] = tuple(entry["headings"])
    for entry in questions:
        entry |= {"gold": tuple(entry["gold"]), "near": tuple(entry["near"])}
    return Pool(
        passages=tuple(Passage(**entry) for entry in passages),
        questions=tuple(Question(**entry) for entry in questions),
        **raw,
    )


def load_pairs(path: Path) -> list[AnswerPair]:
    """Read what `save` wrote of answer pairs."""
    with lzma.open(path, "rt", encoding="utf-8") as file:
        return [AnswerPair(**entry) for entry in json.load(file)]
