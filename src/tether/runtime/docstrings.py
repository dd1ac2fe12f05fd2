"""The summary and the parameter descriptions in a docstring."""

from __future__ import annotations

import re
from inspect import cleandoc
from typing import NamedTuple

_HEADING = re.compile(r"(?:Args|Arguments|Parameters):")
_ENTRY = re.compile(r"\*{0,2}(\w+)\s*(?:\(.*?\))?:\s*(.*)")
_FIELD = re.compile(r":param\s+(?:[^:]*\s)?\*{0,2}(\w+):\s*(.*)")
_NUMPY_ENTRY = re.compile(r"(\*{0,2}\w+(?:\s*,\s*\*{0,2}\w+)*)\s*(?::.*)?")


class Described(NamedTuple):
    """A docstring without its list of parameters, and that list."""

    summary: str
    parameters: dict[str, str]


def read_docstring(text: str) -> Described:
    """Split a docstring in Google, NumPy or Sphinx style; any other is all summary.

    Pass the result of `inspect.getdoc`: the indentation matters.
    """
    kept: list[str] = []
    parameters: dict[str, str] = {}
    lines = text.split("\n")
    while lines:
        line = lines.pop(0)
        if _HEADING.fullmatch(line):
            parameters |= _entries(_indented(lines), _ENTRY)
        elif line == "Parameters" and lines and re.fullmatch("-{3,}", lines[0]):
            del lines[0]
            parameters |= _entries(_numpy_block(lines), _NUMPY_ENTRY)
        elif found := _FIELD.fullmatch(line):
            rest = [part.strip() for part in _indented(lines)]
            parameters[found[1]] = _joined([found[2], *rest])
        else:
            kept.append(line)
    return Described("\n".join(kept).strip(), parameters)


def _indented(lines: list[str]) -> list[str]:
    """Remove the lines of a heading from the front: indented and blank ones."""
    taken: list[str] = []
    while lines and (not lines[0].strip() or lines[0].startswith(" ")):
        taken.append(lines.pop(0))
    return cleandoc("\n" + "\n".join(taken)).split("\n")


def _numpy_block(lines: list[str]) -> list[str]:
    """Remove the lines up to the next heading, which is underlined with dashes."""
    taken: list[str] = []
    while lines and not (len(lines) > 1 and re.fullmatch("-{3,}", lines[1])):
        taken.append(lines.pop(0))
    return taken


def _entries(lines: list[str], entry: re.Pattern[str]) -> dict[str, str]:
    """Read "name: text" entries, whose text may continue in indented lines."""
    found: dict[str, list[str]] = {}
    current: list[str] = []
    for line in lines:
        if (start := entry.fullmatch(line)) and not line.startswith(" "):
            current = list(start.groups()[1:])
            found |= dict.fromkeys(map(_bare, start[1].split(",")), current)
        else:
            current.append(line.strip())
    return {name: _joined(parts) for name, parts in found.items()}


def _bare(name: str) -> str:
    return name.strip().lstrip("*")


def _joined(parts: list[str]) -> str:
    return " ".join(part for part in parts if part)
