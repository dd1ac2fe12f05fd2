"""`llms.txt`: the pages that a site lists for readers like this one, with titles and sections."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_LINK = re.compile(
    r"\s{0,8}[-*+]\s{1,8}\[([^\]\n]{0,500})\]\(\s{0,8}<?([^\s()<>]{1,2048})>?[^)\n]{0,500}\)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedPage:
    """A link of the list; `section` is the heading above it, "" before the first."""

    address: str
    title: str
    section: str


def listed_pages(text: str) -> Iterator[ListedPage]:
    """Yield the links that begin an item of a list, outside of code."""
    section = ""
    for line, in_code in lines_with_code(text):
        if in_code:
            continue
        if line.startswith("## "):
            section = line[3:].strip()
        elif found := _LINK.match(line):
            yield ListedPage(address=found[2], title=found[1].strip(), section=section)


def lines_with_code(text: str) -> Iterator[tuple[str, bool]]:
    """Yield each line with its end, and whether it belongs to a block of code."""
    fence = ""
    for line in text.splitlines(keepends=True):
        mark = _FENCE.match(line)
        if not fence:
            fence = mark[1] if mark else ""
            yield line, bool(mark)
        else:
            if mark and mark[1].startswith(fence) and not line[mark.end() :].strip():
                fence = ""
            yield line, True
