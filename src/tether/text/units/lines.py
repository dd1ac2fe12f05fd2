"""The lines of a passage in Markdown, reStructuredText, HTML or plain text, by their look."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from tether.text.directives import CODE, DROPPED, HIDDEN_CODE, LINE_LISTS, NOT_READ
from tether.text.html.elements import BLOCKS
from tether.text.markdown.marks import (
    CODE_SPAN,
    FenceMark,
    Place,
    fence_of,
    find_front_matter,
    leaf_place,
)
from tether.text.sentences import Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SKIPPED_TAGS = frozenset(
    {"head", "nav", "pre", "script", "style", "svg", "table", "template", "footer", "title"}
)

ELEMENT_KINDS: Mapping[str, Literal["table", "code"]] = {"pre": "code", "table": "table"}
"""The skipped elements that are blocks."""

_PLACEHOLDER_NAMES = (
    "address caption center colgroup dialog dir fieldset form hgroup legend menu search"
)
_BLOCK_NAMES = "|".join(sorted((BLOCKS | SKIPPED_TAGS) - frozenset(_PLACEHOLDER_NAMES.split())))
"""Without elements that are rare in passages, where `<address>` is more often a placeholder."""

_BLOCK_TAG = re.compile(f"</?(?P<name>{_BLOCK_NAMES})(?=[\\s/>])", re.IGNORECASE)

TAG = re.compile(
    f"<(?P<close>/?)(?P<name>{_BLOCK_NAMES})(?P<attributes>\\s[^<>]*)?/?>", re.IGNORECASE
)
_CLOSING_TAG = re.compile(r"</([A-Za-z][A-Za-z0-9]*)")
_LAST_TAG = re.compile(r"</[A-Za-z][A-Za-z0-9]*\s*>\s*(?:<|$)")
_GOES_ON = re.compile(r"[ ][a-z]")
INFO = re.compile(r"\{?(?P<name>[\w:+-]*)")
DIRECTIVE = re.compile(r"\.\.(?:\s+(?:(?P<name>[\w:-]+)::[ \t]*)?|$)")
ADMONITION = re.compile(r"(?:!!!|\?\?\?\+?|===)[ \t]+[\w\"']")
MARKER = re.compile(
    r"(?:(?:\{\{[<%#][^{}]*\}\}\s*)+|\{[%*].*[%*]\}|///.*"
    r"|\[![A-Z]+(?:\s*\[[^\[\]]*\]\([^()]*\))?\]|\([\w.:-]+\)=|\+\+\+|\^\^\^"
    r"|:(?!(?:returns?|raises?|yields?):\s)[\w-]+:(?:\s.*)?"
    r"|\[\^[^\[\]]+\]:\s*\S.*|\[[^\[\]]+\]:\s*\S*://.*"
    r"|\[[^\[\]]+\]:\s*(?:<[^<>]*>|\S+)(?:\s+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?"
    r"|\*\[[^\[\]]+\]:.*|\{:?\s?[#.][^{}]*\}|\[TOC\]|\\\w+\{.*\})\s*$"
)
ATTRIBUTES = re.compile(r"[ \t]*\{[^{}]*\}\s*$")
UNDERLINE = re.compile(r"(?P<mark>[=\-~^\"'*+#.:_])(?P=mark){2,}\s*$")
CELL = re.compile(r"(?:In|Out) ?\[[ \d*]{1,6}\]:")
ROW = re.compile(r"\s\|\s.*\s\|(?:\s|$)")
COMPONENT = re.compile(r"</?(?P<name>[A-Z][A-Za-z0-9]+)(?:\s[^<>]*)?/?>")
OPEN_TAG = re.compile(r"<[A-Za-z][\w.-]*+(?:\s[^<>\"]*+(?:\"[^\"]*+\"[^<>\"]*+)*+(?:\"[^\"]*+)?)?$")
END_OF_TAG = re.compile(r"(?:[\"'/}\]]|^\s*)>", re.MULTILINE)
COMPONENT_END = re.compile(r"</([A-Z][A-Za-z0-9]+)>")
LONGEST_TERM = 60
MOST_WORDS_OF_A_NAME = 3
LONGEST_TAG = 2_000
LARGEST_NUMBER = 999
LINE_START = Place()
TABLE = re.compile(r"\||\+[-=+]{3,}|=+(?:[ \t]+=+)+\s*$")
OTHER_ITEM = re.compile(r"(?:[\u2022\u2023\u25aa]|#\.|\(?[a-z]\))[ \t]+")
DEFINITION = re.compile(r":[ \t]+(?=\S)")
PROMPT = re.compile(r"(?:>>>|\$|C:\\>)[ \t]")

_PROSE = """
admonition attention callout caution collapse container danger deprecated details dropdown error
eval-rst figure glossary grid grid-item grid-item-card group-tab hint important info margin note
seealso sidebar tab tab-item tab-set tabbed table tabs tip topic versionadded versionchanged warning
"""
PROSE_FENCES = frozenset(_PROSE.split())
"""Directives of MyST with prose between their fences; the names of languages look the same."""

INLINE_DIRECTIVES = frozenset(
    {"attention", "caution", "danger", "error", "hint", "important", "note", "tip", "warning"}
)
_BARE = frozenset({"button-link", "button-ref", "click", "csv-table", "image", "rubric"})
SKIPPED_DIRECTIVES = HIDDEN_CODE | NOT_READ | DROPPED | LINE_LISTS | _BARE
"""Directives whose content is not read."""

NOT_PROSE_DIRECTIVES = SKIPPED_DIRECTIVES | CODE | {"list-table"}

LONGEST_FRONT_MATTER = 8_000

_TITLE = re.compile(r"^title\s*[:=]\s*[\"']?(?P<title>[^\"'\n]*[^\"'\n\s])", re.MULTILINE)
_LINE = re.compile(r"^.*$", re.MULTILINE)
_ITEM_MARK = re.compile(r"\A(?:[-*+]|\d{1,9}[.)])[ \t]+(?=```|~~~)")
_BREAKS = str.maketrans(dict.fromkeys("\r\x0b\x0c\x85\u2028\u2029", "\n"))


def with_plain_breaks(text: str) -> str:
    """Return a text of the same length whose only line break is LF."""
    return text.replace("\r\n", " \n").translate(_BREAKS)


def lines_of(text: str) -> Iterator[Span]:
    """Yield the places of the lines, cut at line breaks and before the tags of blocks."""
    closed = closed_tags(text)
    start, length = 0, len(text)
    while start < length:
        found = text.find("\n", start)
        end = length if found < 0 else found
        cuts = _cuts(text, start, end, closed) if text.find("<", start, end) >= 0 else ()
        yield from pairwise([start, *cuts, end])
        start = end + 1


def closed_tags(text: str) -> frozenset[str]:
    """Return the names of the elements that end somewhere in a passage."""
    return frozenset(found[1].lower() for found in _CLOSING_TAG.finditer(text))


def is_mentioned(tag: re.Match[str], closed: frozenset[str]) -> bool:
    """Say whether a tag is a word of a sentence, as in `<div> is an element`, and not markup."""
    if tag["close"] or tag["attributes"] or tag["name"].lower() in closed:
        return False
    return _GOES_ON.match(tag.string, tag.end()) is not None


def _cuts(text: str, start: int, end: int, closed: frozenset[str]) -> Iterator[int]:
    """Yield the places of the tags that begin or end a block.

    In a line that does not begin with one: those after a sentence, those that end the line, and
    those of elements that are not read.
    """
    codes = [found.span() for found in CODE_SPAN.finditer(text, start, end)]
    first = start + leaf_place(text[start:end]).position
    opening = TAG.match(text, first, end)
    is_markup = opening is not None and not is_mentioned(opening, closed)
    at = 0
    for tag in _BLOCK_TAG.finditer(text, start, end):
        while at < len(codes) and codes[at][1] <= tag.start():
            at += 1
        is_code = at < len(codes) and codes[at][0] < tag.start()
        is_skipped = tag["name"].lower() in SKIPPED_TAGS & closed
        is_cut = is_markup or is_skipped or _divides(text, tag, first, end)
        if is_cut and not is_code and tag.start() > start:
            yield tag.start()


def _divides(text: str, tag: re.Match[str], first: int, end: int) -> bool:
    before = text[max(first, tag.start() - 50) : tag.start()].rstrip()
    is_last = tag[0][1] == "/" and _LAST_TAG.match(text, tag.start(), end) is not None
    return is_last or before[-1:] in tuple(".!?:>\u2026\u3002")


def start_of(text: str) -> tuple[int, Span | None]:
    """Return where reading starts, and the span of the title that the front matter gives."""
    front = find_front_matter(text, len(text) - len(text.lstrip()))
    if front is None or front.close - front.start > LONGEST_FRONT_MATTER:
        return _end_of_cut_code(text), None
    title = _TITLE.search(text, front.start, front.close)
    return front.end, None if title is None else title.span("title")


def _end_of_cut_code(text: str) -> int:
    """Return the end of the code in the middle of which a passage begins; 0 where it does not.

    It does if the number of fences is odd and the first one closes: it names no language, and the
    line right above it does not lead into code.
    """
    fences = list(_fences(text))
    if len(fences) % 2 == 0 or fences[0][1].info:
        return 0
    first, _, above = fences[0]
    is_followed = text[first.end() :].strip() != ""
    return first.end() if above and above[-1] not in ".:" and is_followed else 0


def _fences(text: str) -> Iterator[tuple[re.Match[str], FenceMark, str]]:
    """Yield the lines that are fences, also at the beginning of an item, with the line above it."""
    above = ""
    for line in _LINE.finditer(text):
        bare = _ITEM_MARK.sub("", line[0].strip(" \t"))
        fence = fence_of(bare)
        is_underline = above != "" and bare[:1] == "~" and len(bare) >= len(above)
        if fence and not is_underline:
            yield line, fence, above
        above = line[0].rstrip()
