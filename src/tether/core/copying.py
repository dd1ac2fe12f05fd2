"""Copies of plain data, so that nobody holds a live part of somebody else's."""

from __future__ import annotations

from typing import Any

SCALARS = frozenset({str, int, float, bool, type(None)})
"""The types of JSON's leaves, which cannot change and need no copy."""


def copy_plain(value: Any) -> Any:
    """Copy dictionaries, lists, tuples, sets and bytearrays all the way down.

    Any other object is handed over as it is: a live handle has no meaningful copy.
    """
    if type(value) in SCALARS:
        return value
    if isinstance(value, dict):
        return {key: copy_plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [copy_plain(item) for item in value]
    if type(value) is tuple:
        return tuple(copy_plain(item) for item in value)
    if isinstance(value, (set, bytearray)):
        return value.copy()
    return value
