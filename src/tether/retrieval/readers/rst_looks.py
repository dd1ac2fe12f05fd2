"""Whether a text file is reStructuredText: many projects keep their pages in `.txt`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import PurePosixPath

MOST_BYTES = 200_000
"""How much of a file is looked at."""

_ENDINGS = frozenset((".txt", ".text", ""))
_SURE = re.compile(
    r"^[ \t]*\.\. +(?:[A-Za-z][\w.+-]{0,40}:){0,2}[A-Za-z][\w.+-]{0,40}::(?:\s|$)"  # a directive
    r"|^\.\. +(?:_[^\s:][^:]{0,100}:(?:\s|$)|\[[#\w]{1,40}\] |\|[^|]{1,60}\| )"  # a target, a note
    r"|(?<![\w:]):[a-z][\w.+-]{0,40}(?::[a-z][\w.+-]{0,40}){0,2}:`[^`\s]"  # a role
    r"|[\w>]`__?(?=[\s.,;:)!?]|$)"  # a link
)
_LIKELY = re.compile(r"(?<!`)``[^`\s](?:[^`]{0,200}[^`\s])?``(?!`)|^>>> \S|^:[A-Z]\w+: \S")
_ANNOUNCES_CODE = re.compile(r"[^\s:]::$")
_OTHER = re.compile(
    r"^(?:```|~~~|#{1,6} \S|\* \[|!\[)|\]\((?:https?:|#|\.?/)"  # Markdown
    r"|^(?:={1,5} \S|include::|\[(?:[a-z]+|NOTE|TIP)\]$)"  # AsciiDoc
)
_RULE = re.compile(r"([=\-~^\"'`#*+.:_])\1{2,}")
_SURE_ALONE = 3


def looks_like_rst(name: str, data: bytes) -> bool:
    """Return whether a text file is reStructuredText.

    An adorned title tells it together with one line that has a directive, a role, a link or a
    target, and three such lines tell it by themselves, if fewer are written as in Markdown or
    AsciiDoc. A title by itself does not, because plain text underlines its titles too, unless there
    is a literal, a double colon or a session of Python, and nothing of the others.
    """
    if PurePosixPath(name.partition("?")[0]).suffix.lower() not in _ENDINGS:
        return False
    text = data[:MOST_BYTES].decode("utf-8", "replace")
    lines = [line.rstrip() for line in text.splitlines()]
    sure = sum(1 for line in lines if _SURE.search(line))
    other = sum(1 for line in lines if _OTHER.search(line))
    if not has_title(lines):
        return sure >= _SURE_ALONE and sure > other
    return sure > other or (other == 0 and _is_likely(lines))


def has_title(lines: Sequence[str]) -> bool:
    """Return whether a line is underlined as reStructuredText asks for: over its whole length."""
    return any(
        title != ""
        and (title[0] != " " or above == under)
        and len(under) >= len(title)
        and _RULE.fullmatch(under) is not None
        and _RULE.fullmatch(title) is None
        and (not above or above == under)
        for above, (title, under) in zip(["", *lines], pairwise(lines), strict=False)
    )


def _is_likely(lines: Sequence[str]) -> bool:
    """Return whether there is a mark that is common in reStructuredText and rare elsewhere."""
    if any(_LIKELY.search(line) for line in lines):
        return True
    return any(
        not below and _ANNOUNCES_CODE.search(line) is not None for line, below in pairwise(lines)
    )
