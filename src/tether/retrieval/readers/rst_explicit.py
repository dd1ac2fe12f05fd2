"""Explicit markup of reStructuredText: the directives of docutils, Sphinx and its extensions.

An unknown one is taken for one with text inside, whose argument is a title.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tether.retrieval.document import Link
from tether.retrieval.readers.rst_inline import Names, folded
from tether.retrieval.readers.rst_items import add_csv_table, add_list_table
from tether.retrieval.readers.rst_marks import (
    RstLine,
    end_of_indented,
    field_body,
    field_name,
    rest,
)
from tether.retrieval.readers.rst_page import RstPage
from tether.text.directives import CODE, DROPPED, HIDDEN_CODE, LINE_LISTS, NOT_READ, is_signature

_DIRECTIVE = re.compile(r"\.\.\s+([A-Za-z][\w:+.-]{0,80}?)\s?::(?:\s+|$)")
_ARGUMENT_DROPPED_NAMES = (
    "only ifconfig container grid grid-item tab-set tabs button-ref button-link image figure"
    " video youtube card-carousel compound epigraph pull-quote highlights list-item"
    " table-of-contents"
)
ARGUMENT_DROPPED = frozenset(_ARGUMENT_DROPPED_NAMES.split())
VERSIONS: Mapping[str, str] = {
    "versionadded": "Added in version",
    "versionchanged": "Changed in version",
    "versionremoved": "Removed in version",
    "deprecated": "Deprecated since version",
}
_SHOWN_OPTIONS = ("alt", "caption")
_TARGET = re.compile(
    r"\.\.\s+_(`[^`]{1,200}`|(?:[^:\\`_]|:(?=\S)|_|\\.){1,200}):(?:\s+|$)|(?:\.\. )?__:?(?:\s+|$)"
)
_FOOTNOTE = re.compile(r"\.\.\s+(?=\[[^\]\s]{1,60}\](?:\s|$))")
_SUBSTITUTION = re.compile(r"\.\.\s+\|([^|]{1,80})\|\s+(?=[A-Za-z])")
_LABELLED = re.compile(r"(.{1,300}?)\s*<([^<>]{1,500})>")


class Directive(NamedTuple):
    """A directive: its name without domain, its argument, its options, and where its content is.

    `content` is the number of the first line below the options.
    """

    name: str
    domain: str
    argument: Sequence[RstLine]
    options: Mapping[str, RstLine]
    content: int

    @property
    def is_signature(self) -> bool:
        """Whether its argument is code: the signature of an object."""
        return is_signature(self.domain, self.name)

    @property
    def shown(self) -> list[RstLine]:
        """The options that a reader sees."""
        found = [self.options[name] for name in _SHOWN_OPTIONS if name in self.options]
        return [line for line in found if not line.is_blank]

    def number(self, option: str) -> int:
        """Return an option that is a number; 0 for anything else."""
        words = self.options[option].words if option in self.options else ""
        return int(words) if words.isascii() and words.isdecimal() and len(words) < 6 else 0


def is_directive(line: RstLine) -> bool:
    """Return whether a line begins a directive."""
    return _DIRECTIVE.match(line.words) is not None


def directive_at(lines: Sequence[RstLine], begin: int, line: RstLine) -> Directive:
    """Return the directive that begins on a line.

    Its argument and options end at the first blank line, or where the indentation does.
    """
    found = _DIRECTIVE.match(line.words)
    name, offset = (found[1].lower(), found.end()) if found else ("", 0)
    domain, _, bare = name.rpartition(":")
    first = rest(line, offset)
    argument = [] if first.is_blank else [first]
    end = begin + 1
    while end < len(lines) and _continues(lines[end], lines[begin]):
        if field_name(lines[end]) or not argument:
            break
        argument.append(lines[end])
        end += 1
    options, end = _options(lines, end, lines[begin])
    return Directive(bare, domain, argument, options, end)


def _options(
    lines: Sequence[RstLine], begin: int, directive: RstLine
) -> tuple[dict[str, RstLine], int]:
    options: dict[str, RstLine] = {}
    end = begin
    while end < len(lines) and _continues(lines[end], directive):
        line = lines[end]
        if name := field_name(line):
            options[name.lower()] = field_body(line)
        elif not options or line.column <= lines[begin].column:
            break
        end += 1
    return options, end


def _continues(line: RstLine, directive: RstLine) -> bool:
    return not line.is_blank and line.column > directive.column


def names_in(lines: Sequence[RstLine]) -> Names:
    """Return the targets and substitutions that a page defines anywhere."""
    targets: dict[str, str] = {}
    substitutions: dict[str, str] = {}
    for line in lines:
        if not line.words.startswith(".. "):
            continue
        if (found := _TARGET.match(line.words)) and found[1]:
            targets[folded(found[1].strip("`").replace("\\", ""))] = line.words[found.end() :]
        elif found := _SUBSTITUTION.match(line.words):
            directive = directive_at([line], 0, _as_directive(line, found))
            replacement = " ".join(part.words for part in directive.argument)
            substitutions[folded(found[1])] = replacement if directive.name == "replace" else ""
    return Names(targets=targets, substitutions=substitutions)


class Explicit:
    """Reads directives, targets, footnotes, substitutions and comments."""

    def __init__(self, page: RstPage, lines: list[RstLine]) -> None:
        self._page = page
        self._lines = lines
        self._label = ""
        self._label_end = 0

    def label_before(self, at: int) -> str:
        """Return the label before a line, if there are only blank lines between."""
        label, self._label = self._label, ""
        blank = self._lines[self._label_end : at] if label else []
        return label if all(line.is_blank for line in blank) else ""

    def read(self, at: int) -> int:
        """Read what begins on a line, and return the number of the line to go on with."""
        line = self._lines[at]
        if found := _TARGET.match(line.words):
            return self._target(at, found)
        if found := _FOOTNOTE.match(line.words):
            return self._footnote(at, found.end())
        if _SUBSTITUTION.match(line.words):
            return self._end_of_lines(at)
        if is_directive(line):
            return self._directive(at, directive_at(self._lines, at, line))
        return self._comment(at)

    def _end_of_lines(self, at: int) -> int:
        """Return the end of the lines that continue one without a blank line between."""
        column, end = self._lines[at].column, at + 1
        while end < len(self._lines) and self._lines[end].column > column:
            end += 1
        return end

    def _target(self, at: int, found: re.Match[str]) -> int:
        line, end = self._lines[at], self._end_of_lines(at)
        parts = [line.words[found.end() :], *(below.words for below in self._lines[at + 1 : end])]
        place, name = "".join(parts).strip("`"), (found[1] or "").strip("`")
        if place and not place.endswith("_"):
            self._page.links.append(Link(target=place, text=name, start=line.start))
        elif name and not place:
            self._label, self._label_end = name, end
            self._page.labels.append(folded(name))
        return end

    def _footnote(self, at: int, offset: int) -> int:
        end = self._end_of_lines(at)
        self._page.prose([rest(self._lines[at], offset), *self._lines[at + 1 : end]])
        return end

    def _comment(self, at: int) -> int:
        line = self._lines[at]
        if line.words == ".." and at + 1 < len(self._lines) and self._lines[at + 1].is_blank:
            return at + 1
        self._page.left_out["comment"] += 1
        return max(end_of_indented(self._lines, at + 1, line.column), at + 1)

    def _directive(self, at: int, directive: Directive) -> int:
        name, begin = directive.name, directive.content
        if name in NOT_READ or "file" in directive.options or "url" in directive.options:
            self._page.left_out["raw" if name == "raw" else "file"] += 1
            return self._end(at, begin)
        if name in HIDDEN_CODE or (name in CODE and "hide" in directive.options):
            self._page.left_out["hidden"] += 1
            return self._end(at, begin)
        if name in DROPPED and not directive.domain:
            return self._dropped(at, directive)
        if name in CODE:
            return self._code(at, directive)
        if name in LINE_LISTS:
            return self._entries(at, directive)
        return self._body(at, directive)

    def _end(self, at: int, begin: int) -> int:
        return max(end_of_indented(self._lines, begin, self._lines[at].column), begin)

    def _dropped(self, at: int, directive: Directive) -> int:
        end = self._end(at, directive.content)
        if directive.name == "meta":
            fields = directive.options.items()
            self._page.metadata.extend((name, line.words) for name, line in fields)
        elif directive.name == "title":
            self._page.title = " ".join(line.words for line in directive.argument)
        return end

    def _code(self, at: int, directive: Directive) -> int:
        end = self._end(at, directive.content)
        for line in directive.shown:
            self._page.prose([line])
        formula = directive.argument if directive.name == "math" else []
        self._page.verbatim([*formula, *self._lines[directive.content : end]])
        return end

    def _entries(self, at: int, directive: Directive) -> int:
        """Read a list of names, one on each line; those of other pages are links."""
        end = self._end(at, directive.content)
        lines = [line for line in self._lines[directive.content : end] if line.words]
        if directive.name == "toctree":
            for line in lines:
                self._entry(line)
        for line in directive.shown:
            self._page.prose([line])
        if "hidden" not in directive.options:
            self._page.verbatim(lines, "list")
        return end

    def _entry(self, line: RstLine) -> None:
        found = _LABELLED.fullmatch(line.words)
        label, place = (found[1], found[2]) if found else ("", line.words)
        self._page.links.append(Link(target=place, text=label, start=line.start))

    def _body(self, at: int, directive: Directive) -> int:
        """Keep the argument as a paragraph, and read the content as if it stood alone."""
        if directive.argument and directive.name not in ARGUMENT_DROPPED:
            if directive.is_signature:
                self._page.verbatim(directive.argument, "paragraph")
            else:
                before = VERSIONS.get(directive.name, "")
                self._page.prose(directive.argument, before=before)
        for line in directive.shown:
            self._page.prose([line])
        return self._content(at, directive)

    def _content(self, at: int, directive: Directive) -> int:
        begin = directive.content
        if directive.name not in ("list-table", "csv-table"):
            return begin
        end = self._end(at, begin)
        rows, lines = directive.number("header-rows"), self._lines[begin:end]
        if directive.name == "list-table":
            add_list_table(self._page, lines, rows)
        else:
            header = directive.options.get("header")
            lines = [*([header] if header else []), *lines]
            add_csv_table(self._page, lines, rows + (1 if header else 0))
        return end


def _as_directive(line: RstLine, found: re.Match[str]) -> RstLine:
    """Return the directive in a substitution as if it stood alone."""
    words = f".. {line.words[found.end() :]}"
    return RstLine(line.begin, line.start, line.end, line.column, words)
