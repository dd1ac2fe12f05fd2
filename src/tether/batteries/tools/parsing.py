"""Parsing: tables, YAML and lines of key and value as data."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from tether.batteries.languages.records import delimited, safe_yaml
from tether.batteries.languages.records.key_values import parse_key_values
from tether.batteries.tools.ready_made import Text, ready_made

TableText = Annotated[str, Field(max_length=delimited.LONGEST_TEXT)]
YamlText = Annotated[str, Field(max_length=safe_yaml.MOST_BYTES)]
Delimiter = Annotated[str, Field(min_length=1, max_length=9)]

_NAMED = {name: delimiter for delimiter, name in delimited.DELIMITERS.items()}


@ready_made(example={"text": "city,people\nRome,2750000\nOslo,709000"})
def parse_csv(
    text: TableText, delimiter: Delimiter = "auto", header: Literal["auto"] | bool = "auto"
) -> dict[str, Any]:
    """Parse CSV, TSV or other delimited text into columns and rows.

    Returns the names of the columns, each row as a list of texts in their order, the number of rows
    and how many of them are ragged: those that have more or fewer cells than there are columns, and
    are kept as they are. Cells stay text and blank lines are skipped. A cell in double quotes may
    hold delimiters and newlines; a quote in it is written twice.

    Args:
        text: The delimited text, at most 1,000,000 characters and 100,000 rows.
        delimiter: One character, or comma, tab, semicolon, pipe, colon or space; auto looks for it.
        header: Whether the first row names the columns. With auto it does if every cell of it is
            there, none is a number and no two are equal. A missing name becomes column_1 and so on,
            and a repeated one gets a suffix.
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
    key. Refused are anchors and aliases, duplicate keys, infinite numbers, other tags than the core
    ones, and more than one document.

    Args:
        text: The YAML, at most 256 KB, nested at most 100 deep.
    """
    return safe_yaml.parse_yaml(text)


@ready_made(example={"text": "# settings\nexport HOST=example.org\nPort: 8080"})
def parse_kv(text: Text) -> dict[str, str]:
    """Parse lines of key=value or KEY: value into an object of texts.

    Lines that begin with # or ; are comments, and so is the rest of an unquoted value after a space
    and #. Quotes around a value are removed; in double quotes \\n, \\r, \\t, \\" and \\\\ are
    understood. The word export before a key is dropped. Sections and keys that are there twice are
    refused.

    Args:
        text: The lines, such as those of an environment file or of headers.
    """
    return parse_key_values(text)


@ready_made(example={"text": "city;people\nRome;2,75\nOslo;0,71"})
def detect_delimiter(text: TableText) -> dict[str, Any]:
    """Find out which delimiter separates the columns of a text.

    Looks for tab, semicolon, pipe, comma, colon and space in the first 100 rows and returns the one
    that splits them most evenly, its name, how sure that is (0 to 1, less where there are few rows)
    and the number of columns. The delimiter is null where the text has one column only.

    Args:
        text: The text, or its first lines.
    """
    return delimited.detect_delimiter(text)._asdict()
