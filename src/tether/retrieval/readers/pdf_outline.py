"""The outline of a PDF: which sections begin on which page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pypdf import PdfReader

_MOST_ENTRIES = 5_000
_DEEPEST = 5
_LONGEST = 300


def sections(reader: PdfReader) -> dict[int, dict[str, int]]:
    """Return for each page, counted from 1, the titles of its sections in small letters.

    Each comes with its level, from 1. An outline that cannot be followed counts as none: the pages
    are there without it.
    """
    found: dict[int, dict[str, int]] = {}
    stack: list[tuple[Any, int]] = [(reader.outline, 1)]
    left = _MOST_ENTRIES
    while stack and left:
        left -= 1
        entry, level = stack.pop()
        if isinstance(entry, list):
            deeper = min(level, _DEEPEST)
            stack.extend((item, _level(item, deeper)) for item in reversed(entry))
        else:
            _add(reader, found, entry, level)
    return found


def _level(item: Any, level: int) -> int:
    return level + 1 if isinstance(item, list) else level


def _add(reader: PdfReader, found: dict[int, dict[str, int]], entry: Any, level: int) -> None:
    title = " ".join(str(getattr(entry, "title", "") or "").split())
    number = reader.get_destination_page_number(entry)
    if title and len(title) <= _LONGEST and number is not None and number >= 0:
        found.setdefault(number + 1, {})[title.lower()] = level
