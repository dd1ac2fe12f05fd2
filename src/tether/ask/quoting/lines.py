"""The lines of a passage in Markdown, reStructuredText, HTML or plain text, by their look."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from tether.text.html.elements import BLOCKS
from tether.text.markdown.marks import Place, fence_of, find_front_matter

if TYPE_CHECKING:
    from collections.abc import Iterator

SKIPPED_TAGS = frozenset(
    {"head", "nav", "pre", "script", "style", "svg", "table", "template", "footer", "title"}
)

_PLACEHOLDER_NAMES = (
    "address caption center colgroup dialog dir fieldset form hgroup legend menu search"
)
_BLOCK_NAMES = "|".join(sorted((BLOCKS | SKIPPED_TAGS) - frozenset(_PLACEHOLDER_NAMES.split())))
"""Without elements that are rare in passages, where `<address>` is more often a placeholder."""

_BLOCK_TAG = re.compile(f"</?(?:{_BLOCK_NAMES})(?=[\\s/>])", re.IGNORECASE)

TAG = re.compile(f"<(?P<close>/?)(?P<name>{_BLOCK_NAMES})(?:\\s[^<>]*)?/?>", re.IGNORECASE)
INFO = re.compile(r"\{?(?P<name>[\w:+-]*)")
DIRECTIVE = re.compile(r"\.\.(?:\s+(?:(?P<name>[\w:-]+)::[ \t]*)?|$)")
ADMONITION = re.compile(r"(?:!!!|\?\?\?\+?|===)[ \t]+[\w\"']")
MARKER = re.compile(
    r"(?:(?:\{\{[<%#][^{}]*\}\}\s*)+|\{[%*].*[%*]\}|///.*|\[![A-Z]+\]|\([\w.:-]+\)=|\+\+\+|\^\^\^"
    r"|:[\w-]+:(?:\s.*)?|\[[^\[\]]+\]:\s*\S.*|\*\[[^\[\]]+\]:.*|\{:?\s?[#.][^{}]*\}|\[TOC\]|\\\w+\{.*\})\s*$"
)
ATTRIBUTES = re.compile(r"[ \t]*\{[^{}]*\}\s*$")
UNDERLINE = re.compile(r"(?P<mark>[=\-~^\"'*+#.:_])(?P=mark){2,}\s*$")
CELL = re.compile(r"(?:In|Out) ?\[[ \d*]{1,6}\]:")
ROW = re.compile(r"\s\|\s.*\s\|(?:\s|$)")
COMPONENT = re.compile(r"</?(?P<name>[A-Z][A-Za-z0-9]+)(?:\s[^<>]*)?/?>")
COMPONENT_END = re.compile(r"</([A-Z][A-Za-z0-9]+)>")
LONGEST_TERM = 60
LARGEST_NUMBER = 999
LINE_START = Place()
TABLE = re.compile(r"\||\+[-=+]{3,}|=+(?:[ \t]+=+)+\s*$")
OTHER_ITEM = re.compile(r"(?:[\u2022\u2023\u25aa]|#\.|\(?[a-z]\))[ \t]+")
TASK = re.compile(r"\[[ xX]\][ \t]+")
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


LONGEST_FRONT_MATTER = 8_000

_TITLE = re.compile(r"^title\s*[:=]\s*[\"']?(?P<title>[^\"'\n]*[^\"'\n\s])", re.MULTILINE)
_LINE = re.compile(r"^.*$", re.MULTILINE)
_BREAKS = str.maketrans(dict.fromkeys("\r\x0b\x0c\x85\u2028\u2029", "\n"))


def with_plain_breaks(text: str) -> str:
    """Return a text of the same length whose only line break is LF."""
    return text.replace("\r\n", " \n").translate(_BREAKS)


def lines_of(text: str) -> Iterator[tuple[int, int]]:
    """Yield the places of the lines, cut at line breaks and before the tags of blocks."""
    start, length = 0, len(text)
    while start < length:
        found = text.find("\n", start)
        end = length if found < 0 else found
        cuts = [match.start() for match in _BLOCK_TAG.finditer(text, start, end)]
        edges = [start, *(cut for cut in cuts if cut > start), end]
        yield from pairwise(edges)
        start = end + 1


def start_of(text: str) -> tuple[int, tuple[int, int] | None]:
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
    marks = ((line, fence_of(line[0].strip(" \t"))) for line in _LINE.finditer(text))
    fences = [(line, fence) for line, fence in marks if fence]
    if len(fences) % 2 == 0 or fences[0][1].info:
        return 0
    first = fences[0][0]
    above = text[: first.start()].removesuffix("\n").rpartition("\n")[2].rstrip()
    is_followed = text[first.end() :].strip() != ""
    return first.end() if above and above[-1] not in ".:" and is_followed else 0
