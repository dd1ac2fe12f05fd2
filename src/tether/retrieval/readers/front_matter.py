"""Front matter: the fields above the text of a page, in YAML, TOML or JSON, read in linear time.

YAML is read as a stream of events without aliases, TOML line by line, because `tomllib` takes
quadratic time on long dotted keys. Only plain values and lists of them are kept.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

import yaml

from tether.core.clean_text import clean_text
from tether.text.markdown.marks import find_front_matter

DEEPEST = 20
LONGEST_VALUE = 1_000
LONGEST_LINE = 4_096
Fields = dict[str, tuple[str, ...]]
_TOML_LINE = re.compile(r"[A-Za-z0-9_-]+[ \t]*=.*")
_SIMPLE_LINE = re.compile(r"([A-Za-z][\w-]*):[ \t]+(\S.*)")
_NONE = frozenset({"", "~", "null"})
MOST_CHARACTERS = 256 * 1024
_TRUE = frozenset({"true", "yes", "on", "1", "y"})
_FALSE = frozenset({"false", "no", "off", "0", "n"})


def read_front_matter(text: str) -> FrontMatter:
    """Return the front matter of a page; an empty one if it is missing or never closed.

    Fields that cannot be read are left out with a note; the page is still read. Where the YAML is
    broken (a title with a colon, most often) the simple lines are read.
    """
    if text.startswith("{"):
        return _json_object(text)
    found = find_front_matter(text, dots=True)
    if found is None:
        return FrontMatter()
    if found.close - found.start > MOST_CHARACTERS:
        return FrontMatter(end=found.end, notes=("front matter left out: it is too long",))
    return _read(found.format, text[found.start : found.close], found.end)


def yaml_fields(body: str) -> Fields | None:
    """Return the top level of a YAML mapping; None if it is not a mapping, so not front matter.

    Raises `ValueError` for aliases, anchors, deep nesting and keys that are not text, and the
    errors of PyYAML.
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
            raise ValueError("a key is not text")
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
        raise ValueError("it is not an object")
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


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontMatter:
    """The fields of a page, names in small letters, and where its text begins."""

    end: int = 0
    fields: Fields = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def first(self, *names: str) -> str:
        """Return the value of the first of these fields that has one, else ""."""
        return next((self.fields[name][0] for name in names if self.fields.get(name)), "")

    @property
    def is_draft(self) -> bool:
        """Whether the page asks not to be published."""
        published = self.first("published", "publish").lower()
        return self.first("draft").lower() in _TRUE or published in _FALSE


def _read(form: str, body: str, end: int) -> FrontMatter:
    readers = {"yaml": yaml_fields, "toml": toml_fields, "json": json_fields}
    try:
        fields = readers[form](body)
    except (yaml.YAMLError, ValueError, RecursionError, OverflowError) as error:
        fields = line_fields(body) if form == "yaml" else {}
        if form == "yaml" and not fields:
            return FrontMatter()
        return FrontMatter(end=end, fields=fields, notes=(f"front matter: {_reason(error)}",))
    return FrontMatter() if fields is None else FrontMatter(end=end, fields=fields)


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deep"
    problem = getattr(error, "problem", None) or str(error)
    return " ".join(problem.split())[:200]


def _json_object(text: str) -> FrontMatter:
    """Read the JSON object that a page may begin with; a page that begins otherwise has none."""
    try:
        values, end = json.JSONDecoder().raw_decode(text[:MOST_CHARACTERS])
    except (ValueError, RecursionError):
        return FrontMatter()
    return FrontMatter(end=end, fields=plain_fields(values))
