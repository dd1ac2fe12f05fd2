"""Lines of key=value and KEY: value, as in environment files, properties and headers."""

from __future__ import annotations

import re
from typing import NamedTuple

from tether.core.checks import in_short
from tether.core.errors import InputRefused

_SEPARATOR = re.compile("[=:]")
_EXPORT = re.compile(r"\Aexport\s+")
_COMMENT = re.compile(r"\s#")
_QUOTED = {
    '"': re.compile(r'"((?:[^"\\]|\\.)*)"\s*(?:#.*)?'),
    "'": re.compile(r"'([^']*)'\s*(?:#.*)?"),
}
_ESCAPE = re.compile(r'\\([nrt"\\])')
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\"}


class _Entry(NamedTuple):
    line: int
    value: str


def parse_key_values(text: str) -> dict[str, str]:
    """Return the pairs of a text, one from each line; values stay text.

    The first "=" or ":" of a line ends its key. Blank lines and lines that begin with # or ; are
    skipped, and "export" before a key with "=" is dropped. A value in single quotes is taken as it
    is, one in double quotes understands a backslash before n, r, t, a quote and a backslash, and
    any other ends at a # that follows a space. Raises `InputRefused`, naming the line, for a line
    without a pair, a section, a key that is empty or there already, and a quote that is not closed
    at the end of its value.
    """
    entries: dict[str, _Entry] = {}
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        stripped = line.strip()
        if not stripped or stripped[0] in "#;":
            continue
        key, value = _pair(number, stripped)
        if (before := entries.get(key)) is not None:
            where = f"lines {before.line} and {number}"
            raise InputRefused(f"the key {in_short(key)} is there twice, in {where}; keep one")
        entries[key] = _Entry(number, value)
    return {key: entry.value for key, entry in entries.items()}


def _pair(number: int, line: str) -> tuple[str, str]:
    separator = _SEPARATOR.search(line)
    if line[0] == "[" or separator is None:
        raise InputRefused(
            f"line {number} is no key=value or KEY: value, but {in_short(line)}; "
            "sections are not read, and a comment begins with # or ;"
        )
    key = line[: separator.start()].strip()
    if separator[0] == "=":
        key = _EXPORT.sub("", key, count=1)
    if not key or key[0] in "\"'":
        raise InputRefused(f"line {number} needs a key, without quotes, before the {separator[0]}")
    return key, _value(number, line[separator.end() :].strip())


def _value(number: int, text: str) -> str:
    if text[:1] not in _QUOTED:
        comment = _COMMENT.search(text)
        return text[: comment.start()].rstrip() if comment else text
    quoted = _QUOTED[text[0]].match(text)
    if quoted is None:
        raise InputRefused(
            f"the quote in line {number} is not closed in the value {in_short(text)}"
        )
    if quoted.end() < len(text):
        raise InputRefused(
            f"line {number} goes on after the closing quote: {in_short(text[quoted.end() :])}. "
            "Quote the whole value, or begin a comment with #"
        )
    return _ESCAPE.sub(_unescaped, quoted[1]) if text[0] == '"' else quoted[1]


def _unescaped(match: re.Match[str]) -> str:
    return _ESCAPED[match[1]]
