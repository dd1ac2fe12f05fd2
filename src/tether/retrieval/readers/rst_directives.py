"""The directives of reStructuredText, and of Sphinx and its extensions: what is kept of each.

An unknown one is taken for one with text inside, whose argument is a title.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tether.retrieval.readers.rst_lines import RstLine, rest
from tether.retrieval.readers.rst_marks import field_body, field_name

_DIRECTIVE = re.compile(r"\.\.\s+([A-Za-z][\w:+.-]{0,80}?)\s?::(?:\s+|$)")

_CODE_NAMES = (
    "code code-block sourcecode testcode testoutput doctest parsed-literal literal prompt math"
    " graphviz digraph graph mermaid uml productionlist ipython jupyter-execute plot console"
    " code-cell exec_code command-output program-output highlight-code"
)
CODE = frozenset(_CODE_NAMES.split())
HIDDEN_CODE = frozenset(("testsetup", "testcleanup"))
NOT_READ = frozenset(("include", "literalinclude", "raw"))
_DROPPED_NAMES = (
    "class contents currentmodule default-domain default-role footer header highlight index"
    " default-literal-role localtoc meta module role rst-class sectnum section-numbering"
    " tabularcolumns target-notes title"
)
DROPPED = frozenset(_DROPPED_NAMES.split())
LINE_LISTS = frozenset(("toctree", "autosummary", "hlist"))
_ARGUMENT_DROPPED_NAMES = (
    "only ifconfig container grid grid-item tab-set tabs button-ref button-link image figure"
    " video youtube card-carousel compound epigraph pull-quote highlights list-item"
    " table-of-contents"
)
ARGUMENT_DROPPED = frozenset(_ARGUMENT_DROPPED_NAMES.split())
_SIGNATURES_NAMES = (
    "attribute class-signature classmethod cmdoption confval data decorator describe directive"
    " envvar exception function member macro method option property staticmethod struct type"
    " typedef union var variable object enum enumerator concept click rst:directive rst:role"
    " setting"
)
SIGNATURES = frozenset(_SIGNATURES_NAMES.split())
VERSIONS: Mapping[str, str] = {
    "versionadded": "Added in version",
    "versionchanged": "Changed in version",
    "versionremoved": "Removed in version",
    "deprecated": "Deprecated since version",
}
_SHOWN_OPTIONS = ("alt", "caption")


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
        """Whether its argument is code: the signature of what it describes."""
        return self.name in SIGNATURES or self.name.startswith("auto") or bool(self.domain)

    @property
    def shown(self) -> list[RstLine]:
        """The options that a reader sees."""
        found = [self.options[name] for name in _SHOWN_OPTIONS if name in self.options]
        return [line for line in found if not line.is_blank]

    def number(self, option: str) -> int:
        """Return an option that is a number; 0 where it is none."""
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
