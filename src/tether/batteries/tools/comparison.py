"""Comparison of JSON values: their order, and the places where they differ."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pydantic import JsonValue

from tether.batteries.languages.json.values import refuse_oversized, type_name
from tether.batteries.tools.ready_made import ready_made
from tether.core.checks import in_short

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    """Compare two objects; return the added, removed and modified parts, with the values.

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


Relation = Literal["equal", "less", "greater", "incomparable"]
Path = tuple[str | int, ...]
"""The keys and positions that lead to a part of a value."""

LONGEST_SHOWN_PATH = 500

_DIGITS = re.compile("([0-9]+)")
_PLAIN_KEY = re.compile(r"[^\W\d]\w*")


class TextOrder(NamedTuple):
    """The order of texts: by code point, unless an option is set."""

    ignore_case: bool = False
    natural: bool = False

    def key(self, text: str) -> Any:
        """Return the sort key of a text; in natural order "file2" comes before "file10"."""
        folded = text.casefold() if self.ignore_case else text
        return (_natural_parts(folded), folded) if self.natural else folded


class Verdict(NamedTuple):
    """The relation of two values, with the deciding place and reason."""

    relation: Relation
    path: Path = ()
    reason: str = ""


class Difference(NamedTuple):
    """One place where two values differ."""

    kind: Literal["added", "removed", "modified"]
    path: Path
    before: Any
    after: Any


def compare(a: Any, b: Any, order: TextOrder, path: Path = ()) -> Verdict:
    """Return the relation of `a` to `b`; both must be of bounded depth, as this recurses.

    Numbers go by value, false before true, and lists by their first difference. Objects are equal
    or incomparable, and so are values of different types.
    """
    kind = type_name(a)
    if kind != type_name(b):
        return Verdict("incomparable", path, f"{kind} in a, {type_name(b)} in b")
    if kind == "object":
        return _compare_objects(a, b, order, path)
    if kind == "array":
        return _compare_lists(a, b, order, path)
    if kind == "string":
        return _ranked(a, b, order.key(a), order.key(b), path)
    return _ranked(a, b, a, b, path) if a is not None else Verdict("equal")


def differences(before: Any, after: Any, path: Path = ()) -> Iterator[Difference]:
    """Yield the added, removed and modified parts, down into nested objects and lists."""
    if type_name(before) != type_name(after):
        yield Difference("modified", path, before, after)
    elif isinstance(before, (dict, list)):
        old, new = _parts(before), _parts(after)
        for key in [*old, *(key for key in new if key not in old)]:
            inner = (*path, key)
            if key not in new:
                yield Difference("removed", inner, old[key], None)
            elif key not in old:
                yield Difference("added", inner, None, new[key])
            else:
                yield from differences(old[key], new[key], inner)
    elif before != after:
        yield Difference("modified", path, before, after)


def path_text(path: Path) -> str:
    """Write a path as people do: user.tags[0], with odd keys as in user['first name'].

    Of a very long path only the end is shown, because many differences may share the rest.
    """
    text = "".join(map(_step_text, path)).removeprefix(".")
    return text if len(text) <= LONGEST_SHOWN_PATH else f"…{text[-LONGEST_SHOWN_PATH:]}"


def _step_text(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if _PLAIN_KEY.fullmatch(step) else f"[{in_short(step)}]"


def _compare_lists(a: list[Any], b: list[Any], order: TextOrder, path: Path) -> Verdict:
    for position, (left, right) in enumerate(zip(a, b, strict=False)):
        verdict = compare(left, right, order, (*path, position))
        if verdict.relation != "equal":
            return verdict
    if len(a) == len(b):
        return Verdict("equal")
    longer = "b" if len(a) < len(b) else "a"
    relation: Relation = "less" if longer == "b" else "greater"
    shorter = min(len(a), len(b))
    return Verdict(relation, (*path, shorter), f"{longer} has more items and the first are equal")


def _compare_objects(a: dict[str, Any], b: dict[str, Any], order: TextOrder, path: Path) -> Verdict:
    for key in sorted(a.keys() | b.keys()):
        inner = (*path, key)
        if key not in a or key not in b:
            return Verdict("incomparable", inner, f"the key is only in {'a' if key in a else 'b'}")
        verdict = compare(a[key], b[key], order, inner)
        if verdict.relation != "equal":
            return verdict._replace(relation="incomparable")
    return Verdict("equal")


def _ranked(a: Any, b: Any, key_a: Any, key_b: Any, path: Path) -> Verdict:
    if key_a == key_b:
        return Verdict("equal")
    relation: Relation = "less" if key_a < key_b else "greater"
    return Verdict(relation, path, f"{in_short(a)} is {relation} than {in_short(b)}")


def _parts(value: Any) -> dict[str | int, Any]:
    return value if isinstance(value, dict) else dict(enumerate(value))


def _natural_parts(text: str) -> list[str | tuple[int, str]]:
    """Split into texts and numbers by turns; a number goes by its length first, then its digits."""
    parts = _DIGITS.split(text)
    numbers = [part.lstrip("0") for part in parts[1::2]]
    mixed: list[str | tuple[int, str]] = list(parts)
    mixed[1::2] = [(len(number), number) for number in numbers]
    return mixed
