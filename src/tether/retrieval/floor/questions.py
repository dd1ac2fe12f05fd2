"""The questions that a floor is fitted with: made from the documents, or from a file."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeGuard

import numpy as np

from tether.core.errors import InputRefused
from tether.retrieval.chunk import Chunk
from tether.retrieval.floor.floor import features
from tether.retrieval.query import Query

if TYPE_CHECKING:
    from tether.retrieval.ports import Searchable
    from tether.retrieval.search.retriever import Retriever

QuestionKind = Literal["answerable", "near", "far"]

Progress = Callable[[int, int], None]
"""Called with the number of questions done, and of all."""

_GENERIC = """
    about after also background before begin conclusion contents contributing details example
    examples faq further getting introduction is license limitations links motivation next note
    notes objectives overview prerequisites reading references related requirements resources see
    setup started steps summary synopsis todo usage what what's you
"""
GENERIC = frozenset(_GENERIC.split())
"""Words of headings that any page could have; a question needs others."""

_WORD = re.compile(r"\w[\w'\u2019.+-]*")
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|[\u3002\uff01\uff1f\n]")


def unheard(done: int, total: int) -> None:
    """Ignore the progress."""
    del done, total


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorQuestion:
    """A question to fit with: its kind, and the rows that are hidden from its search.

    `answerable` ones have their answer in rows that are not hidden. `near` ones have their page
    hidden, and `far` ones are about another subject.
    """

    text: str
    kind: QuestionKind
    hidden: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenQuestion:
    """A question from a file, and the documents that answer it, if any."""

    text: str
    documents: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A question that was searched, and the features of its hits; {} without hits."""

    text: str
    kind: QuestionKind
    features: dict[str, float]


def questions_from_corpus(
    index: Searchable, *, count: int, seed: int, most_far: int | None = None
) -> list[FloorQuestion]:
    """Return questions made from the documents, each also with its page hidden, and far ones.

    There are up to `count` made ones, and up to `most_far` far ones, without it all.

    A heading or a sentence finds itself word for word, which no real question does. So its own
    passage is hidden while it counts as answerable: the scores of its neighbours are close to those
    of real questions (`docs/measurements.md`).
    """
    made = corpus_questions(index, count=count, seed=seed)
    asked = [
        FloorQuestion(text=one.text, kind="answerable", hidden=frozenset({one.row})) for one in made
    ]
    asked += [
        FloorQuestion(text=one.text, kind="near", hidden=_rows_of(index, [one.page]))
        for one in made
    ]
    far = _far(index)
    if most_far is not None and len(far) > most_far:
        far = random.Random(seed).sample(far, most_far)  # noqa: S311  # a sample, not a secret
    return asked + far


def questions_from_file(
    index: Searchable, pages: dict[str, int], given: Iterable[GivenQuestion]
) -> list[FloorQuestion]:
    """Return given questions, those with an answer also with their pages hidden, and far ones.

    `pages` has the number of each document. Questions whose documents are all unknown to the index
    are left out, because the index may or may not answer them.
    """
    asked: list[FloorQuestion] = []
    for one in given:
        known = [pages[key] for key in sorted(one.documents) if key in pages]
        if known:
            asked.append(FloorQuestion(text=one.text, kind="answerable"))
            asked.append(FloorQuestion(text=one.text, kind="near", hidden=_rows_of(index, known)))
        elif not one.documents:
            asked.append(FloorQuestion(text=one.text, kind="near"))
    return asked + _far(index)


def ask_all(
    retriever: Retriever, asked: Sequence[FloorQuestion], progress: Progress
) -> list[Answered]:
    """Search for every question and return the features of its hits."""
    answered: list[Answered] = []
    for number, one in enumerate(asked, start=1):
        findings = retriever.search(Query(question=one.text), hidden=one.hidden)
        found = features(findings.hits) if findings.hits else {}
        answered.append(Answered(text=one.text, kind=one.kind, features=found))
        progress(number, len(asked))
    return answered


def _far(index: Searchable) -> list[FloorQuestion]:
    return [FloorQuestion(text=text, kind="far") for text in far_questions(index)]


def _rows_of(index: Searchable, pages: Sequence[int]) -> frozenset[int]:
    return frozenset(np.flatnonzero(np.isin(index.pages, pages)).tolist())


def read_questions(path: Path) -> list[GivenQuestion]:
    """Return the questions of a file; raises `InputRefused` with the first line that is wrong.

    A line is `{"question": "...", "documents": ["key", ...]}`. A question without documents has no
    answer in the index.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputRefused(f"{path} cannot be read: {error}") from error
    return [
        _question(line, f"{path.name}, line {number}")
        for number, line in enumerate(lines, start=1)
        if line.strip()
    ]


def _question(line: str, place: str) -> GivenQuestion:
    try:
        found: Any = json.loads(line)
    except ValueError as error:
        raise InputRefused(f"{place} is not JSON: {error}") from error
    text = found.get("question") if isinstance(found, dict) else None
    documents = found.get("documents", []) if isinstance(found, dict) else None
    if not isinstance(text, str) or not text.strip() or not _are_texts(documents):
        message = f'{place} must be an object with a "question" and a list of "documents"'
        raise InputRefused(message)
    return GivenQuestion(text=text, documents=frozenset(documents))


def _are_texts(found: object) -> TypeGuard[list[str]]:
    return isinstance(found, list) and all(isinstance(one, str) for one in found)


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusQuestion:
    """A question that a known chunk answers: `row` is that chunk, `page` its document."""

    text: str
    row: int
    page: int


def corpus_questions(index: Searchable, *, count: int, seed: int = 0) -> list[CorpusQuestion]:
    """Return up to `count` questions, from different pages if there are enough.

    Half of them are headings, half are leading sentences; the same index and seed give the same
    questions.
    """
    dice = random.Random(seed)  # noqa: S311  # a sample, not a secret
    found: list[CorpusQuestion] = []
    for row in _spread_rows(index, dice):
        if len(found) == count:
            break
        (chunk,) = index.chunks([row])
        text = _heading(chunk) if len(found) % 2 else _leading_sentence(chunk)
        if text:
            found.append(CorpusQuestion(text=text, row=row, page=int(index.pages[row])))
    return found


def _spread_rows(index: Searchable, dice: random.Random) -> Iterator[int]:
    """Yield one random row of every page, in random order, then another one of every page..."""
    by_page: dict[int, list[int]] = {}
    for row, page in enumerate(index.pages.tolist()):
        by_page.setdefault(page, []).append(row)
    pages = list(by_page.values())
    for rows in pages:
        dice.shuffle(rows)
    while pages:
        dice.shuffle(pages)
        for rows in pages:
            yield rows.pop()
        pages = [rows for rows in pages if rows]


def _heading(chunk: Chunk) -> str:
    """Return the last heading, with the title if the heading alone says too little, or ""."""
    heading = chunk.heading_path[-1] if chunk.heading_path else ""
    words = [word.casefold() for word in _WORD.findall(heading)]
    telling = [word for word in words if word not in GENERIC]
    if len(telling) >= 3:
        return heading
    if not telling or not chunk.title or heading == chunk.title:
        return ""
    return f"{heading} {chunk.title}"


def _leading_sentence(chunk: Chunk) -> str:
    """Return the first sentence of at least six words, cut after 30, or ""."""
    body = chunk.plain.removeprefix(chunk.heading_path[-1] if chunk.heading_path else "")
    for sentence in _SENTENCE_END.split(body[:2000]):
        words = sentence.split()
        if len(words) >= 6 and len(_WORD.findall(sentence)) >= 6:
            return " ".join(words[:30])
    return ""


def far_questions(index: Searchable) -> list[str]:
    """Return questions about everyday matters and products that the index does not mention.

    A question whose subject is in the index is dropped, because it would not be far.
    """
    text = files("tether.retrieval.floor").joinpath("far_questions.tsv").read_text("utf-8")
    rows = [line.split("\t") for line in text.splitlines()]
    return [question for subject, question in rows if not len(index.words.search(subject, limit=1))]
