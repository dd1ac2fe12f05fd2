"""The fields of front matter, from each format by a reader that takes linear time.

YAML is read as a stream of events without aliases, TOML line by line, because `tomllib` takes
quadratic time on long dotted keys. Only plain values and lists of them are kept.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from typing import Any, cast

import yaml

from tether.core.cleaning import clean_text

DEEPEST = 20
LONGEST_VALUE = 1_000
LONGEST_LINE = 4_096

Fields = dict[str, tuple[str, ...]]

_TOML_LINE = re.compile(r"[A-Za-z0-9_-]+[ \t]*=.*")
_SIMPLE_LINE = re.compile(r"([A-Za-z][\w-]*):[ \t]+(\S.*)")
_NONE = frozenset({"", "~", "null"})


def yaml_fields(body: str) -> Fields | None:
    """Return the top level of a YAML mapping; None for what is no mapping, so no front matter.

    Raises `ValueError` for aliases, anchors, deep nesting and keys that are no text, and the errors
    of PyYAML.
    """
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    reader = _YamlReader()
    for event in cast("Iterator[yaml.Event]", yaml.parse(body, Loader=loader)):
        if not reader.take(event):
            return None
    return reader.fields


class _YamlReader:
    """Takes events one by one and keeps the plain values of the outermost mapping."""

    __slots__ = ("_items", "_key", "_open", "fields")

    def __init__(self) -> None:
        self.fields: Fields = {}
        self._open: list[type[yaml.Event]] = []
        self._key: str | None = None
        self._items: list[str] = []

    def take(self, event: yaml.Event) -> bool:
        """Take one event; return whether it can still be a mapping."""
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            raise ValueError("aliases and anchors are not read")
        if isinstance(event, yaml.CollectionStartEvent):
            return self._start(event)
        if isinstance(event, yaml.CollectionEndEvent):
            self._end()
        elif isinstance(event, yaml.ScalarEvent):
            return self._scalar(event)
        return True

    def _start(self, event: yaml.CollectionStartEvent) -> bool:
        if len(self._open) == 1 and self._key is None:
            raise ValueError("a key is no text")
        if len(self._open) >= DEEPEST:
            raise ValueError("it is nested too deep")
        self._open.append(type(event))
        return self._open[0] is yaml.MappingStartEvent

    def _end(self) -> None:
        self._open.pop()
        if len(self._open) == 1:
            self._store(self._items)
            self._items = []

    def _scalar(self, event: yaml.ScalarEvent) -> bool:
        if not self._open:
            return event.value == ""
        if len(self._open) == 1:
            if self._key is None:
                self._key = event.value
            else:
                self._store([event.value])
        elif self._open[1:] == [yaml.SequenceStartEvent]:
            self._items.append(event.value)
        return True

    def _store(self, values: list[str]) -> None:
        plain = map(_plain, values)
        kept = tuple(value for value in plain if value.lower() not in _NONE)
        self.fields.setdefault(str(self._key).lower(), kept)
        self._key = None


def line_fields(body: str) -> Fields:
    """Return the `name: value` lines of YAML that is broken somewhere."""
    fields: Fields = {}
    for line in body.splitlines():
        if match := _SIMPLE_LINE.fullmatch(line[:LONGEST_LINE]):
            value = _plain(match[2].strip("\"'"))
            fields.setdefault(match[1].lower(), (value,) if value else ())
    return fields


def toml_fields(body: str) -> Fields:
    """Return the simple lines of TOML above the first table: `key = value`, each by itself."""
    values: dict[str, Any] = {}
    for line in body.splitlines():
        if line.lstrip().startswith("["):
            break
        if _TOML_LINE.fullmatch(line.strip()) and len(line) <= LONGEST_LINE:
            values |= _toml_line(line)
    return plain_fields(values)


def _toml_line(line: str) -> dict[str, Any]:
    try:
        return tomllib.loads(line)
    except tomllib.TOMLDecodeError:
        return {}  # the first line of a value that goes on below


def json_fields(body: str) -> Fields:
    """Return the fields of a JSON object; raises `ValueError` for anything else."""
    values = json.loads(body)
    if not isinstance(values, dict):
        raise ValueError("it is no object")
    return plain_fields(cast("dict[str, Any]", values))


def plain_fields(values: dict[str, Any]) -> Fields:
    """Return the values that are plain, and lists of such, as text."""
    fields: Fields = {}
    for key, value in values.items():
        items: list[Any] = value if isinstance(value, list) else [value]
        if not any(isinstance(item, dict | list) for item in items):
            fields[key.lower()] = tuple(filter(None, map(_plain, items)))
    return fields


def _plain(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return " ".join(clean_text(str(value)[:LONGEST_VALUE]).split())
