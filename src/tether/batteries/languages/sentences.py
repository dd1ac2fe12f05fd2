"""Where the sentences of a text end."""

from __future__ import annotations

import re

_CLOSING = "\"')\\]\u00bb\u2019\u201d\uff09\u300d\u300f"
_OPENING = "\"'([\u00ab\u2018\u201c"
_FULL_WIDTH = "\u3002\uff01\uff1f\uff61"
_LINE_END = "(?:\r\n|\r|\n)"
_STOP = re.compile(
    f"[.!?\u2026]+[{_CLOSING}]*"  # a stop
    f"|[{_FULL_WIDTH}]+[{_CLOSING}]*"  # a CJK stop, which no space has to follow
    f"|{_LINE_END}[^\\S\r\n]*{_LINE_END}"  # an empty line
)
_STOPS_ALONE = f"{_FULL_WIDTH}\r\n"
_INITIAL = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]")

NEVER_LAST = frozenset(
    {"mr", "mrs", "ms", "mx", "dr", "prof", "rev", "hon", "gen", "sen", "rep", "gov", "capt"}
    | {"col", "lt", "sgt", "st", "mt", "vs", "cf", "e.g", "i.e"}
)
"""Abbreviations that something always follows."""

BEFORE_NUMBERS = frozenset(
    {"no", "nos", "fig", "figs", "vol", "vols", "p", "pp", "ch", "sec", "eq"}
)
"""Abbreviations only where a number follows: a sentence may well end in "no"."""


def sentences_of(text: str, *, start_small: bool = False) -> list[str]:
    """Cut a text behind each sentence; joined, the pieces are the text.

    A sentence ends at . ! ? or … before a space, at the CJK full stops, and at an empty line. A
    stop before a small letter is an abbreviation's; so is one after a title ("Dr."), an initial,
    capitals with stops between them ("U.S."), or "No." and the like before a number. Where
    sentences `start_small`, a small letter says nothing.
    """
    ends = [match.end() for match in _STOP.finditer(text) if _is_an_end(text, match, start_small)]
    starts = [0, *ends]
    pieces = [text[start:end] for start, end in zip(starts, [*ends, len(text)], strict=True)]
    return [piece for piece in pieces if piece]


def _is_an_end(text: str, match: re.Match[str], start_small: bool) -> bool:
    mark, rest = match[0], text[match.end() : match.end() + 100]
    if mark[0] in _STOPS_ALONE or not rest:
        return True
    if not rest[0].isspace():
        return False
    following = rest.lstrip()[:1]
    if following.islower() and not start_small:
        return set(mark) <= {"!", "?"}
    before = text[max(0, match.start() - 20) : match.start()]
    return mark != "." or not _is_abbreviated(before, following)


def _is_abbreviated(before: str, following: str) -> bool:
    word = re.split(r"\s", before)[-1].lstrip(_OPENING)
    if following.isdigit() and word.lower() in BEFORE_NUMBERS:
        return True
    return word.lower() in NEVER_LAST or (word.isupper() and _INITIAL.fullmatch(word) is not None)
