"""Questions made from the documents themselves, for fitting a floor without labels."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

from tether.retrieval.chunk import Chunk

if TYPE_CHECKING:
    from tether.retrieval.search.searchable import Searchable

GENERIC = frozenset(
    {
        "about",
        "after",
        "also",
        "background",
        "before",
        "begin",
        "conclusion",
        "contents",
        "contributing",
        "details",
        "example",
        "examples",
        "faq",
        "further",
        "getting",
        "introduction",
        "is",
        "license",
        "limitations",
        "links",
        "motivation",
        "next",
        "note",
        "notes",
        "objectives",
        "overview",
        "prerequisites",
        "reading",
        "references",
        "related",
        "requirements",
        "resources",
        "see",
        "setup",
        "started",
        "steps",
        "summary",
        "synopsis",
        "todo",
        "usage",
        "what",
        "what's",
        "you",
    }
)
"""Words of headings that any page could have: a question of nothing else asks for nothing."""

_WORD = re.compile(r"\w[\w'\u2019.+-]*")
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|[\u3002\uff01\uff1f\n]")


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusQuestion:
    """A question that a known chunk answers: `row` is that chunk, `page` its document."""

    text: str
    row: int
    page: int


def corpus_questions(index: Searchable, *, count: int, seed: int = 0) -> list[CorpusQuestion]:
    """Return up to `count` questions from different pages as far as there are enough.

    Half of them are headings, half are leading sentences; the choice is the same for the same index
    and seed.
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
    """Return the last heading with the title where the heading alone says too little."""
    heading = chunk.heading_path[-1] if chunk.heading_path else ""
    words = [word.casefold() for word in _WORD.findall(heading)]
    telling = [word for word in words if word not in GENERIC]
    if len(telling) >= 3:
        return heading
    if not telling or not chunk.title or heading == chunk.title:
        return ""
    return f"{heading} {chunk.title}"


def _leading_sentence(chunk: Chunk) -> str:
    """Return the first sentence that is long enough to ask something, cut at 30 words."""
    body = chunk.plain.removeprefix(chunk.heading_path[-1] if chunk.heading_path else "")
    for sentence in _SENTENCE_END.split(body[:2000]):
        words = sentence.split()
        if len(words) >= 6 and len(_WORD.findall(sentence)) >= 6:
            return " ".join(words[:30])
    return ""


def far_questions(index: Searchable) -> list[str]:
    """Return questions about everyday matters and products that the index does not mention.

    A question is dropped where the index knows its subject: there it would not be far.
    """
    text = files("tether.retrieval.floor").joinpath("far_questions.tsv").read_text("utf-8")
    rows = [line.split("\t") for line in text.splitlines()]
    return [question for subject, question in rows if not len(index.words.search(subject, limit=1))]
