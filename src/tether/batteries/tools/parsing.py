"""Parsing: delimited tables, YAML, and lines of keys and values, such as environment files."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field

from tether.batteries.languages.records import delimited, safe_yaml
from tether.batteries.tools.ready_made import Text, ready_made
from tether.core.checks import in_short
from tether.core.errors import InputRefused

TableText = Annotated[str, Field(max_length=delimited.LONGEST_TEXT)]
YamlText = Annotated[str, Field(max_length=safe_yaml.MOST_BYTES)]
Delimiter = Annotated[str, Field(min_length=1, max_length=9)]

_NAMED = {name: delimiter for delimiter, name in delimited.DELIMITERS.items()}


@ready_made(example={"text": "city,people\nRome,2750000\nOslo,709000"})
def parse_csv(
    text: TableText, delimiter: Delimiter = "auto", header: Literal["auto"] | bool = "auto"
) -> dict[str, Any]:
    """Parse CSV, TSV or other delimited text into columns and rows.

    Returns the names of the columns, each row as a list of texts, the number of rows, and how many
    rows are ragged: those have more or fewer cells than there are columns and are kept unchanged.
    Cells stay text and blank lines are skipped. A cell in double quotes may contain delimiters and
    newlines; a quote in it is written twice.

    Args:
        text: The delimited text, at most 1,000,000 characters and 100,000 rows.
        delimiter: One character, or comma, tab, semicolon, pipe, colon or space; auto detects it.
        header: Whether the first row names the columns. With auto it does if its cells are filled,
            different, and not numbers. A missing name becomes column_1 and so on, and a repeated
            one gets a suffix.
    """
    if delimiter == "auto":
        delimiter = delimited.detect_delimiter(text).delimiter or ","
    delimiter = _NAMED.get(delimiter, delimiter)
    table = delimited.parse_delimited(text, delimiter, header=header)
    return {
        "columns": table.columns,
        "rows": table.rows,
        "row_count": len(table.rows),
        "ragged_rows": table.ragged,
        "delimiter": delimiter,
        "has_header": table.has_header,
    }


@ready_made(example={"text": "name: Rome\ntags: [old, large]"})
def parse_yaml(text: YamlText) -> Any:
    """Parse one YAML document into data: objects, lists, texts, numbers, true, false and null.

    The dialect is YAML 1.2 with its core schema: yes, no and 12:30:45 are text, 017 is 17, 0o17 is
    15 and 1e3 a number. Dates stay text, keys are the text that is written, and << is an ordinary
    key. Anchors and aliases, duplicate keys, infinite numbers, tags outside the core schema, and
    more than one document are refused.

    Args:
        text: The YAML, at most 256 KB, nested at most 100 deep.
    """
    return safe_yaml.parse_yaml(text)


@ready_made(example={"text": "# settings\nexport HOST=example.org\nPort: 8080"})
def parse_kv(text: Text) -> dict[str, str]:
    """Parse lines of key=value or KEY: value into an object of texts.

    Lines that begin with # or ; are comments, and so is the rest of an unquoted value after a space
    and #. Quotes around a value are removed; in double quotes \\n, \\r, \\t, \\" and \\\\ are
    understood. The word export before a key is dropped. Sections and duplicate keys are refused.

    Args:
        text: The lines, such as those of an environment file or of headers.
    """
    return parse_key_values(text)


@ready_made(example={"text": "city;people\nRome;2,75\nOslo;0,71"})
def detect_delimiter(text: TableText) -> dict[str, Any]:
    """Detect the delimiter that separates the columns of a text.

    Tries tab, semicolon, pipe, comma, colon and space on the first 100 rows and returns the one
    that splits them most evenly, its name, the confidence (0 to 1, lower with few rows) and the
    number of columns. The delimiter is null where the text has only one column.

    Args:
        text: The text, or its first lines.
    """
    return delimited.detect_delimiter(text)._asdict()


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
    without a pair, a section, an empty or duplicate key, and a quote that is not closed at the end
    of its value.
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
            f"line {number} is not key=value or KEY: value, but {in_short(line)}; "
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
