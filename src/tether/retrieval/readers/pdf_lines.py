"""The lines of PDF pages: which of them repeat from page to page, and where paragraphs end."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

_NUMBER = re.compile(r"\d+")
_EDGE = 2
_FEWEST_PAGES = 3
_MOST_SHARE = 0.6
_SHORT = 0.75


def repeated_lines(pages: Sequence[Sequence[str]]) -> frozenset[str]:
    """Return the headers and footers: lines at the edges of most pages, numbers aside."""
    if len(pages) < _FEWEST_PAGES:
        return frozenset()
    counts: Counter[str] = Counter()
    for lines in pages:
        counts.update({line_shape(line) for line in edges(lines)})
    least = max(_FEWEST_PAGES, _MOST_SHARE * len(pages))
    return frozenset(shape for shape, count in counts.items() if count >= least and shape)


def edges(lines: Sequence[str]) -> list[str]:
    """Return the first and the last lines of a page."""
    filled = [line for line in lines if line.strip()]
    return [*filled[:_EDGE], *filled[_EDGE:][-_EDGE:]]


def line_shape(line: str) -> str:
    """Return a line as it repeats: whatever number the page has."""
    return _NUMBER.sub("#", " ".join(line.split()).lower())


def without_repeated(lines: Sequence[str], repeated: frozenset[str]) -> list[str]:
    """Return a page without its header and footer, and without blank lines around it."""
    filled = [number for number, line in enumerate(lines) if line.strip()]
    at_edge = {*filled[:_EDGE], *filled[_EDGE:][-_EDGE:]}
    dropped = {number for number in at_edge if line_shape(lines[number]) in repeated}
    kept = [number for number in filled if number not in dropped]
    if not kept:
        return []
    span = range(kept[0], kept[-1] + 1)
    return [lines[number] for number in span if number not in dropped]


def paragraphs(lines: Sequence[str]) -> list[list[int]]:
    """Return the numbers of the lines of each paragraph.

    A paragraph ends at a blank line, and after a full stop in a line that does not fill its width.
    """
    lengths = sorted(len(line) for line in lines if line.strip())
    usual = lengths[int(0.8 * (len(lengths) - 1))] if lengths else 0
    found: list[list[int]] = [[]]
    for number, line in enumerate(lines):
        if not line.strip():
            found.append([])
            continue
        found[-1].append(number)
        if line.rstrip().endswith((".", "!", "?", ":")) and len(line) < _SHORT * usual:
            found.append([])
    return [group for group in found if group]
