"""A Markdown page as lines that a CommonMark parser understands, each with its place.

Site builders add markup that CommonMark would read as prose or as code: containers, admonitions
with indented content, tabs, shortcodes, components, imports. Here the marker lines are blanked,
titles become paragraphs of their own, and indented content is moved to the left. No character is
invented but the fences that stand where tags open and close code: each other line of the surface is
a part of a line of the page.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from tether.retrieval.readers.lines import Line, lines_of
from tether.text.markdown.marks import fence_of, is_closing_fence, leaf_place
from tether.text.markdown.site_marks import (
    ADMONITION,
    CODE_DIRECTIVES,
    CONTAINER,
    CONTENTS,
    DIRECTIVE,
    HEADING,
    INLINE_SHORTCODE,
    MODULE,
    OPTION,
    TAG,
    VERBATIM,
    VERBATIM_ENDS,
    VERBATIM_FENCE,
    indent_of,
    prefix_length,
    shown_by_line,
    width,
)
from tether.text.markdown.targets import Target, read_definition

MOST_REFERENCES = 20_000
STEP = 4
"""The columns by which the content of an admonition is indented."""


class SurfaceLine(NamedTuple):
    """A part of a source line: its place and its text, without the newline."""

    start: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """The input of the block parser. `references` are the link definitions by label name."""

    lines: tuple[SurfaceLine, ...]
    references: dict[str, Target] = field(default_factory=dict[str, Target])


def surface(text: str, start: int, *, closed: frozenset[str], mdx: bool) -> Surface:
    """Return the surface of a page from `start` on; its hidden parts are blank already.

    `closed` are the tag names that are closed somewhere in it.
    """
    builder = _Builder(text, closed, mdx=mdx)
    for line in lines_of(text, start):
        builder.take(line)
    return Surface(lines=tuple(builder.lines), references=builder.references)


class _Builder:
    """Takes the lines one by one; remembers which fence, container or HTML block is open."""

    def __init__(self, text: str, closed: frozenset[str], *, mdx: bool) -> None:
        self.lines: list[SurfaceLine] = []
        self.references: dict[str, Target] = {}
        self._text = text
        self._closed = closed
        self._mdx = mdx
        self._fence = ""
        self._ender: re.Pattern[str] | None = None
        self._unclosed: set[str] = set()
        self._directives: list[str] = []
        self._indents: list[int] = []
        self._html = False
        self._module = 0
        self._options = False
        self._afresh = True

    def take(self, line: Line) -> None:
        """Add what one source line shows."""
        body = line.of(self._text)
        if not body.strip():
            self._blank(line.start)
            self._html = self._options = False
            self._afresh = True
            self._module = max(self._module - 1, 0) if self._module > 1 else 0
            return
        start, body = self._moved(line.start, body)
        if self._ender is not None:
            self._inside_verbatim(start, body, self._ender)
            return
        if self._fence:
            self._inside_fence(start, body)
            return
        fresh, self._afresh = self._afresh, False
        if self._markup(start, body, fresh=fresh):
            return
        self._prose(start, body, fresh=fresh)

    def _blank(self, start: int) -> None:
        self.lines.append(SurfaceLine(start, ""))

    def _show(self, start: int, body: str) -> None:
        self.lines.append(SurfaceLine(start, body))

    def _moved(self, start: int, body: str) -> tuple[int, str]:
        """Take off the indentation of the admonitions around the line; close those it has left."""
        if not self._indents:
            return start, body
        indent = width(indent_of(body))
        if not self._fence:
            while self._indents and indent < self._indents[-1]:
                self._indents.pop()
        off = prefix_length(body, STEP * len(self._indents))
        return start + off, body[off:]

    def _inside_fence(self, start: int, body: str) -> None:
        self._show(start, body)
        if is_closing_fence(body.strip(" \t>"), self._fence):
            self._fence = ""

    def _markup(self, start: int, body: str, *, fresh: bool) -> bool:
        """Take a line that is markup as a whole; return whether it was."""
        return (
            self._closes_directive(start, body)
            or self._opens_verbatim(start, body)
            or self._opens_fence(start, body)
            or self._module_line(start, body, fresh=fresh)
            or self._titled(start, body)
            or self._option_line(start, body)
            or self._defines(start, body, fresh=fresh)
            or self._only_tags(start, body, fresh=fresh)
        )

    def _closes_directive(self, start: int, body: str) -> bool:
        if not self._directives:
            return False
        bare = body.strip()
        if bare.strip(bare[0]) or bare[0] != self._directives[-1][0]:
            return False
        if len(bare) < len(self._directives[-1]):
            return False
        self._directives.pop()
        self._blank(start)
        self._afresh = True
        return True

    def _opens_fence(self, start: int, body: str) -> bool:
        if "```" not in body and "~~~" not in body:
            return False
        content = body.rstrip()
        fence = fence_of(content[leaf_place(content).position :])
        if fence is None:
            return False
        directive = DIRECTIVE.fullmatch(fence.info)
        if directive is None or CODE_DIRECTIVES.match(directive["name"]):
            self._fence = fence.mark
            self._show(start, body)
            return True
        self._directives.append(fence.mark)
        place = start + len(content) - len(fence.info) + directive.start("title")
        self._title(place, directive["title"])
        return True

    def _opens_verbatim(self, start: int, body: str) -> bool:
        """Show `<pre>` and similar tags as a fence: up to the closing tag they contain code."""
        tag = VERBATIM.match(body) if body[0] in "<{" else None
        if tag is None or body[0] in self._unclosed:
            return False
        ender = VERBATIM_ENDS[body[0]]
        if ender.search(self._text, start + tag.end()) is None:
            self._unclosed.add(body[0])
            return False
        self._show(start, VERBATIM_FENCE)
        self._fence, self._ender = VERBATIM_FENCE, ender
        if body[tag.end() :].strip():
            self._inside_verbatim(start + tag.end(), body[tag.end() :], ender)
        return True

    def _inside_verbatim(self, start: int, body: str, ender: re.Pattern[str]) -> None:
        """Show code up to the closing tag; the rest of the line is prose."""
        closing = ender.search(body)
        code = body[: closing.start()] if closing else body
        if code.strip():
            self._show(start, code)
        if closing is None:
            return
        self._show(start + closing.start(), VERBATIM_FENCE[0] * len(closing[0]))
        self._fence, self._ender = "", None
        self._afresh = True
        if body[closing.end() :].strip():
            self._prose(start + closing.end(), body[closing.end() :], fresh=True)

    def _module_line(self, start: int, body: str, *, fresh: bool) -> bool:
        """Leave out the imports and exports of MDX: to the blank line after balanced braces."""
        if not self._mdx or not (self._module or (fresh and MODULE.match(body))):
            return False
        depth = max(self._module, 1) + body.count("{") - body.count("}")
        self._module = max(depth, 1)
        self._blank(start)
        self._afresh = self._module == 1
        return True

    def _titled(self, start: int, body: str) -> bool:
        """Take the line that opens or closes a container, an admonition or a tab."""
        indent = indent_of(body)
        bare = body[len(indent) :]
        if bare[0] in "!?=" and (match := ADMONITION.fullmatch(bare)):
            inside = STEP * (len(self._indents) + 1)
            self._indents.append(inside + width(indent))
            part = "tab" if match["tab"] else "title"
        elif bare[:3] in (":::", "///") and (match := CONTAINER.fullmatch(bare)):
            part = "bracketed" if match["bracketed"] else "title"
            self._options = True
        else:
            return False
        title = match[part] or ""
        self._title(start + len(indent) + max(match.start(part), 0), title)
        return True

    def _title(self, start: int, title: str) -> None:
        """Show a title as a separate paragraph."""
        self._blank(start)
        if title.strip():
            self._show(start, title)
            self._blank(start)
        self._options = True
        self._afresh = True

    def _option_line(self, start: int, body: str) -> bool:
        if self._options and OPTION.fullmatch(body):
            self._blank(start)
            return True
        self._options = False
        bare = body.strip()
        if bare[0] in "([{" and CONTENTS.fullmatch(bare):
            self._blank(start)
            return True
        return False

    def _defines(self, start: int, body: str, *, fresh: bool) -> bool:
        if not fresh or "]:" not in body or len(self.references) >= MOST_REFERENCES:
            return False
        indent = indent_of(body)
        is_other = width(indent) > 3 or body.startswith("[^", len(indent))  # code, or a footnote
        found = None if is_other else read_definition(body, len(indent))
        if found is None:
            return False
        self.references.setdefault(found.name, found.target)
        self._blank(start)
        self._afresh = True
        return True

    def _only_tags(self, start: int, body: str, *, fresh: bool) -> bool:
        """Blank a line of nothing but tags; where they show words it stays, as a paragraph.

        A tag that shows words in the middle of a sentence is left where it is.
        """
        bare = body.strip()
        if bare[0] not in "<{":
            return False
        shown = shown_by_line(bare, self._closed)
        if shown is None or (shown and (not fresh or INLINE_SHORTCODE.match(bare))):
            return False
        self._html = self._html or bare[0] == "<"
        self._title(start + body.index(bare[0]), bare if shown else "")
        self._options = False
        return True

    def _prose(self, start: int, body: str, *, fresh: bool) -> None:
        if fresh and TAG.match(body, len(indent_of(body))):
            self._html = True
        if self._html:
            off = len(indent_of(body))
            start, body = start + off, body[off:]
        if body[0] == "<" and HEADING.fullmatch(body):
            self._title(start, body)
            return
        self._afresh = body.startswith("#")
        self._show(start, body)
