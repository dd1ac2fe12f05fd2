"""Answers that name what they belong to by its place in the question."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


def in_order(
    entries: object, expected: int, field: str, read: Callable[[object], T | None]
) -> list[T]:
    """Return what `read` makes of each entry's `field`, in the order of the entries' indexes.

    Raises `ValueError`, which says what is wrong, unless every index from 0 is there once and each
    value can be read.
    """
    if not isinstance(entries, list):
        raise ValueError("sent no list of results")
    found: dict[int, T] = {}
    for entry in entries:
        index, value = _pair(entry, field)
        if type(index) is not int or not 0 <= index < expected or index in found:
            raise ValueError(f"sent {_shown(index)} among those of {expected} texts")
        read_value = read(value)
        if read_value is None:
            raise ValueError(f"sent a {field} that cannot be used, for text {index}")
        found[index] = read_value
    if len(found) < expected:
        raise ValueError(f"sent {len(found)} results for {expected} texts")
    return [found[index] for index in range(expected)]


def _shown(index: object) -> str:
    """Return the index as it may be shown: text of an endpoint can be long, or hold a secret."""
    return f"the index {index}" if type(index) is int and abs(index) < 1e9 else "an odd index"


def _pair(entry: object, field: str) -> tuple[object, object]:
    if not isinstance(entry, dict):
        raise ValueError("sent a result that is no object")
    known = cast("dict[str, object]", entry)
    return known.get("index"), known.get(field)
