"""Data structures: JSON queries, and arrays as sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import Field, JsonValue

from tether.batteries.languages.json.jsonpath import LONGEST_PATH, JsonPath
from tether.batteries.languages.json.text import parse_json
from tether.batteries.languages.json.values import Steps, refuse_deep, refuse_oversized, weigh
from tether.batteries.tools.ready_made import ready_made
from tether.core.plain_data import canonical_json

Query = Annotated[str, Field(min_length=1, max_length=LONGEST_PATH)]
Items = Annotated[list[JsonValue], Field(max_length=100_000)]
Keyed = dict[str, Any]
"""Values by keys that are the same for equal values, in the order of their appearance."""

SetOperation = Literal[
    "union",
    "intersection",
    "difference",
    "symmetric_difference",
    "is_subset",
    "is_superset",
    "is_disjoint",
]


@ready_made(
    example={
        "data": {"books": [{"title": "Emma", "price": 8}, {"title": "Ulysses", "price": 14}]},
        "query": "$.books[?@.price < 10].title",
    }
)
def json_transform(data: JsonValue, query: Query) -> list[Any]:
    """Pick values out of JSON with a JSONPath (RFC 9535); return all matches as a list.

    Examples: $.books[0].title, $..price, $.books[*]['title','price'], $[1:3], $[-1],
    $[?@.price < 10 && search(@.title, '^E')]. A filter may use == != < <= > >= && || ! ( ) and the
    functions length, count, value, match (a pattern for the whole text) and search (for a part of
    it). A path without a match gives an empty list.

    Args:
        data: The JSON value, or a text that contains JSON.
        query: The JSONPath.
    """
    value = parse_json(data) if isinstance(data, str) else data
    refuse_deep(value)
    steps = Steps()
    found = JsonPath(query.strip()).find(value, steps)
    weigh(found, steps)
    return found


@ready_made(example={"operation": "intersection", "a": [1, 2, 3], "b": [3, 2.0, "x"]})
def set_operations(operation: SetOperation, a: Items, b: Items) -> list[Any] | bool:
    """Combine or compare two arrays as sets: union, intersection, differences and subsets.

    Values are equal as in JSON: 1 and 1.0 are, 1 and true and "1" are not, arrays and objects are
    if all their parts are, in any order of keys. The resulting array has no duplicates and keeps
    the order of first appearance; is_subset, is_superset and is_disjoint return true or false.

    Args:
        operation: difference has the values of a that are not in b; is_subset tells whether all of
            a is in b, is_superset whether all of b is in a, is_disjoint whether they share nothing.
        a: The first array.
        b: The second array.
    """
    refuse_oversized(a, "a")
    refuse_oversized(b, "b")
    return _OPERATIONS[operation](_keyed(a), _keyed(b))


def _keyed(items: list[JsonValue]) -> Keyed:
    found: Keyed = {}
    for item in items:
        found.setdefault(canonical_json(_with_whole_numbers(item)), item)
    return found


def _with_whole_numbers(value: Any) -> Any:
    """Return the value with whole floats as the integers they are equal to."""
    if type(value) is float:
        return int(value) if value.is_integer() else value
    if type(value) is list:
        return [_with_whole_numbers(inner) for inner in value]
    if type(value) is dict:
        return {key: _with_whole_numbers(inner) for key, inner in value.items()}
    return value


def _without(one: Keyed, other: Keyed) -> Keyed:
    return {key: value for key, value in one.items() if key not in other}


def _values(found: Keyed) -> list[Any]:
    return list(found.values())


_OPERATIONS: dict[SetOperation, Callable[[Keyed, Keyed], list[Any] | bool]] = {
    "union": lambda a, b: _values(a | _without(b, a)),
    "intersection": lambda a, b: _values({key: value for key, value in a.items() if key in b}),
    "difference": lambda a, b: _values(_without(a, b)),
    "symmetric_difference": lambda a, b: _values(_without(a, b) | _without(b, a)),
    "is_subset": lambda a, b: a.keys() <= b.keys(),
    "is_superset": lambda a, b: a.keys() >= b.keys(),
    "is_disjoint": lambda a, b: a.keys().isdisjoint(b.keys()),
}
