# pyright: reportMissingImports=false
# mypy: disable-error-code="import-not-found"
"""Questions in word pieces, with the units and passages that training reads."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tokenizers import BertWordPieceTokenizer

from selector.records import ANSWERABLE, ENDING, Question, read, set_of

LONGEST_QUESTION, LONGEST_UNIT, LONGEST_PASSAGE = 40, 112, 284
"""In word pieces."""
CHARACTERS = 700
"""Of a unit; more than its word pieces need."""

BEST, EVERY, FURTHER = 30, 12, 6
"""The best units by features are kept, and some of the others: each so-and-so-many-th."""
LEAST_FOREIGN = 4
"""A question can be asked without its right pages if more units than these are on others."""

Ids = Sequence[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A unit in word pieces; `at` is its place in the collected set."""

    at: int
    pieces: Ids
    is_wanted: bool
    is_right: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A question with its units, the best by features first."""

    id: str
    set: str
    kind: str
    pieces: Ids
    units: Sequence[Told]
    passages: Sequence[Ids]
    scores: Sequence[float]
    """Of the passages, in the search."""
    gold: Sequence[int]
    """The passages that have a wanted unit."""
    can_be_hidden: bool
    """Whether nothing answers without the right pages."""

    @property
    def has_wanted(self) -> bool:
        """Whether a unit is wanted."""
        return any(unit.is_wanted for unit in self.units)


def read_groups(folder: Path, vocabulary: Path) -> list[Group]:
    """Return the questions of all sets of a folder that have units."""
    words: Any = BertWordPieceTokenizer(str(vocabulary), lowercase=True)
    paths = sorted(folder.glob(f"*{ENDING}"))
    found = (_group(set_of(path), one, words) for path in paths for one in read(path))
    return [group for group in found if group.units]


def _group(name: str, question: Question, words: Any) -> Group:
    kept = sorted(_kept(question), key=lambda at: -question.units[at].logit)
    units = [question.units[at] for at in kept]
    pieces = _pieces(words, [unit.text[:CHARACTERS] for unit in units], LONGEST_UNIT)
    return Group(
        id=f"{name}/{question.id}",
        set=name,
        kind=question.kind,
        pieces=next(_pieces(words, [question.text], LONGEST_QUESTION)),
        units=[
            Told(at=at, pieces=ids, is_wanted=unit.is_wanted, is_right=unit.is_right)
            for at, unit, ids in zip(kept, units, pieces, strict=True)
        ],
        passages=list(_pieces(words, [one.text for one in question.passages], LONGEST_PASSAGE)),
        scores=[one.score for one in question.passages],
        gold=sorted({unit.passage for unit in units if unit.is_wanted}),
        can_be_hidden=question.kind == ANSWERABLE and _can_be_hidden(question, kept),
    )


def _kept(question: Question) -> list[int]:
    """Return the places of the units that are read: the best, the wanted, some of the others."""
    ranked = question.ranked()
    kept = {*ranked[:BEST], *ranked[BEST::EVERY][:FURTHER]}
    kept |= {at for at, unit in enumerate(question.units) if unit.is_wanted}
    return sorted(at for at in kept if question.units[at].text.strip())


def _can_be_hidden(question: Question, kept: Sequence[int]) -> bool:
    foreign = [question.units[at] for at in kept if not question.units[at].is_right]
    answers = any(question.must and unit.said == question.must for unit in foreign)
    return len(foreign) > LEAST_FOREIGN and not answers


def _pieces(words: Any, texts: Sequence[str], longest: int) -> Iterator[Ids]:
    for entry in words.encode_batch(list(texts), add_special_tokens=False):
        yield entry.ids[:longest]
