"""How lines of reStructuredText begin: the marks that tell one construct from another."""

from __future__ import annotations

import re

from tether.retrieval.readers.rst_lines import RstLine, rest

_BULLET = re.compile(r"[-*+•‣⁃](?:\s+|$)")  # noqa: RUF001
_ENUMERATOR = re.compile(r"\(?(?:\d{1,9}|#|[A-Za-z]|[ivxlcdmIVXLCDM]{2,9})[.)](?:\s+|$)")
_FIELD = re.compile(r":([A-Za-z_](?:[^:\n]|:(?=\w)){0,120}):(?:\s+|$)")
_OPTION = re.compile(r"(?:-[A-Za-z0-9?]|--[A-Za-z0-9]|/[A-Z])\S*")
_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*")
_GRID = re.compile(r"\+(?:[-=]+\+)+")
_SIMPLE = re.compile(r"=+(?: +=+)+")


def bullet(line: RstLine) -> int:
    """Return how long the mark of a bullet list is with the space after it; 0 where is none."""
    found = _BULLET.match(line.words)
    return found.end() if found else 0


def enumerator(line: RstLine, following: RstLine | None) -> int:
    """Return how long the mark of a numbered item is; 0 where there is none.

    A line that merely begins with "A." is none: the next one would have to be blank, indented or
    numbered too.
    """
    found = _ENUMERATOR.match(line.words)
    if found is None:
        return 0
    is_item = (
        following is None
        or following.is_blank
        or following.column > line.column
        or _ENUMERATOR.match(following.words) is not None
    )
    return found.end() if is_item else 0


def field_name(line: RstLine) -> str:
    """Return the name of a field (`:name: what it says`), or ""."""
    found = _FIELD.match(line.words)
    return found[1] if found else ""


def field_body(line: RstLine) -> RstLine:
    """Return what a field says on its own line."""
    found = _FIELD.match(line.words)
    return rest(line, found.end() if found else 0)


def is_option(line: RstLine) -> bool:
    """Return whether a line describes an option of a command."""
    return _OPTION.match(line.words) is not None and not line.words.startswith("---")


def adornment(line: RstLine) -> str:
    """Return the character that a line is a row of, or ""."""
    found = _ADORNMENT.fullmatch(line.words)
    return found[1] if found else ""


def is_grid(line: RstLine) -> bool:
    """Return whether a line is the border of a grid table."""
    return _GRID.fullmatch(line.words) is not None


def is_simple_border(line: RstLine) -> bool:
    """Return whether a line is a border of a simple table."""
    return _SIMPLE.fullmatch(line.words) is not None


def is_explicit(line: RstLine) -> bool:
    """Return whether a line begins a directive, a target, a footnote or a comment."""
    return (
        line.words.startswith(".. ") or line.words in ("..", "__") or (line.words.startswith("__ "))
    )


def interrupts(line: RstLine) -> bool:
    """Return whether a line inside an item begins something that is a block of its own."""
    return is_explicit(line) or line.words.startswith(">>> ") or is_grid(line)
