"""The marks that site builders add to Markdown, line by line.

The patterns are possessive where two parts could share characters, so that none of them takes more
than linear time on a line.
"""

from __future__ import annotations

import re

from tether.retrieval.readers.shortcodes import SHORTCODE
from tether.retrieval.readers.shortcodes import shown_by as shown_by_shortcode
from tether.retrieval.readers.tags import TAG, is_tag
from tether.retrieval.readers.tags import shown_by as shown_by_tag

FENCE = re.compile(
    r"[ \t]*+(?:>[ \t]*+|(?:[-*+]|\d{1,9}[.)])[ \t]++)*+"
    r"(?P<ticks>`{3,}+(?=[^`]*$)|~{3,}+)[ \t]*+(?P<info>.*)"
)
DIRECTIVE = re.compile(r"\{(?P<name>[\w:-]+)\}[ \t]*(?P<title>.*)")
CODE_DIRECTIVES = re.compile(r"(?:code|literalinclude|toctree|eval-rst|math|image|include|mermaid)")
ADMONITION = re.compile(
    r"(?:!!!|\?\?\?\+?)[ \t]++[\w:.-]++(?:[ \t]++[\w:.-]++)*+[ \t]*+"
    r"(?:\"(?P<title>[^\"]*+)\")?[ \t]*+"
    r"|===[+!]?[ \t]++\"(?P<tab>[^\"]*+)\"[ \t]*+"
)
CONTAINER = re.compile(
    r"(?::{3,}+|/{3,}+)[ \t]*+(?:\{[\w:-]++\}|[A-Za-z][\w:-]*+)?"
    r"(?:\[(?P<bracketed>[^\[\]]*+)\])?[ \t]*+\|?[ \t]*+(?P<title>[^{}]*+)(?:\{[^{}]*+\})?+[ \t]*+"
)
HEADING = re.compile(r"<h([1-6])\b[^<>]*>.*</h\1\s*>\s*", re.IGNORECASE)
OPTION = re.compile(r"(?: {4}|\t)[\w-]+:[ \t]*\S.*|:[\w-]+:.*")
CODE_OPTION = re.compile(r"[ \t]*+:[\w-]++:.*")
CONTENTS = re.compile(
    r"\([\w.:-]+\)=|\[\[?_?toc_?\]?\]|\{:toc\}|\{\{ *toc *\}\}|\{\*[^{}*]++\*\}"
    r"|\{\{#[^{}]++\}\}",
    re.IGNORECASE,
)
INCLUDE = re.compile(r"\{\{#[^{}]++\}\}")
VERBATIM = re.compile(
    r"<pre\b[^<>]*+>|\{\{[<%]\s*+(?:highlight|mermaid)\b[^{}]*+\}\}(?=[ \t]*+$)", re.IGNORECASE
)
VERBATIM_FENCE = "~" * len("<pre>")
"""No longer than the tag that it stands for, nor than the tag that closes the code."""

VERBATIM_ENDS = {
    "<": re.compile(r"</pre\s*>", re.IGNORECASE),
    "{": re.compile(r"\{\{[<%]\s*/\s*(?:highlight|mermaid)\s*[>%]\}\}", re.IGNORECASE),
}
MODULE = re.compile(r"(?:import|export)\b(?=[ \t{*'\"])")
INLINE_SHORTCODE = re.compile(r"\{\{[<%]\s*(?:glossary_tooltip|skew|param|ref|relref)\b")
DEFINITION = re.compile(
    r" {0,3}\[(?!\^)((?:[^\[\]\\]|\\.){1,999}+)\]:[ \t]*(?:<([^<>]*)>|(\S+))"
    r"(?:[ \t]+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?[ \t]*"
)


def shown_by_line(bare: str, closed: frozenset[str]) -> str | None:
    """Return the words that the tags of a line show; None where there is more than tags."""
    shown: list[str] = []
    position = 0
    while position < len(bare):
        if tag := TAG.match(bare, position):
            if not is_tag(tag, closed):
                return None
            shown.append(shown_by_tag(tag))
        else:
            tag = SHORTCODE.match(bare, position)
            if tag is None:
                return None
            shown.append(shown_by_shortcode(tag))
        position = tag.end()
        while position < len(bare) and bare[position].isspace():
            position += 1
    return " ".join(words for words in shown if words)


def indent_of(body: str) -> str:
    """Return the white space at the start of a line."""
    return body[: len(body) - len(body.lstrip(" \t"))]


def width(indent: str) -> int:
    """Return how many columns an indentation takes."""
    return len(indent.expandtabs(4))


def prefix_length(body: str, columns: int) -> int:
    """Return how many characters at the start of a line, which is not blank, fill the columns."""
    count = filled = 0
    while filled < columns and body[count] in " \t":
        filled += 4 - filled % 4 if body[count] == "\t" else 1
        count += 1
    return count
