"""Labelled data in the common layout: a corpus, questions, and the documents that answer them.

    corpus.jsonl.gz       {id, title, text, url?}
    queries*.jsonl.gz     {id, text}
    qrels*.tsv            query-id, corpus-id, score (a header line first)
    qa.jsonl.gz           {id, question, context_ids or contexts, answerable, answers}

Plain files without `.gz` are read as well.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TextIO, cast

from tether.core.errors import InputRefused
from tether.retrieval.errors import SourceUnavailable
from tether.retrieval.source import SourceItem

_ENDINGS = frozenset({".md", ".mdx", ".rst", ".txt"})
"""The formats of such corpora; HTML and notebooks were converted to text before."""

_WHOLE = re.compile(r"-?[0-9]{1,9}")


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledQuestion:
    """A question and the documents that answer it, each with its grade (1 or more)."""

    id: str
    text: str
    relevant: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetSource:
    """The corpus of a dataset, as a source for an index. Raises `SourceUnavailable`."""

    folder: Path

    @property
    def name(self) -> str:
        """Return the full path of the folder."""
        return str(self.folder.absolute())

    def scan(self) -> Iterator[SourceItem]:
        """Yield every document of the corpus in the order of the file."""
        for row in _rows(self.folder, "corpus", "text"):
            key, text = str(row["id"]), row["text"]
            yield SourceItem(
                key=key,
                name=_reader_name(key, str(row.get("url") or "")),
                version="",
                load=partial(text.encode, errors="replace"),
                url=str(row.get("url") or ""),
                title=str(row.get("title") or ""),
            )


def load_questions(folder: Path, *, side: str = "") -> tuple[LabelledQuestion, ...]:
    """Return the questions of a side with at least one document that answers them.

    The side `train` is in `queries_train` and `qrels_train`, and "" in `queries` and `qrels`; data
    with only `qa` has no such questions. Raises `SourceUnavailable` if a file is missing, and
    `InputRefused` if a line is wrong.
    """
    ending = f"_{side}" if side else ""
    if not side and not _path(folder, "queries.jsonl") and _path(folder, "qa.jsonl"):
        return ()
    relevant: dict[str, dict[str, int]] = {}
    for question, document, score in _labels(folder, f"qrels{ending}.tsv"):
        if score > 0:
            relevant.setdefault(question, {})[document] = score
    return tuple(
        LabelledQuestion(id=str(row["id"]), text=row["text"], relevant=relevant[str(row["id"])])
        for row in _rows(folder, f"queries{ending}", "text")
        if str(row["id"]) in relevant
    )


def load_answerability(folder: Path) -> tuple[list[str], list[str]]:
    """Return the questions marked answerable, and the others; both empty without a file."""
    if not _path(folder, "qa.jsonl"):
        return [], []
    rows = list(_rows(folder, "qa", "question"))
    return (
        [row["question"] for row in rows if row.get("answerable")],
        [row["question"] for row in rows if not row.get("answerable")],
    )


def _reader_name(key: str, url: str) -> str:
    """Return a name whose ending selects the reader, Markdown without a known ending."""
    for name in (key, url):
        if Path(name.partition("#")[0]).suffix.lower() in _ENDINGS:
            return name.partition("#")[0]
    return f"{key}.md"


def read_rows(path: Path, field: str) -> Iterator[dict[str, Any]]:
    """Yield the objects of a file of JSON lines, each with an `id` and a text as `field`.

    Raises `InputRefused` that names the line.
    """
    for place, line in _lines(path):
        if line.strip():
            yield _row(line, place, field)


def _rows(folder: Path, stem: str, field: str) -> Iterator[dict[str, Any]]:
    return read_rows(_file(folder, f"{stem}.jsonl"), field)


def _row(line: str, place: str, field: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except ValueError as invalid:
        raise InputRefused(f"{place} is not JSON: {invalid}") from invalid
    if not isinstance(row, dict) or "id" not in row or not isinstance(row.get(field), str):
        raise InputRefused(f"{place} is not an object with an id and a text as {field!r}")
    return cast("dict[str, Any]", row)


def _labels(folder: Path, name: str) -> Iterator[tuple[str, str, int]]:
    lines = _lines(_file(folder, name))
    next(lines, None)  # the header
    for place, line in lines:
        parts = line.rstrip("\r\n").split("\t")
        if len(parts) != 3 or not _WHOLE.fullmatch(parts[2].strip()):
            raise InputRefused(f"{place} is not a question, a document and a whole number")
        yield parts[0], parts[1], int(parts[2])


def _lines(path: Path) -> Iterator[tuple[str, str]]:
    """Yield each line of a file with its position."""
    try:
        with _opened(path) as lines:
            for number, line in enumerate(lines, start=1):
                yield f"{path.name}, line {number}", line
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as damage:
        raise InputRefused(f"{path} cannot be read: {damage}") from damage


def _file(folder: Path, name: str) -> Path:
    """Return the path of a file, of the `.gz` file if there is one."""
    path = _path(folder, name)
    if path is None:
        raise SourceUnavailable(f"{folder} has no {name}.gz and no {name}", retryable=False)
    return path


def _path(folder: Path, name: str) -> Path | None:
    return next((at for at in (folder / f"{name}.gz", folder / name) if at.is_file()), None)


def _opened(path: Path) -> TextIO:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8")
    return path.open(encoding="utf-8")
