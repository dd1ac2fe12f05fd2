"""The code of a block, without what wraps it: fences, directives, indentation, tags."""

from __future__ import annotations

import re
from html import unescape
from itertools import dropwhile
from textwrap import dedent
from typing import TYPE_CHECKING

from tether.text.markdown.site_marks import CODE_OPTION, INCLUDE, TAG

if TYPE_CHECKING:
    from tether.text.units.block_state import Block

_QUOTE = re.compile(r"^[ \t]*(?:>[ \t]?)+", re.MULTILINE)
_DIRECTIVE = re.compile(r"\.\.|(?:`+|~+)\{")


def code_of(text: str, block: Block) -> str:
    """Return the lines of code that are in a passage, without empty lines around them."""
    source = text[slice(*block.body)]
    if block.is_quoted:
        source = _QUOTE.sub("", source)
    if text.startswith("<", block.start):
        source = unescape(TAG.sub("", source))
    lines = source.split("\n")
    lines = [line for line in lines if INCLUDE.fullmatch(line.strip()) is None]
    if _DIRECTIVE.match(text, block.start):
        lines = list(dropwhile(CODE_OPTION.fullmatch, lines))
    if text.startswith(("`", "~"), block.start):
        columns = block.start - (text.rfind("\n", 0, block.start) + 1)
        code = "\n".join(_outdented(line, 0 if block.is_quoted else columns) for line in lines)
    else:
        code = dedent("\n".join(lines))
    return code.strip("\n").rstrip()


def _outdented(line: str, columns: int) -> str:
    """Return a line without the indentation of its fence."""
    indent = len(line) - len(line.lstrip(" \t"))
    return line[min(indent, columns) :]
