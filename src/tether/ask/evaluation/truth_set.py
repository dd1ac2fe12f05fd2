"""Statements beside the quote that makes them true or false: data for measuring the gate.

    {id, corpus, page, heading, quote, before, after, question, true: [...], false: [{text, kind}]}

One object a line, plain or as `.gz`. `before` and `after` stand around the quote in its page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from tether.ask.evidence import Evidence
from tether.core.errors import InputRefused
from tether.retrieval.chunk import Chunk
from tether.retrieval.evaluation.dataset import read_rows
from tether.text.markdown.marks import Place, delimiter_cells, list_mark_of, table_cells

TRUE = "true"
"""The kind of the statements that follow from their quote."""

ENDINGS = (".jsonl", ".jsonl.gz")
_TEXTS = ("page", "heading", "before", "after", "question")


class Trial(NamedTuple):
    """A statement to judge, and its kind: `true`, or what is wrong with it."""

    text: str
    kind: str


@dataclass(frozen=True)
class TruthCase:
    """A quote in its context, with the statements made beside it."""

    id: str
    page: str
    heading: str
    quote: str
    before: str
    after: str
    question: str
    trials: tuple[Trial, ...]

    @cached_property
    def chunk(self) -> Chunk:
        """The quote's own passage, as a page would have it."""
        text, path = self._placed[0], self._path
        title = path[0] if path else self.page
        whole = Chunk.whole(text, id=self.id, document=self.page or self.id, title=title)
        return replace(whole, heading_path=path, tokens=len(text) // 4)

    @property
    def place(self) -> tuple[int, int]:
        """Where the quote, or what of it is not a header or lead-in, is in the passage."""
        return self._placed[1]

    @cached_property
    def _path(self) -> tuple[str, ...]:
        return tuple(part.strip() for part in self.heading.split(" > ") if part.strip())

    @cached_property
    def _placed(self) -> tuple[str, tuple[int, int]]:
        head, body = _parts(self.quote, self.before)
        is_among = bool(head) and _shape(self.before) == _shape(body)
        first, second = (head, self.before) if is_among else (self.before, head)
        heading = f"## {self._path[-1]}" if self._path else ""
        text = _joined([heading, first, second, body])
        whole = _joined([heading, first, second, body, self.after])
        return whole, (len(text) - len(body), len(text))


@dataclass(frozen=True, slots=True, kw_only=True)
class TruthSet:
    """The cases of one file."""

    name: str
    cases: tuple[TruthCase, ...]

    def passages(self, case: TruthCase, others: int, seed: int) -> list[Evidence]:
        """Return the passages of a turn: the quote's own first, then some of other quotes."""
        draw = Random(f"{seed} {case.id}")  # noqa: S311  # a sample, not a secret
        drawn = draw.sample(self.cases, min(len(self.cases), 2 * others + 1))
        foreign = [one for one in drawn if one.chunk.text != case.chunk.text]
        chunks = [one.chunk for one in (case, *foreign[:others])]
        return [
            Evidence(number=number, chunk=chunk, version="")
            for number, chunk in enumerate(chunks, start=1)
        ]


def load_truth(path: Path, *, every: int = 1) -> tuple[TruthSet, ...]:
    """Read a file, or each file of a folder by name; raises `InputRefused` that names the fault."""
    files = [path] if path.is_file() else sorted(one for one in path.iterdir() if _is_data(one))
    sets = [
        TruthSet(
            name=file.name.partition(".jsonl")[0],
            cases=tuple(map(_case, read_rows(file, "quote")))[::every],
        )
        for file in files
    ]
    if not any(one.cases for one in sets):
        raise InputRefused(f"{path} has no statements: name a file of JSON lines, or a folder")
    return tuple(sets)


def _is_data(path: Path) -> bool:
    return path.is_file() and path.name.endswith(ENDINGS)


def _case(row: Mapping[str, Any]) -> TruthCase:
    texts = {name: row.get(name) or "" for name in _TEXTS}
    wrong = [name for name, text in texts.items() if not isinstance(text, str)]
    if wrong:
        raise InputRefused(f"{wrong[0]!r} of {row['id']!r} is not a text")
    return TruthCase(id=str(row["id"]), quote=row["quote"], trials=_trials(row), **texts)


def _trials(row: Mapping[str, Any]) -> tuple[Trial, ...]:
    try:
        true = [Trial(_text(text), TRUE) for text in row["true"]]
        false = [Trial(_text(one["text"]), _text(one["kind"])) for one in row["false"]]
    except (KeyError, TypeError) as error:
        message = f"{row['id']!r} has no list 'true' of texts, or no list 'false' of text and kind"
        raise InputRefused(message) from error
    return (*true, *false)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _parts(quote: str, before: str) -> tuple[str, str]:
    """Return the header or lead-in of a quote, "" without one, and the rest."""
    lines = quote.split("\n")
    if _shape(quote) == "row" and len(lines) > 1:
        is_drawn = delimiter_cells(lines[1].strip()) > 0
        drawn = lines[1] if is_drawn else "|" + "---|" * len(table_cells(lines[0].strip()))
        return f"{lines[0]}\n{drawn}", "\n".join(lines[1 + is_drawn :])
    at = next((at for at, line in enumerate(lines) if _shape(line) == "item"), 0)
    if _shape(before) == "item":
        return "\n".join(lines[:at]), "\n".join(lines[at:])
    return "", quote


def _shape(text: str) -> str:
    """Return what the first line of a text begins: a row, an item, or neither."""
    line = text.split("\n", 1)[0]
    if line.lstrip().startswith("|"):
        return "row"
    return "item" if list_mark_of(line, Place().skip(line)) else ""


def _joined(parts: Sequence[str]) -> str:
    """Return the parts of a page, with blank lines between them but for rows and for items."""
    given = [part for part in parts if part]
    gaps = [
        "\n" if _shape(above) == _shape(below) != "" else "\n\n" for above, below in pairwise(given)
    ]
    return "".join(part + gap for part, gap in zip(given, (*gaps, ""), strict=True))
