"""Questions from a file: one JSON object on each line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeGuard

from tether.core.errors import InputRefused
from tether.retrieval.floor.asking import GivenQuestion


def read_questions(path: Path) -> list[GivenQuestion]:
    """Return the questions of a file; raises `InputRefused` naming the first line that is wrong.

    A line is `{"question": "...", "documents": ["key", ...]}`. Without documents, the question is
    one that the documents do not answer.
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
