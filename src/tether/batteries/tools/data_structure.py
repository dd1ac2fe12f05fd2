"""Data structures: JSON picked apart and put together, and arrays as sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import Field, JsonValue

from tether.batteries.languages.json.jq import LONGEST_FILTER, Jq
from tether.batteries.languages.json.json_bounds import refuse_oversized
from tether.batteries.languages.json.json_text import parse_json
from tether.batteries.languages.json.json_values import refuse_deep, weigh
from tether.batteries.languages.json.jsonpath import JsonPath
from tether.batteries.languages.steps import Steps
from tether.batteries.tools.ready_made import ready_made
from tether.core.canonical import canonical_json

Query = Annotated[str, Field(min_length=1, max_length=LONGEST_FILTER)]
Items = Annotated[list[JsonValue], Field(max_length=100_000)]
Keyed = dict[str, Any]
"""Values behind keys that are the same for equal values, in the order of their appearance."""

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
    """Pick values out of JSON, or reshape it, with a JSONPath or a jq filter; return all results.

    A query that begins with $ is a JSONPath (RFC 9535): $.books[0].title, $..price, $[1:3],
    $[?@.price < 10 && search(@.title, '^E')]. Any other is a jq filter: .books[] | .title,
    map(select(.price < 10)), group_by(.author) | map({author: .[0].author, count: length}),
    sort_by(.price) | first, [.books[].price] | add. The filter may use | , // and or == != < <= >
    >= + - * / % [...] {...} .. .[2:4] .a? and these functions of jq: add all any empty first last
    flatten group_by has join keys length limit(n; f) map max_by min_by min max not range reverse
    select sort sort_by split startswith endswith ltrimstr rtrimstr ascii_downcase ascii_upcase
    test(pattern; flags) to_entries from_entries with_entries tojson fromjson tonumber tostring type
    unique unique_by floor ceil round abs arrays objects strings numbers booleans nulls scalars
    values. It has no variables, conditionals, assignments, reduce, string interpolation, formats,
    and no other functions, such as sub, capture, paths and del.

    The results are always a list: one entry for each match, or for each output of the filter.

    Args:
        data: The JSON value, or a text that holds JSON.
        query: The JSONPath or jq filter.
    """
    value = parse_json(data) if isinstance(data, str) else data
    refuse_deep(value)
    steps = Steps()
    wanted = query.strip()
    if wanted.startswith("$"):
        found = JsonPath(wanted).find(value, steps)
    else:
        found = Jq(wanted).run(value, steps)
    weigh(found, steps)
    return found


@ready_made(example={"operation": "intersection", "a": [1, 2, 3], "b": [3, 2.0, "x"]})
def set_operations(operation: SetOperation, a: Items, b: Items) -> list[Any] | bool:
    """Work with two arrays as sets: what is in both, in either, in one only; or compare them.

    Values are equal as in JSON: 1 and 1.0 are, 1 and true and "1" are not, arrays and objects are
    if all in them is, whatever the order of keys. The resulting array has no duplicates and keeps
    the order of first appearance; the three questions are answered with true or false.

    Args:
        operation: difference is what is in a and not in b; is_subset asks whether all of a is in b,
            is_superset whether all of b is in a, is_disjoint whether nothing is in both.
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
    """Write a float without a fraction as the integer that it is equal to."""
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
