"""The functions that a jq filter may call, as filters of their arguments."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import groupby, product
from operator import itemgetter
from typing import Any

from tether.batteries.languages.json import jq_functions, jq_values
from tether.batteries.languages.json.jq_filters import (
    Filter,
    collect,
    constant,
    identity,
    iterate,
    pipe,
)
from tether.batteries.languages.json.json_values import type_name
from tether.batteries.languages.json.query_patterns import QueryPatterns, is_found
from tether.batteries.languages.steps import Steps
from tether.core.errors import InputRefused

Keyed = list[tuple[Any, Any]]
"""Elements behind the keys that they are sorted by."""

_NO_FLAGS = constant(None)
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
            steps.take(len(items) * len(items).bit_length())
            keyed = [(jq_values.order_key(key(item, steps), steps), item) for item in items]
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


def _test(pattern: Filter, flags: Filter = _NO_FLAGS) -> Filter:
    patterns = QueryPatterns()

    def test(value: Any, source: Any, given: Any, steps: Steps) -> bool:
        text = jq_functions.text_for("test", value, steps)
        wanted = jq_functions.text_for("test", source, steps)
        ready = patterns.ready(f"{_flags(given)}{wanted}", steps)
        if isinstance(ready, str):
            raise InputRefused(ready)
        return is_found(ready, text, steps)

    def run(value: Any, steps: Steps) -> list[Any]:
        return [
            test(value, source, given, steps)
            for given in flags(value, steps)
            for source in pattern(value, steps)
        ]

    return run


def _flags(given: Any) -> str:
    if given is None:
        return ""
    if type(given) is not str or set(given) - set("gis"):
        raise InputRefused(f"test: {jq_values.shown(given)} is no text of the flags i, s and g")
    letters = "".join(letter for letter in "is" if letter in given)
    return f"(?{letters})" if letters else ""


def _limit(count: Filter, inner: Filter) -> Filter:
    def run(value: Any, steps: Steps) -> list[Any]:
        found: list[Any] = []
        for most in count(value, steps):
            whole = math.ceil(jq_functions.number_for("limit", most))
            if whole < 0:
                raise InputRefused("limit: the count cannot be negative")
            found += inner(value, steps)[:whole] if whole else []
        return found

    return run


def _range(start: Filter, end: Filter) -> Filter:
    def run(value: Any, steps: Steps) -> list[Any]:
        pairs = product(start(value, steps), end(value, steps))
        return [
            number
            for first, last in pairs
            for number in jq_functions.numbers_up_to(first, last, steps)
        ]

    return run


def _one_of(inner: Filter, part: slice) -> Filter:
    return lambda value, steps: inner(value, steps)[part]


def _only(*kinds: str) -> Filter:
    return _select(_of_input(lambda value, _steps: type_name(value) in kinds))


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
    "abs": _of_input(jq_functions.rounded("abs", abs)),
    "add": _of_input(jq_functions.add),
    "all": _ALL,
    "any": _ANY,
    "arrays": _only("array"),
    "ascii_downcase": _of_input(jq_functions.ascii_downcase),
    "ascii_upcase": _of_input(jq_functions.ascii_upcase),
    "booleans": _only("boolean"),
    "ceil": _of_input(jq_functions.rounded("ceil", math.ceil)),
    "empty": _empty,
    "first": _of_input(lambda value, steps: jq_values.item(value, 0, steps)),
    "flatten": _of_input(lambda value, steps: jq_functions.flatten(value, 1e9, steps)),
    "floor": _of_input(jq_functions.rounded("floor", math.floor)),
    "from_entries": _FROM_ENTRIES,
    "fromjson": _of_input(jq_functions.from_json),
    "keys": _of_input(jq_functions.keys),
    "keys_unsorted": _of_input(jq_functions.keys_unsorted),
    "last": _of_input(lambda value, steps: jq_values.item(value, -1, steps)),
    "length": _of_input(jq_functions.length),
    "max": _MAX(identity),
    "min": _MIN(identity),
    "not": _of_input(lambda value, _steps: not jq_values.is_true(value)),
    "nulls": _only("null"),
    "numbers": _only("number"),
    "objects": _only("object"),
    "reverse": _of_input(jq_functions.reverse),
    "round": _of_input(jq_functions.rounded("round", jq_functions.half_up)),
    "scalars": _only("null", "boolean", "number", "string"),
    "sort": _SORT(identity),
    "strings": _only("string"),
    "to_entries": _TO_ENTRIES,
    "tojson": _of_input(jq_functions.to_json),
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
    "first": lambda inner: _one_of(inner, slice(0, 1)),
    "flatten": _with_value(jq_functions.flatten),
    "group_by": _by("group_by", _groups),
    "has": _with_value(jq_functions.has),
    "join": _with_value(jq_functions.join),
    "last": lambda inner: _one_of(inner, slice(-1, None)),
    "ltrimstr": _with_value(jq_functions.without_start),
    "map": _map,
    "max_by": _MAX,
    "min_by": _MIN,
    "range": lambda end: _range(constant(0), end),
    "rtrimstr": _with_value(jq_functions.without_end),
    "select": _select,
    "sort_by": _SORT,
    "split": _with_value(jq_functions.split),
    "startswith": _with_value(jq_functions.starts_with),
    "test": _test,
    "unique_by": _UNIQUE,
    "with_entries": lambda inner: pipe(pipe(_TO_ENTRIES, _map(inner)), _FROM_ENTRIES),
}

WITH_TWO_ARGUMENTS: dict[str, Callable[[Filter, Filter], Filter]] = {
    "limit": _limit,
    "range": _range,
    "test": _test,
}
