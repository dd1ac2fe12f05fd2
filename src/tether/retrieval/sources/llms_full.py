"""`llms-full.txt`: all pages of a site in one file, taken apart again.

There is no standard for where one page ends, only habits: a heading with a line that names the
page's address right below it, or front matter that names it. Where a file has neither, each heading
of the first level begins a page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tether.retrieval.sources.llms_txt import lines_with_code

_HEADING = re.compile(r"# +(?=\S)")
_ADDRESS = re.compile(
    r"(?:\*\*)?(?:source|url|link|page|canonical)(?: url)?(?:\*\*)?:(?:\*\*)?\s{0,8}[\"'<]?"
    r"((?:https?:/)?/[^\s\"'<>]{0,2048})",
    re.IGNORECASE,
)
_WITHIN = 5
"""So many lines below its beginning a page may name its address."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FullPage:
    """A page as it stands in the file; `address` is "" where the file does not name one."""

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
    """Return where a page names its address and which, (-1, "") where it names none."""
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
