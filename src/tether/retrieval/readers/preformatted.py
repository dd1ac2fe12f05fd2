"""Prose that a page sets as it was typed: plain text in a `pre` element, as old manuals have it."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from tether.text.sentences import is_ended
from tether.text.words import count_letters, words_in

LEAST_WORDS = 8
"""How many words a paragraph has at least, as opposed to a line of code or a label."""

LEAST_PROSE = 25
"""How many words of prose a text has at least: less may be a comment in code."""

DEEPEST = 3
"""How far a paragraph is indented at most; what is further in is an example."""

LEAST_LETTERS = 0.75
_BLANK = re.compile(r"\n[ \t]*\n")
_CODE_LINE = re.compile(r"[;{}\\][ \t]*$|^[ \t]*(?:[$#@{}]|//)", re.MULTILINE)


class Part(NamedTuple):
    """A paragraph, or lines that stay as they are."""

    text: str
    is_prose: bool


def prose_in(text: str) -> list[Part]:
    """Return the paragraphs of a preformatted text and what is between them; [] for code.

    It is prose if most of its words are in paragraphs that read like sentences.
    """
    blocks = [Part(one, _is_paragraph(one)) for one in _BLANK.split(text) if one.strip()]
    words = sum(len(words_in(one.text)) for one in blocks)
    prose = sum(len(words_in(one.text)) for one in blocks if one.is_prose)
    is_prose = prose >= LEAST_PROSE and prose * 2 > words
    return list(_joined(blocks)) if is_prose else []


def _is_paragraph(block: str) -> bool:
    first = block.strip("\n")
    indent = len(first) - len(first.lstrip(" \t"))
    text = " ".join(block.split())
    letters = count_letters(text) / max(1, len(text) - text.count(" "))
    is_said = is_ended(text) and len(words_in(text)) >= LEAST_WORDS
    is_words = letters >= LEAST_LETTERS and _CODE_LINE.search(block) is None
    return indent <= DEEPEST and is_said and is_words


def _joined(blocks: list[Part]) -> Iterator[Part]:
    """Yield paragraphs one by one, and other lines together."""
    for is_prose, group in groupby(blocks, key=lambda one: one.is_prose):
        texts = [one.text.strip("\n") for one in group]
        if is_prose:
            yield from (Part(" ".join(text.split()), is_prose=True) for text in texts)
        else:
            yield Part(textwrap.dedent("\n\n".join(texts)), is_prose=False)
