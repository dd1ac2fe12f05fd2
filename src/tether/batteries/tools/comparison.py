"""Values and records compared."""

from __future__ import annotations

from itertools import islice
from typing import Any

from pydantic import JsonValue

from tether.batteries.languages.json.json_bounds import refuse_oversized
from tether.batteries.languages.json.json_comparison import (
    TextOrder,
    compare,
    differences,
    path_text,
)
from tether.batteries.tools.ready_made import ready_made

MOST_DIFFERENCES = 1_000


@ready_made(example={"a": ["file2", 1], "b": ["file10", 1], "natural": True})
def compare_values(
    a: JsonValue, b: JsonValue, *, ignore_case: bool = False, natural: bool = False
) -> dict[str, Any]:
    """Compare two values of any JSON type; return whether a is equal to, less or greater than b.

    Numbers are compared by value (1 equals 1.0), texts by code point, false before true, and lists
    item by item. Objects are equal, or incomparable like values of different types. Where they are
    not equal, path and reason name the first place that differs; path is empty for the whole.

    Args:
        a: One value.
        b: The other value.
        ignore_case: Take capital and small letters in texts for equal.
        natural: Order numbers in texts by their value, so that file2 comes before file10.
    """
    refuse_oversized(a, "a")
    refuse_oversized(b, "b")
    verdict = compare(a, b, TextOrder(ignore_case, natural))
    if verdict.relation == "equal":
        return {"relation": "equal"}
    path = path_text(verdict.path)
    return {"relation": verdict.relation, "path": path, "reason": verdict.reason}


@ready_made(example={"before": {"name": "Ann", "tags": ["x"]}, "after": {"name": "Anne", "age": 3}})
def compare_records(before: dict[str, JsonValue], after: dict[str, JsonValue]) -> dict[str, Any]:
    """Compare two objects; return what was added, removed and modified, with the values.

    Nested objects and lists are compared part by part: path names the place, such as user.tags[0].
    Numbers are compared by value. truncated says that there are more than 1,000 differences.

    Args:
        before: The old object.
        after: The new object.
    """
    refuse_oversized(before, "before")
    refuse_oversized(after, "after")
    found = list(islice(differences(before, after), MOST_DIFFERENCES + 1))
    result: dict[str, Any] = {"added": [], "removed": [], "modified": []}
    for kind, path, old, new in found[:MOST_DIFFERENCES]:
        values = {"removed": {"value": old}, "added": {"value": new}}
        changed = values.get(kind, {"before": old, "after": new})
        result[kind].append({"path": path_text(path), **changed})
    return {**result, "truncated": len(found) > MOST_DIFFERENCES}
