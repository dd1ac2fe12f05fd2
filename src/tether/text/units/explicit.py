"""The lines that say what they begin: fences, tags, directives, cells of notebooks, comments.

A rule takes the place, the depth in quotes and the indentation of a line, and says whether it knows
the line.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Literal

from tether.text.directives import DROPPED, is_signature
from tether.text.markdown.marks import fence_of, is_closing_fence
from tether.text.units import lines
from tether.text.units.block_state import (
    CODE_INDENT,
    BlockState,
    Place,
    Region,
    deeper_than,
    is_empty,
    width_of,
)


class ExplicitRules(BlockState, ABC):
    """The rules for markup that names its kind, whatever is above it."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._prose_fences: list[str] = []
        self._components = frozenset(lines.COMPONENT_END.findall(text))
        self._closed_tags = lines.closed_tags(text)

    @abstractmethod
    def classify(self, begin: int, end: int, depth: int, indent: int) -> None:
        """Let the first rule that knows the line take it."""

    def cell(self, begin: int, end: int, depth: int, indent: int) -> bool:
        """A cell of a notebook: its code or its output, until an empty line."""
        match = lines.CELL.match(self._text, begin, end)
        if match is None:
            return False
        self._close()
        start = match.end() + width_of(self._text[match.end() : end])
        body, last = (start, end) if start < end else (-1, -1)
        self._region = Region(is_empty, "code", begin, body, last)
        return True

    def session(self, begin: int, end: int, depth: int, indent: int) -> bool:
        """An interactive session, until an empty line."""
        if not self._text.startswith(">>> ", begin, end):
            return False
        self._close()
        line = self._text.rfind("\n", 0, begin) + 1
        self._region = Region(is_empty, "code", begin, line, end, is_quoted=depth > 0)
        return True

    def comment(self, begin: int, end: int, depth: int, indent: int) -> bool:
        """A comment that fills its lines."""
        if not self._text.startswith("<!--", begin, end):
            return False
        closing = self._text.find("-->", begin, end)
        if closing < 0:
            self._close()
            self._region = Region(lambda line: "-->" in line, is_closed=True)
        return closing < 0 or closing + 3 == end

    def marker(self, begin: int, end: int, depth: int, indent: int) -> bool:
        """A line for the machine: a template, a label, an option, a reference, a prompt."""
        if not any(kind.match(self._text, begin, end) for kind in (lines.MARKER, lines.PROMPT)):
            return False
        self._close()
        return True

    def component(self, begin: int, end: int, depth: int, indent: int) -> bool:
        """A tag of a component around prose, such as <Note>, where the passage closes it too."""
        match = lines.COMPONENT.match(self._text, begin, end)
        if match is None or match["name"] not in self._components:
            return False
        self._close()
        start = match.end() + width_of(self._text[match.end() : end])
        if start < end:
            self.classify(start, end, depth, 0)
        return True

    def fence(self, begin: int, end: int, depth: int, indent: int) -> bool:
        """A fence around code, which is a block, or around prose, which is read."""
        is_container = self._text.startswith(":::", begin, end)
        found = None if is_container else fence_of(self._text[begin:end])
        if found is None and not is_container:
            return False
        self._close()
        if found is None:
            return True
        fence = found.mark
        directive = lines.INFO.match(found.info)
        name = directive["name"] if directive else ""
        if self._prose_fences and fence == self._prose_fences[-1] and not name:
            self._prose_fences.pop()
        elif name in lines.PROSE_FENCES and found.info[0] == "{":
            self._prose_fences.append(fence)
        else:
            self._region = Region(
                lambda line: is_closing_fence(line.strip(" \t>"), fence),
                _kind_of(name) if found.info.startswith("{") else "code",
                begin,
                is_closed=True,
                is_quoted=depth > 0,
            )
        return True

    def tag(self, begin: int, end: int, depth: int, indent: int) -> bool:
        """A tag that begins or ends a block of HTML."""
        match = lines.TAG.match(self._text, begin, end)
        if match is None or lines.is_mentioned(match, self._closed_tags):
            return False
        self._close()
        name, is_closing = match["name"].lower(), bool(match["close"])
        start = match.end() + width_of(self._text[match.end() : end])
        if name in lines.SKIPPED_TAGS and not is_closing:
            self._skip_element(name, begin, start, end)
        elif start < end and not is_closing and name[0] == "h" and name[1:].isdigit():
            self.heading(int(name[1]), start, end)
        elif start < end and not is_closing and name == "dt":
            self._term = start, end
        elif start < end and not is_closing and name == "dd" and self._term:
            self._define(start, end, depth, indent)
        elif start < end and not is_closing and name == "li":
            self._begin_item(start, end, depth, indent, is_ordered=False)
        elif start < end:
            self.classify(start, end, depth, 0)
        return True

    def open_tag(self, begin: int, end: int, depth: int, indent: int) -> bool:
        """A tag that goes on in the next lines."""
        found = lines.OPEN_TAG.match(self._text, begin, end)
        if found is None:
            return False
        place = self._text.find(">", end, end + lines.LONGEST_TAG)
        if place < 0 or lines.END_OF_TAG.search(self._text, end, end + lines.LONGEST_TAG) is None:
            return False
        self._close()
        self._region = Region(
            lambda line: lines.END_OF_TAG.search(line) is not None, is_closed=True
        )
        return True

    def _skip_element(self, name: str, begin: int, start: int, end: int) -> None:
        """Skip an element up to its closing tag; code and tables are blocks."""
        body, last = (start, end) if start < end else (-1, -1)
        kind = lines.ELEMENT_KINDS.get(name)

        def ends(line: str) -> bool:
            return line.lower().startswith(f"</{name}")

        self._region = Region(ends, kind, begin, body, last, is_closed=True)

    def directive(self, begin: int, end: int, depth: int, indent: int) -> bool:
        """An explicit markup block of reStructuredText: prose, code, a table, or skipped."""
        match = lines.DIRECTIVE.match(self._text, begin, end)
        if match is None:
            return False
        self._close()
        domain, _, name = (match["name"] or "").rpartition(":")
        is_prose = name not in lines.NOT_PROSE_DIRECTIVES or (domain and name in DROPPED)
        if not name or not is_prose:
            is_quoted = depth > 0
            self._region = Region(deeper_than(indent), _kind_of(name), begin, is_quoted=is_quoted)
            return True
        self._places.append(Place(indent + 2, indent, indent + 2))
        if name in lines.INLINE_DIRECTIVES and match.end() < end:
            self._add(match.end(), end, depth, indent)
        elif is_signature(domain, name) and match.end() < end:
            self._awaited = match.end(), end
        return True

    def admonition(self, begin: int, end: int, depth: int, indent: int) -> bool:
        """The title line of an admonition whose prose is indented."""
        if lines.ADMONITION.match(self._text, begin, end) is None:
            return False
        self._close()
        self._places.append(Place(indent + CODE_INDENT, indent, indent + CODE_INDENT))
        return True


def _kind_of(directive: str) -> Literal["table", "code"] | None:
    """Return the block that a directive with content for the machine makes; "" is a comment."""
    if directive == "list-table":
        return "table"
    return "code" if directive and directive not in lines.SKIPPED_DIRECTIVES else None
