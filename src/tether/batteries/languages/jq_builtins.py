"""The functions that a jq filter may call, as filters of their arguments."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from operator import itemgetter
from typing import Any

from tether.batteries.languages import jq_functions, jq_values
from tether.batteries.languages.jq_filters import Filter, collect, identity, iterate, pipe
from tether.batteries.languages.json_values import type_name
from tether.batteries.languages.query_patterns import QueryPatterns, is_found
from tether.batteries.languages.steps import Steps
from tether.core.errors import InputRefused

Keyed = list[tuple[Any, Any]]
"""Elements behind the keys that they are sorted by."""

_KEY, _ELEMENT = itemgetter(0), itemgetter(1)


def _of_input(function: Callable[[Any, Steps], Any]) -> Filter:
    """Make a filter of a function of the input alone."""

    def run(value: Any, steps: Steps) -> list[Any]:
        steps.take(1)
        return [function(value, steps)]

    return run


def _with_value(function: Callable[[Any, Any, Steps], Any]) -> Callable[[Filter], Filter]:
    """Make filters of a function of the input and of what its argument is there."""

    def build(argument: Filter) -> Filter:
        return lambda value, steps: [
            function(value, given, steps) for given in argument(value, steps)
        ]

    return build


def _by(name: str, finish: Callable[[Keyed], Any]) -> Callable[[Filter], Filter]:
    """Make filters that sort an array by what their argument makes of each element."""

    def build(key: Filter) -> Filter:
        def run(value: Any, steps: Steps) -> list[Any]:
            items = jq_functions.array_for(name, value, steps)
            keyed = [(jq_values.order_key(key(item, steps), steps), item) for item in items]
            steps.take(len(items) * len(items).bit_length())
            return [finish(sorted(keyed, key=_KEY))]

        return run

    return build


def _groups(keyed: Keyed) -> list[list[Any]]:
    return [[item for _, item in group] for _, group in groupby(keyed, _KEY)]


def _map(inner: Filter) -> Filter:
    return collect(pipe(iterate(identity), inner))


def _select(condition: Filter) -> Filter:
    def run(value: Any, steps: Steps) -> list[Any]:
        return [value for found in condition(value, steps) if jq_values.is_true(found)]

    return run


def _test(pattern: Filter) -> Filter:
    patterns = QueryPatterns()

    def test(value: Any, source: Any, steps: Steps) -> bool:
        text = jq_functions.text_for("test", value, steps)
        ready = patterns.ready(jq_functions.text_for("test", source, steps), steps)
        if isinstance(ready, str):
            raise InputRefused(ready)
        return is_found(ready, text, steps)

    return _with_value(test)(pattern)


def _empty(_value: Any, steps: Steps) -> list[Any]:
    steps.take(1)
    return []


_SORT = _by("sort", lambda keyed: [item for _, item in keyed])
_UNIQUE = _by("unique", lambda keyed: [group[0] for group in _groups(keyed)])
_MIN = _by("min", lambda keyed: keyed[0][1] if keyed else None)
_MAX = _by("max", lambda keyed: keyed[-1][1] if keyed else None)
_ANY = _of_input(jq_functions.any_true)
_ALL = _of_input(jq_functions.all_true)
_TO_ENTRIES = _of_input(jq_functions.to_entries)
_FROM_ENTRIES = _of_input(jq_functions.from_entries)

WITHOUT_ARGUMENT: dict[str, Filter] = {
    "add": _of_input(jq_functions.add),
    "all": _ALL,
    "any": _ANY,
    "ascii_downcase": _of_input(jq_functions.ascii_downcase),
    "ascii_upcase": _of_input(jq_functions.ascii_upcase),
    "empty": _empty,
    "first": _of_input(lambda value, steps: jq_values.item(value, 0, steps)),
    "flatten": _of_input(lambda value, steps: jq_functions.flatten(value, 1e9, steps)),
    "from_entries": _FROM_ENTRIES,
    "keys": _of_input(jq_functions.keys),
    "keys_unsorted": _of_input(jq_functions.keys_unsorted),
    "last": _of_input(lambda value, steps: jq_values.item(value, -1, steps)),
    "length": _of_input(jq_functions.length),
    "max": _MAX(identity),
    "min": _MIN(identity),
    "not": _of_input(lambda value, _steps: not jq_values.is_true(value)),
    "reverse": _of_input(jq_functions.reverse),
    "sort": _SORT(identity),
    "to_entries": _TO_ENTRIES,
    "tonumber": _of_input(jq_functions.to_number),
    "tostring": _of_input(jq_values.text_of),
    "type": _of_input(lambda value, _steps: type_name(value)),
    "unique": _UNIQUE(identity),
    "values": _select(_of_input(lambda value, _steps: value is not None)),
}

WITH_ARGUMENT: dict[str, Callable[[Filter], Filter]] = {
    "all": lambda condition: pipe(_map(condition), _ALL),
    "any": lambda condition: pipe(_map(condition), _ANY),
    "endswith": _with_value(jq_functions.ends_with),
    "flatten": _with_value(jq_functions.flatten),
    "group_by": _by("group_by", _groups),
    "has": _with_value(jq_functions.has),
    "join": _with_value(jq_functions.join),
    "map": _map,
    "max_by": _MAX,
    "min_by": _MIN,
    "select": _select,
    "sort_by": _SORT,
    "split": _with_value(jq_functions.split),
    "startswith": _with_value(jq_functions.starts_with),
    "test": _test,
    "unique_by": _UNIQUE,
    "with_entries": lambda inner: pipe(pipe(_TO_ENTRIES, _map(inner)), _FROM_ENTRIES),
}
