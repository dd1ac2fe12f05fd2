"""Where Markdown's links lead: destinations, titles, labels and definitions (CommonMark 0.31).

Every pattern here is possessive, so that none of them can backtrack.
"""

from __future__ import annotations

import re
from html.entities import html5
from typing import NamedTuple, cast

from tether.text.markdown.marks import ESCAPE

LONGEST_LABEL = 999

_ENTITY = (
    r"&(?:#(?P<decimal>[0-9]{1,7})|#[xX](?P<hexadecimal>[0-9a-fA-F]{1,6})|(?P<name>\w{2,32}));"
)
_ESCAPE = re.compile(f"{ESCAPE.pattern}|{_ENTITY}")
_SPACE = re.compile(r"[ \t\n]*+")
_LINE_END = re.compile(r"[ \t]*+(?:\n|\Z)")
_LABEL = re.compile(rf"\[((?:[^\\\[\]]|\\.){{1,{LONGEST_LABEL}}}+)\]", re.DOTALL)
_POINTED = re.compile(r"<((?:[^<>\n\\]|\\.)*+)>")
_TITLES = {
    '"': re.compile(r'"((?:[^"\\]|\\.)*+)"', re.DOTALL),
    "'": re.compile(r"'((?:[^'\\]|\\.)*+)'", re.DOTALL),
    "(": re.compile(r"\(((?:[^()\\]|\\.)*+)\)", re.DOTALL),
}


class Destinations(NamedTuple):
    """The destinations that are read without angle brackets.

    `stops` finds the characters that may end one; a longer match is part of the destination.
    `deepest` is how deep its parentheses may nest.
    """

    stops: re.Pattern[str] = re.compile(r"[\x00-\x20\x7f()\\]")
    deepest: int = 10


PLAIN = Destinations()


class Target(NamedTuple):
    """Where a link leads, and its title."""

    url: str
    title: str | None


class FoundTarget(NamedTuple):
    """A target, and where its notation ends."""

    target: Target
    end: int


class Label(NamedTuple):
    """A label in the form in which labels are compared, and where its notation ends."""

    name: str
    end: int


class Definition(NamedTuple):
    """A link reference definition: the label, its target, and where the definition ends."""

    name: str
    target: Target
    end: int


def unescape(text: str) -> str:
    """Replace backslash escapes and character references by the characters they stand for."""
    return _ESCAPE.sub(_unescaped, text)


def label_name(text: str) -> str:
    """Return a label in the form in which labels are compared: case and spacing do not count."""
    return " ".join(text.split()).casefold()


def read_label(text: str, position: int) -> Label | None:
    """Read a label in brackets that is not blank."""
    found = _LABEL.match(text, position)
    if found is None or not found[1].strip():
        return None
    return Label(label_name(found[1]), found.end())


def read_inline_target(
    text: str, position: int, destinations: Destinations = PLAIN
) -> FoundTarget | None:
    """Read a destination and an optional title in parentheses, as they follow a link's text."""
    if not text.startswith("(", position):
        return None
    start = _skip(text, position + 1)
    url, end = _destination(text, start, destinations) or ("", start)
    title, after = _title(text, end) if end > start else (None, end)
    after = _skip(text, after)
    return FoundTarget(Target(url, title), after + 1) if text.startswith(")", after) else None


def read_definition(text: str, position: int) -> Definition | None:
    """Read a definition; nothing else may follow it on its last line."""
    label = read_label(text, position)
    if label is None or not text.startswith(":", label.end):
        return None
    found = _destination(text, _skip(text, label.end + 1), PLAIN)
    if found is None:
        return None
    url, end = found
    title, after = _title(text, end)
    line_end = _LINE_END.match(text, after)
    if line_end is None and title is not None:  # not a title, but the text of the next line
        title, line_end = None, _LINE_END.match(text, end)
    if line_end is None:
        return None
    return Definition(label.name, Target(url, title), line_end.end())


def _skip(text: str, position: int) -> int:
    rest = cast("re.Match[str]", _SPACE.match(text, position))  # an empty match at least
    return rest.end()


def _destination(text: str, position: int, destinations: Destinations) -> tuple[str, int] | None:
    """Read <anything>, or a word whose parentheses are balanced; return None for neither."""
    if text.startswith("<", position):
        found = _POINTED.match(text, position)
        return None if found is None else (unescape(found[1]), found.end())
    end = _end_of_word(text, position, destinations)
    return None if end == position else (unescape(text[position:end]), end)


def _end_of_word(text: str, position: int, destinations: Destinations) -> int:
    depth, end = 0, position
    while stop := destinations.stops.search(text, end):
        end = stop.start()
        if len(stop[0]) > 1:
            end = stop.end()
        elif stop[0] == "\\":
            end += 2 if _ESCAPE.match(text, end) else 1
        elif stop[0] == "(" and depth < destinations.deepest:
            depth, end = depth + 1, end + 1
        elif stop[0] == ")" and depth:
            depth, end = depth - 1, end + 1
        else:
            break
    else:
        end = len(text)
    return position if depth else end


def _title(text: str, position: int) -> tuple[str | None, int]:
    """Read a title after white space; return None and the same position if there is no title."""
    start = _skip(text, position)
    form = _TITLES.get(text[start : start + 1])
    found = form.match(text, start) if form and start > position else None
    return (None, position) if found is None else (unescape(found[1]), found.end())


def _unescaped(found: re.Match[str]) -> str:
    if found[1]:
        return found[1]
    if found["name"]:
        return html5.get(f"{found['name']};", found[0])
    code = int(found["decimal"] or found["hexadecimal"], 10 if found["decimal"] else 16)
    is_valid = 0 < code < 0xD800 or 0xDFFF < code <= 0x10FFFF
    return chr(code) if is_valid else "\ufffd"
