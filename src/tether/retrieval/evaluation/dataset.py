"""Labelled data in the common layout: a corpus, questions, and which documents answer them.

    corpus.jsonl.gz       {id, title, text, url?}
    queries*.jsonl.gz     {id, text}
    qrels*.tsv            query-id, corpus-id, score (a header line first)
    qa.jsonl.gz           {id, question, context_ids or contexts, answerable, answers}

Plain files without `.gz` are read as well.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO, cast

from tether.core.errors import InputRefused, SourceUnavailable
from tether.retrieval.source import SourceItem


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledQuestion:
    """A question and the documents that answer it, with how well each does (1 or more)."""

    id: str
    text: str
    relevant: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetSource:
    """The corpus of a dataset, as a source for an index. Raises `SourceUnavailable`."""

    folder: Path

    @property
    def name(self) -> str:
        """Return the folder."""
        return str(self.folder)

    def scan(self) -> Iterator[SourceItem]:
        """Yield every document of the corpus in the order of the file."""
        for row in _rows(self.folder, "corpus"):
            key, text = str(row["id"]), str(row["text"])
            yield SourceItem(
                key=key,
                name=_reader_name(key, str(row.get("url") or "")),
                version="",
                load=text.encode,
                url=str(row.get("url") or ""),
                title=str(row.get("title") or ""),
            )


def load_questions(folder: Path, *, side: str = "") -> tuple[LabelledQuestion, ...]:
    """Return the questions of a side that have at least one document that answers them.

    The side `train` is in `queries_train` and `qrels_train`; "" is the one without a name.
    Raises `SourceUnavailable` where a file is missing, `InputRefused` where a line is wrong.
    """
    ending = f"_{side}" if side else ""
    relevant: dict[str, dict[str, int]] = {}
    for question, document, score in _labels(folder / f"qrels{ending}.tsv"):
        if score > 0:
            relevant.setdefault(question, {})[document] = score
    return tuple(
        LabelledQuestion(
            id=str(row["id"]), text=str(row["text"]), relevant=relevant[str(row["id"])]
        )
        for row in _rows(folder, f"queries{ending}")
        if str(row["id"]) in relevant
    )


def _reader_name(key: str, url: str) -> str:
    """Name the reader by the ending of the key; without one the text is read as Markdown."""
    for name in (key, url):
        if Path(name.partition("#")[0]).suffix.lower() in _ENDINGS:
            return name.partition("#")[0]
    return f"{key}.md"


_ENDINGS = frozenset({".md", ".mdx", ".rst", ".txt", ".ipynb"})
"""What the texts of such corpora are written in; a page's `.html` address says nothing of it."""


def _rows(folder: Path, stem: str) -> Iterator[dict[str, Any]]:
    with _opened(folder, f"{stem}.jsonl") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield _row(line, f"{stem}.jsonl, line {number}")


def _row(line: str, place: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except ValueError as invalid:
        raise InputRefused(f"{place} is not JSON: {invalid}") from invalid
    if not isinstance(row, dict) or "id" not in row:
        raise InputRefused(f"{place} is not an object with an id")
    return cast("dict[str, Any]", row)


def _opened(folder: Path, name: str) -> TextIO:
    for path in (folder / f"{name}.gz", folder / name):
        if path.is_file():
            return (
                gzip.open(path, "rt", encoding="utf-8")
                if path.suffix == ".gz"
                else path.open(encoding="utf-8")
            )
    raise SourceUnavailable(f"{folder} has no {name}.gz and no {name}", retryable=False)


def _labels(path: Path) -> Iterator[tuple[str, str, int]]:
    if not path.is_file():
        raise SourceUnavailable(f"{path} is missing", retryable=False)
    with path.open(encoding="utf-8") as lines:
        next(lines, None)
        for number, line in enumerate(lines, start=2):
            parts = line.rstrip("\n").split("\t")
            if len(parts) != 3 or not parts[2].strip().lstrip("-").isdigit():
                raise InputRefused(
                    f"{path.name}, line {number}: question, document and score are needed"
                )
            yield parts[0], parts[1], int(parts[2])
