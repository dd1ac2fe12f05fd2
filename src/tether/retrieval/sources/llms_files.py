"""The text of `llms.txt`, a list of pages, and of `llms-full.txt`, all pages in one file.

No standard says where a page of the full file ends. There are two conventions: a heading with a
line below it that names the URL of the page, and front matter that names it. In a file with
neither, each heading of the first level begins a page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_LINK = re.compile(
    r"\s{0,8}[-*+]\s{1,8}\[([^\]\n]{0,500})\]\(\s{0,8}<?([^\s()<>]{1,2048})>?[^)\n]{0,500}\)"
)

_HEADING = re.compile(r"# +(?=\S)")
_ADDRESS = re.compile(
    r"(?:\*\*)?(?:source|url|link|page|canonical)(?: url)?(?:\*\*)?:(?:\*\*)?\s{0,8}[\"'<]?"
    r"((?:https?:/)?/[^\s\"'<>]{0,2048})",
    re.IGNORECASE,
)
_WITHIN = 5
"""A page may name its URL within this many lines after its beginning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedPage:
    """A link of the list; `section` is the heading above it, "" before the first."""

    address: str
    title: str
    section: str


def listed_pages(text: str) -> Iterator[ListedPage]:
    """Yield the links at the start of list items, outside of code."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class FullPage:
    """A page of the full file; `address` is "" if the file does not name its URL."""

    address: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class _Start:
    """The line at which a page may begin."""

    line: int
    address: str
    is_heading: bool


def full_pages(text: str) -> Iterator[FullPage]:
    """Yield the pages in order; together they are the whole file."""
    lines = list(lines_with_code(text))
    starts = list(_starts(lines))
    with_address = [start for start in starts if start.address]
    chosen = with_address or [start for start in starts if start.is_heading]
    ends = [*(start.line for start in chosen[1:]), len(lines)]
    first = chosen[0].line if chosen else len(lines)
    if any(line.strip() for line, _ in lines[:first]):
        yield _page(lines[:first], "")
    for start, end in zip(chosen, ends if chosen else (), strict=True):
        yield _page(lines[start.line : end], start.address)


def _starts(lines: list[tuple[str, bool]]) -> Iterator[_Start]:
    taken = -1
    for number, (line, in_code) in enumerate(lines):
        if in_code or number <= taken:
            continue
        is_heading = _HEADING.match(line) is not None
        if is_heading or line.rstrip() == "---":
            at, address = _address_below(lines, number, front_matter=not is_heading)
            taken = at if not is_heading else taken
            if is_heading or address:
                yield _Start(number, address, is_heading)


def _address_below(
    lines: list[tuple[str, bool]], number: int, *, front_matter: bool
) -> tuple[int, str]:
    """Return the line in which a page names its URL, and the URL; (-1, "") without one."""
    for at in range(number + 1, min(number + 1 + _WITHIN, len(lines))):
        line = lines[at][0]
        if found := _ADDRESS.match(line):
            return at, found[1]
        blank = not line.strip()
        if line.startswith("#") or (front_matter and (blank or line.rstrip() == "---")):
            break
        if not front_matter and not blank:
            break
    return -1, ""


def _page(lines: list[tuple[str, bool]], address: str) -> FullPage:
    heading = next((line for line, in_code in lines if not in_code and _HEADING.match(line)), "")
    return FullPage(
        address=address, title=heading[1:].strip(), text="".join(line for line, _ in lines)
    )
