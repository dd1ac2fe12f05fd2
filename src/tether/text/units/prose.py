"""Judgements on sentences of a passage: cut, leading to more, a label, with a gap in it."""

from __future__ import annotations

import re

from tether.text.markdown.marks import CODE_SPAN
from tether.text.markdown.site_marks import MODULE, SHORTCODE, shown_by_shortcode
from tether.text.sentences import LONGEST, begins_with_name
from tether.text.words import count_letters, words_in

FEWEST_WORDS = 3
"""How many words a paragraph needs that does not end as a sentence does."""

FEWEST_MARKED_WORDS = 6
"""How many words it needs where it looks like a label: with a colon, or bold throughout."""

_SMALL_START = re.compile(
    r"(?:and|as|because|but|by|for|from|in|into|like|nor|of|on|or|since|so|such|than|that|then"
    r"|through|to|using|via|where|when|which|while|who|whose|with|would)\b"
)
_CUT_START = tuple(",;)]}\u3001\u3002\uff0c")
_COLON = re.compile(r"[:\uff1a](?:\s|[*_~]|</\w{1,20}>){0,8}$")
_BOLD = re.compile(r"(?P<mark>\*\*|__)(?:(?!(?P=mark)).)+(?P=mark)", re.DOTALL)
_LINK = re.compile(r"!?\[[^\[\]]*\](?:\([^()]*\)|\[[^\[\]]*\])")
_CODE = re.compile(
    r"[;({\[}=][ \t]*$|,\Z|^[ \t]*[@$#{}]|[ ](?:[-+*/!=<>]?=|&&|\||--?[A-Za-z][\w-]*)[ ]"
    r"|=>|->|\w::\w|\);",
    re.MULTILINE,
)
_CLOSING_SHORTCODE = re.compile(r"\{\{[<%]\s*/\s*([\w./-]+)")


def is_cut(source: str, *, is_first: bool) -> bool:
    """Say whether a paragraph begins in the middle of a sentence; the first of a passage may."""
    if is_first and source.startswith(_CUT_START):
        return True
    if not source[0].islower():
        return False
    return _SMALL_START.match(source) is not None or (is_first and not begins_with_name(source))


def leads(source: str) -> bool:
    """Say whether a sentence leads to something below: it ends in a colon."""
    return _COLON.search(source[-100:]) is not None


def says_something(source: str, text: str) -> bool:
    """Say whether a sentence without a stop is one: not a label, a link alone, code or debris.

    `text` is its readable form. A very long one may be cut, as documents are after `LONGEST`.
    """
    if len(source) > LONGEST or _LINK.fullmatch(source) or MODULE.match(source) or is_code(source):
        return False
    is_marked = leads(source) or _BOLD.fullmatch(source) is not None
    letters = count_letters(text)
    is_words = letters * 2 >= len(text) - text.count(" ")
    fewest = FEWEST_MARKED_WORDS if is_marked else FEWEST_WORDS
    return is_words and len(words_in(text)) >= fewest


def is_code(source: str) -> bool:
    """Say whether text looks like the lines of a program, where nothing says that it is."""
    return _CODE.search(CODE_SPAN.sub("x", source)) is not None


def closed_shortcodes(text: str) -> frozenset[str]:
    """Return the names of the shortcodes that wrap text in a passage."""
    return frozenset(_CLOSING_SHORTCODE.findall(text)) if "{{" in text else frozenset()


def has_gap(source: str, closed: frozenset[str]) -> bool:
    """Say whether a shortcode would insert text here that is not in the passage.

    Shortcodes that wrap text, whose names are in `closed`, insert none.
    """
    if "{{" not in source and "{%" not in source:
        return False
    bare = CODE_SPAN.sub("", source)
    return any(
        not shown_by_shortcode(found) and not found["slash"] and found["name"] not in closed
        for found in SHORTCODE.finditer(bare)
    )
