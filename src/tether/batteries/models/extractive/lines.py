"""What a line of a passage is: Markdown, reStructuredText, HTML or plain text, told by its look."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

BLOCK_TAGS = (
    "article|aside|blockquote|body|dd|details|div|dl|dt|figcaption|figure|footer|h[1-6]|head"
    "|header|hr|html|li|main|nav|ol|p|pre|script|section|style|summary|svg|table|tbody|td|template"
    "|tfoot|th|thead|title|tr|ul"
)
SKIPPED_TAGS = frozenset(
    {"head", "nav", "pre", "script", "style", "svg", "table", "template", "footer", "title"}
)

_BLOCK_TAG = re.compile(f"</?(?:{BLOCK_TAGS})(?=[\\s/>])", re.IGNORECASE)

QUOTE_PREFIX = re.compile(r"[ \t]{0,3}(?!>>>[ \t])(?:>[ \t]?)+")
TAG = re.compile(f"<(?P<close>/?)(?P<name>{BLOCK_TAGS})(?:\\s[^<>]*)?/?>", re.IGNORECASE)
FENCE = re.compile(r"(?P<fence>`{3,}|~{3,}|:{3,})[ \t]*\{?(?P<info>[\w:+-]*)")
DIRECTIVE = re.compile(r"\.\.(?:\s+(?:(?P<name>[\w:-]+)::[ \t]*)?|$)")
ADMONITION = re.compile(r"(?:!!!|\?\?\?\+?|===)[ \t]+[\w\"']")
MARKER = re.compile(
    r"(?:(?:\{\{[<%#][^{}]*\}\}\s*)+|\{[%*].*[%*]\}|///.*|\[![A-Z]+\]|\([\w.:-]+\)=|\+\+\+|\^\^\^"
    r"|:[\w-]+:(?:\s.*)?|\[[^\[\]]+\]:\s*\S.*|\*\[[^\[\]]+\]:.*|\{:?\s?[#.][^{}]*\}|\[TOC\]|\\\w+\{.*\})\s*$"
)
HEADING = re.compile(r"(?P<marks>#{1,6})[ \t]+(?P<title>\S.*?)[ \t]*#*[ \t]*(?:\{[^{}]*\}\s*)?$")
UNDERLINE = re.compile(r"(?P<mark>[=\-~^\"'*+#.:_])(?P=mark){2,}\s*$")
BREAK = re.compile(r"(?P<mark>[-*_])(?:[ \t]+(?P=mark)){2,}\s*$")
CELL = re.compile(r"(?:In|Out) ?\[[ \d*]{1,6}\]:")
ROW = re.compile(r"\s\|\s.*\s\|(?:\s|$)")
CODE = re.compile(r"`[^`]*`")
COMPONENT = re.compile(r"</?(?P<name>[A-Z][A-Za-z0-9]+)(?:\s[^<>]*)?/?>")
COMPONENT_END = re.compile(r"</([A-Z][A-Za-z0-9]+)>")
LONGEST_TERM = 60
TABLE = re.compile(r"\||\+[-=+]{3,}|=+(?:[ \t]+=+)+\s*$")
TABLE_RULE = re.compile(r"\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)+\|?\s*$")
ITEM = re.compile(
    r"(?:[-*+\u2022\u2023\u25aa]|(?P<number>\d{1,3})[.)]|#\.|\(?[a-z]\))[ \t]+(?:\[[ xX]\][ \t]+)?"
)
DEFINITION = re.compile(r":[ \t]+(?=\S)")
PROMPT = re.compile(r"(?:>>>|\$|C:\\>)[ \t]")

_PROSE = """
admonition attention caution danger deprecated dropdown error grid grid-item grid-item-card hint
important info note seealso tab-item tab-set tabbed tip topic versionadded versionchanged warning
"""
PROSE_DIRECTIVES = frozenset(_PROSE.split())
INLINE_DIRECTIVES = frozenset(
    {"attention", "caution", "danger", "error", "hint", "important", "note", "tip", "warning"}
)


class Line(NamedTuple):
    """Where a line begins and ends, without its line break."""

    start: int
    end: int


_BREAKS = str.maketrans(dict.fromkeys("\r\x0b\x0c\x85\u2028\u2029", "\n"))


def with_plain_breaks(text: str) -> str:
    """Return a text of the same length whose only line break is LF."""
    return text.replace("\r\n", " \n").translate(_BREAKS)


def lines_of(text: str) -> Iterator[Line]:
    """Cut a text at line breaks, and before tags that begin or end a block."""
    start, length = 0, len(text)
    while start < length:
        found = text.find("\n", start)
        end = length if found < 0 else found
        cuts = [match.start() for match in _BLOCK_TAG.finditer(text, start, end)]
        edges = [start, *(cut for cut in cuts if cut > start), end]
        yield from map(Line, edges, edges[1:])
        start = end + 1
