"""HTML as a sequence of tags and runs of text, in linear time whatever the page contains.

A search that finds no end ends the whole reading, so no part of a page is read twice.
The standard library's parser goes through some pages a thousand times in Python versions that are
still in use (CVE-2025-6069), which is why it is not used.
"""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING, NamedTuple

from tether.text.html.elements import RAW_TEXT

if TYPE_CHECKING:
    from collections.abc import Iterator

_MARKUP = re.compile(r"<(?=[A-Za-z/!?])")
_TAG = re.compile(r"<(/?)([A-Za-z][^ \t\n\f\r/>]*+)")
_ATTRIBUTE = re.compile(
    r"[ \t\n\f\r/]*+([^ \t\n\f\r/>][^ \t\n\f\r/>=]*+)([ \t\n\f\r]*+=[ \t\n\f\r]*+)?+"
)
_UNQUOTED = re.compile(r"[^ \t\n\f\r>]*+")
_COMMENT_END = re.compile(r"--!?>")
_RAW_ENDS = {
    name: re.compile(rf"</{name}(?=[ \t\n\f\r/>])", re.IGNORECASE)
    for name in (*RAW_TEXT, "noscript")
}
_HUGE_REFERENCE = re.compile(r"&#[0-9]{8,}+;?")
_MOST_ATTRIBUTES = 256
_LONGEST_RUN = 4_096
_LONGEST_REFERENCE = 40


class Text(NamedTuple):
    """A run of text, with its references (`&amp;`) resolved; a long one comes in several."""

    text: str


class StartTag(NamedTuple):
    """A tag that opens an element."""

    name: str
    attributes: dict[str, str]
    is_closed: bool
    """Whether it ends in `/>`."""

    raw: str | None
    """The content of an element that has only text: a script, a style, a title."""


class EndTag(NamedTuple):
    """A tag that closes an element."""

    name: str


Token = Text | StartTag | EndTag


def tokens(source: str) -> Iterator[Token | None]:
    """Yield the tags and texts of a page, and None for a comment."""
    at = 0
    while at < len(source):
        token, at = _next(source, at)
        yield token


def resolved(text: str) -> str:
    """Return text with its references resolved: numbers beyond any character become U+FFFD."""
    return unescape(_HUGE_REFERENCE.sub("\ufffd", text))


def _next(source: str, at: int) -> tuple[Token | None, int]:
    if _MARKUP.match(source, at) is None:
        end = _end_of_run(source, at)
        return Text(resolved(source[at:end])), end
    if tag := _TAG.match(source, at):
        return _tag(source, tag)
    if source.startswith("<!--", at):
        found = _COMMENT_END.search(source, at + 2)  # "<!-->" is a whole comment
        return None, found.end() if found else len(source)
    return None, _after(source, ">", at)


def _end_of_run(source: str, at: int) -> int:
    """Return where the text from here ends: at a tag, or after a length but not in a reference."""
    limit = at + _LONGEST_RUN
    found = _MARKUP.search(source, at + 1, limit + 1)
    if found is not None:
        return found.start()
    reference = source.rfind("&", limit - _LONGEST_REFERENCE, limit)
    return reference if reference > at else min(limit, len(source))


def _tag(source: str, tag: re.Match[str]) -> tuple[Token, int]:
    name = tag[2].lower()
    attributes, end = _attributes(source, tag.end())
    if tag[1]:
        return EndTag(name), end
    is_closed = source[end - 2] == "/"
    if name not in _RAW_ENDS:
        return StartTag(name, attributes, is_closed, None), end
    found = _RAW_ENDS[name].search(source, end)
    raw_end = found.start() if found else len(source)
    return StartTag(name, attributes, is_closed, source[end:raw_end]), raw_end


def _attributes(source: str, at: int) -> tuple[dict[str, str], int]:
    """Return a tag's attributes by lower-case name, and where the tag ends."""
    found: dict[str, str] = {}
    for _ in range(_MOST_ATTRIBUTES):
        name = _ATTRIBUTE.match(source, at)
        if name is None:
            break
        value, at = _value(source, name)
        found.setdefault(name[1].lower(), value)
    return found, _after(source, ">", at)


def _value(source: str, name: re.Match[str]) -> tuple[str, int]:
    at = name.end()
    if name[2] is None:
        return "", at
    quote = source[at : at + 1]
    if quote in ('"', "'"):
        end = _after(source, quote, at + 1)
        return source[at + 1 : end - 1], end
    end = _UNQUOTED.match(source, at).end()  # type: ignore[union-attr]  # it matches the empty string too
    return source[at:end], end


def _after(source: str, mark: str, at: int) -> int:
    found = source.find(mark, at)
    return len(source) if found < 0 else found + len(mark)
