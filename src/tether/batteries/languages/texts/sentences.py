"""Where the sentences of a text end."""

from __future__ import annotations

import re

_CLOSING = "\"')\\]\u00bb\u2019\u201d\uff09\u300d\u300f"
_OPENING = "\"'([\u00ab\u2018\u201c"
_FULL_WIDTH = "\u3002\uff01\uff1f\uff61"
_LINE_END = "(?>\r\n|\r|\n)"  # atomic: CR LF is one line end, never two
_STOP = re.compile(
    f"[.!?\u2026]+[{_CLOSING}]*"  # a stop
    f"|[{_FULL_WIDTH}]+[{_CLOSING}]*"  # a CJK stop, which no space has to follow
    f"|{_LINE_END}[^\\S\r\n]*{_LINE_END}"  # an empty line
)
_STOPS_ALONE = f"{_FULL_WIDTH}\r\n"
_LETTERS = re.compile(r"[^\W\d_]+")
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


OPENERS = frozenset(
    {"after", "all", "although", "an", "and", "as", "at", "because", "before", "but", "by", "for"}
    | {"from", "he", "here", "his", "her", "how", "however", "if", "in", "it", "its", "my", "next"}
    | {"not", "now", "on", "our", "she", "since", "some", "that", "the", "their", "then", "there"}
    | {"these", "they", "this", "those", "to", "we", "what", "when", "where", "while", "who", "why"}
    | {"with", "you", "your"}
)
"""Words that open a sentence, and are nobody's name behind an initial."""


def sentences_of(text: str, *, start_small: bool = False) -> list[str]:
    """Cut a text behind each sentence; joined, the pieces are the text.

    A sentence ends at . ! ? or … before a space, at the CJK full stops, and at an empty line. A
    stop before a small letter is an abbreviation's; so is one after a title ("Dr."), an initial,
    capitals with stops between them ("U.S."), or "No." and the like before a number. But "Plan B.
    Then" is no name: an initial ends a sentence where one of the `OPENERS` follows with a capital.
    Where sentences `start_small`, a small letter says nothing.
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
    following = rest.lstrip()
    if following[:1].islower() and not start_small:
        return set(mark) <= {"!", "?"}
    before = text[max(0, match.start() - 20) : match.start()]
    return mark != "." or not _is_abbreviated(before, following)


def _is_abbreviated(before: str, following: str) -> bool:
    if not before or before[-1].isspace():
        return False
    word = before.rsplit(maxsplit=1)[-1].lstrip(_OPENING)
    if following[:1].isdigit() and word.lower() in BEFORE_NUMBERS:
        return True
    if word.lower() in NEVER_LAST:
        return True
    return word.isupper() and _INITIAL.fullmatch(word) is not None and not _opens(following)


def _opens(following: str) -> bool:
    """Say whether a sentence surely begins with the first word here."""
    word = _LETTERS.match(following.lstrip(_OPENING))
    return word is not None and word[0].istitle() and word[0].lower() in OPENERS
