"""A site by its files for language models: `llms-full.txt`, or the list `llms.txt`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from urllib.parse import quote, urlsplit

from tether.core.errors import InputRefused
from tether.retrieval.source import DocumentState, SourceItem
from tether.retrieval.sources.fetch import Fetched
from tether.retrieval.sources.site import (
    Scope,
    SiteSource,
    page_address,
    skipped,
)

FULL = "llms-full.txt"
LIST = "llms.txt"

_MARKDOWN = frozenset({".md", ".mdx", ".markdown", ".txt"})
_HTML = frozenset({"text/html", "application/xhtml+xml"})


class LlmsTxtSource(SiteSource):
    """The pages of an `llms-full.txt`, each from the one file, or those that an `llms.txt` lists.

    The key of a page of the full file is the URL that the file names for it, else the URL of the
    file followed by `#` and the title of the page; its version is its hash. A listed page is read
    as Markdown if the site has a twin that ends in `.md`. Pages of other hosts, and pages that
    robots.txt forbids, are skipped. Raises `SourceUnavailable` if the file cannot be read whole.
    """

    __slots__ = ()

    def scan(self) -> Iterator[SourceItem | DocumentState]:
        """Yield the pages in the order of the file."""
        answer = self._site.whole(self.name)
        if looks_like_html(answer):
            raise self._site.unavailable(self.name, "it is a page of HTML, not a list of pages")
        text = answer.body.decode("utf-8-sig", "replace")
        if urlsplit(self.name).path.endswith(FULL):
            yield from self._pages_of_full(text, answer.url)
        else:
            yield from self._pages_of_list(text, answer.url)

    def _pages_of_full(self, text: str, base: str) -> Iterator[SourceItem]:
        seen: dict[str, int] = {}
        for number, page in enumerate(full_pages(text), start=1):
            self._count(number)
            address = (page_address(page.address, base) if page.address else "") or ""
            key = _fresh(address or f"{self.name}#{_slug(page)}", seen)
            yield _full_item(key, address or self.name, page)

    def _pages_of_list(self, text: str, base: str) -> Iterator[SourceItem | DocumentState]:
        scope = self._site.scope(base)
        seen = {self.name, base}
        twins: bool | None = None
        for number, listed in enumerate(listed_pages(text), start=1):
            self._count(number)
            address = page_address(listed.address, base)
            if address is None:
                yield skipped(listed.address[:200], "it is not the URL of a page")
            elif address not in seen:
                seen.add(address)
                reason = self._why_not(address, scope)
                if reason:
                    yield skipped(address, reason)
                else:
                    twins = self._has_twin(address) if twins is None else twins
                    yield self._listed(address, listed.title, with_twin=twins is True)

    def _why_not(self, address: str, scope: Scope) -> str:
        return scope.why_not(address) or self._site.why_forbidden(address)

    def _listed(self, address: str, title: str, *, with_twin: bool) -> SourceItem | DocumentState:
        twin = twin_of(address) if with_twin else ""
        if twin and not self._site.why_forbidden(twin):
            found = self._site.pages.requested(twin, key=address, human=address, title=title)
            if isinstance(found, SourceItem):
                return found
        return self._site.pages.requested(address, title=title)

    def _has_twin(self, address: str) -> bool | None:
        """Return whether the site has Markdown twins, judged by its first page."""
        twin = twin_of(address)
        if not twin:
            return None
        try:
            answer = self._site.pages.fetch(twin, self._site.settings.max_bytes)
        except InputRefused:
            return False
        return answer.status == 200 and not looks_like_html(answer)

    def _count(self, number: int) -> None:
        if number > self._site.settings.max_pages:
            most = self._site.settings.max_pages
            raise self._site.unavailable(self.name, f"it has more than {most:,} pages")


def looks_like_html(answer: Fetched) -> bool:
    """Return whether an answer is HTML; many sites send a page for every URL."""
    beginning = answer.body[:200].lstrip().lower()
    return answer.content_type in _HTML or beginning.startswith((b"<!doctype html", b"<html"))


def twin_of(address: str) -> str:
    """Return the URL of the Markdown twin of a page, by convention; "" if it is Markdown."""
    parts = urlsplit(address)
    last = parts.path.rpartition("/")[2]
    if f".{last.rpartition('.')[2].lower()}" in _MARKDOWN or parts.query:
        return ""
    return parts._replace(path=f"{parts.path}{'' if last else 'index.html'}.md").geturl()


def _full_item(key: str, url: str, page: FullPage) -> SourceItem:
    data = page.text.encode()
    return SourceItem(
        key=key,
        name="page.md",
        version=f"sha256 {sha256(data).hexdigest()}",
        load=partial(bytes, data),
        url=url,
        content_type="text/markdown",
        title=page.title,
    )


def _slug(page: FullPage) -> str:
    return quote("-".join(page.title.lower().split())[:100]) or "start"


def _fresh(key: str, seen: dict[str, int]) -> str:
    """Return a key that no page had before: repeated ones are numbered."""
    seen[key] = seen.get(key, 0) + 1
    return key if seen[key] == 1 else f"{key}{'-' if '#' in key else '#'}{seen[key]}"


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
