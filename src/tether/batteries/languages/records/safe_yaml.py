"""YAML as plain data: no objects, no aliases, and time in proportion to the length of the text.

PyYAML is used for its grammar only, as a stream of events; the data is built here. So a tag cannot
construct objects, nesting and size are counted as they grow, and scalars follow the core schema of
YAML 1.2 (section 10.3 of the specification), not that of 1.1, which PyYAML would apply.
"""

from __future__ import annotations

import math
import re
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn, cast

from tether.core.checks import in_short
from tether.core.clean_text import clean_text
from tether.core.errors import InputRefused, LimitExceeded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import yaml

MOST_BYTES = 256 * 1024
MOST_NODES = 50_000
DEEPEST = 100
LONGEST_NUMBER = 1_000
MOST_HANDLES = 100

_CORE = "tag:yaml.org,2002:"
_NUMBERS: tuple[tuple[re.Pattern[str], Callable[[str], float]], ...] = (
    (re.compile(r"[-+]?[0-9]+"), int),
    (re.compile(r"0o[0-7]+"), partial(int, base=8)),
    (re.compile(r"0x[0-9a-fA-F]+"), partial(int, base=16)),
    (re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"), float),
)
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_UNREADABLE = re.compile(
    "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_KINDS: dict[str, type] = {"int": int, "float": float, "bool": bool, "null": type(None)}


def parse_yaml(text: str) -> Any:
    """Return the document in `text` as data with a JSON form; None for an empty text.

    Keys stay text, and so do dates and times; "<<" is an ordinary key. Raises `InputRefused` for
    text that is not YAML, with line and column, and for aliases, anchors, keys that are not
    scalars, duplicate keys, a second document, tags outside the core schema and infinite numbers;
    `LimitExceeded` for a text that is too large. Without PyYAML, `InputRefused` says how to
    install it.
    """
    builder = _Builder()
    for event in _events(_checked(text)):
        builder.take(event)
    return builder.document


def _checked(text: str) -> str:
    """Return the text without its byte order mark; refuse text that the loader cannot read."""
    text = text.removeprefix("\ufeff")
    if bad := _UNREADABLE.search(text):
        before = text[: bad.start()]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        place = f"line {line}, column {column}"
        raise InputRefused(f"this is not YAML: the character {bad[0]!r} at {place} is not allowed")
    if (size := len(text.encode())) > MOST_BYTES:
        raise LimitExceeded(
            f"the YAML has {size:,} bytes; at most {MOST_BYTES:,} are read. Give a part of it"
        )
    if text.count("\n%TAG") > MOST_HANDLES:  # libyaml compares each handle with all before it
        raise LimitExceeded(f"the YAML has more than {MOST_HANDLES} %TAG lines; remove them")
    return text


def _events(text: str) -> Iterator[yaml.Event]:
    """Yield the events of the parser; all errors become refusals."""
    try:
        import yaml  # noqa: PLC0415  # an extra, and slow to load
    except ModuleNotFoundError:
        missing = "YAML cannot be read here: PyYAML is missing. Run pip install 'tether[tools]'"
        raise InputRefused(missing) from None
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        yield from yaml.parse(text, Loader=loader)
    except yaml.MarkedYAMLError as error:
        why = ", ".join(part for part in (error.context, error.problem) if part)
        place = _place(error.problem_mark)
        raise InputRefused(f"this is not YAML: {why[:200]} at {place}") from None
    except (OverflowError, ValueError):  # the loader in Python passes any digits to int() and chr()
        raise InputRefused("this is not YAML: an escape or a version is out of range") from None


class _Open:
    """A collection that is being filled; in a mapping `key` waits for its value."""

    __slots__ = ("items", "key")

    def __init__(self, items: dict[str, Any] | list[Any]) -> None:
        self.items = items
        self.key: str | None = None

    @property
    def awaits_key(self) -> bool:
        return isinstance(self.items, dict) and self.key is None

    def add(self, value: Any) -> None:
        if isinstance(self.items, list):
            self.items.append(value)
        else:
            self.items[cast("str", self.key)] = value
            self.key = None


class _Builder:
    """Builds one document from the events, without recursion."""

    __slots__ = ("_documents", "_nodes", "_open", "document")

    def __init__(self) -> None:
        self.document: Any = None
        self._open: list[_Open] = []
        self._nodes = 0
        self._documents = 0

    def take(self, event: yaml.Event) -> None:
        """Take the next event; raise where it is not allowed."""
        import yaml  # noqa: PLC0415

        match event:
            case yaml.DocumentStartEvent():
                self._start_document(event)
            case yaml.AliasEvent():
                _refuse(
                    event, f"the alias {in_short(event.anchor)} is not allowed; write the value"
                )
            case yaml.ScalarEvent():
                self._count(event)
                self._scalar(event)
            case yaml.MappingStartEvent():
                self._collection(event, {}, "map")
            case yaml.SequenceStartEvent():
                self._collection(event, [], "seq")
            case yaml.CollectionEndEvent():
                self._open.pop()
            case _:
                pass

    def _start_document(self, event: yaml.DocumentStartEvent) -> None:
        self._documents += 1
        if self._documents > 1:
            _refuse(event, "a second document starts; give one document at a time")

    def _count(self, event: yaml.NodeEvent) -> None:
        self._nodes += 1
        if self._nodes > MOST_NODES:
            _refuse(event, f"there are more than {MOST_NODES:,} values", LimitExceeded)
        if event.anchor is not None:
            _refuse(event, f"the anchor {in_short(event.anchor)} is not allowed; remove it")

    def _collection(
        self, event: yaml.CollectionStartEvent, items: dict[str, Any] | list[Any], tag: str
    ) -> None:
        self._count(event)
        if event.tag not in (None, "!", _CORE + tag):
            _refuse_tag(event)
        if self._open and self._open[-1].awaits_key:
            _refuse(event, "a key has to be a single value, not a list or a mapping")
        if len(self._open) >= DEEPEST:
            _refuse(event, f"it is nested more than {DEEPEST} deep", LimitExceeded)
        self._add(items)
        self._open.append(_Open(items))

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        value = _value(event)
        if self._open and self._open[-1].awaits_key:
            self._key(event, self._open[-1])
        else:
            self._add(value)

    def _key(self, event: yaml.ScalarEvent, mapping: _Open) -> None:
        key = clean_text(event.value)
        if key in mapping.items:
            _refuse(event, f"the key {in_short(key)} is there twice")
        mapping.key = key

    def _add(self, value: Any) -> None:
        if self._open:
            self._open[-1].add(value)
        else:
            self.document = value


def _value(event: yaml.ScalarEvent) -> Any:
    """Return the value of a scalar: by its tag, else text if quoted, else by the core schema."""
    text, tag = clean_text(event.value), (event.tag or "!").removeprefix(_CORE)
    if tag == "str" or (tag == "!" and event.style):
        return text
    if tag != "!" and tag not in _KINDS:
        _refuse_tag(event)
    value = _resolved(event, text)
    if tag == "float" and type(value) is int:
        value = _as_float(event, value)
    if tag != "!" and type(value) is not _KINDS[tag]:
        _refuse(event, f"{in_short(text)} is not a !!{tag}")
    return value


def _resolved(event: yaml.ScalarEvent, text: str) -> Any:
    """Apply the core schema: its words, its four forms of numbers, and text for the rest."""
    if text in _WORDS:
        return _WORDS[text]
    for form, read in _NUMBERS:
        if form.fullmatch(text):
            if len(text) > LONGEST_NUMBER:
                _refuse(event, f"a number has {len(text):,} characters; quote it", LimitExceeded)
            return _finite(event, read(text))
    return _finite(event, math.inf) if _NOT_FINITE.fullmatch(text) else text


def _as_float(event: yaml.ScalarEvent, number: int) -> float:
    try:
        return float(number)
    except OverflowError:
        return _finite(event, math.inf)


def _finite(event: yaml.ScalarEvent, number: float) -> float:
    if number in (math.inf, -math.inf):
        shown = in_short(event.value)
        _refuse(event, f"{shown} is not a finite number, so JSON cannot represent it; quote it")
    return number


def _refuse_tag(event: yaml.ScalarEvent | yaml.CollectionStartEvent) -> NoReturn:
    said = f"the tag {in_short(event.tag)} is not allowed here"
    _refuse(
        event, f"{said}; the known ones are !!str, !!int, !!float, !!bool, !!null, !!seq, !!map"
    )


def _refuse(event: yaml.Event, why: str, error: type[InputRefused] = InputRefused) -> NoReturn:
    raise error(f"this YAML cannot be used: at {_place(event.start_mark)} {why}")


def _place(mark: Any) -> str:
    """Name a place as people count: from 1."""
    return f"line {mark.line + 1}, column {mark.column + 1}"
