"""The stash: plain data under dot paths, isolated from the code that writes and reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from tether.core.checks import in_short
from tether.core.errors import InvalidInitialRegistryValue, InvalidRegistryPath, Problem
from tether.core.plain_data import copy_plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class _Absent:
    """The type of `ABSENT`."""

    def __repr__(self) -> str:
        return "ABSENT"

    def __reduce__(self) -> str:
        return "ABSENT"  # there is one, also in a copy


ABSENT: Any = _Absent()
"""Stored under a path, it makes the path absent again. None, 0, "" and False are values."""


class Registry:
    """A tree of dictionaries, read and written by paths such as `"my-org.budget.left"`.

    Dictionaries, lists, tuples, sets and bytearrays are copied on the way in and on the way out, so
    no caller holds a live part of the store. Any other object (a connection, a record) is passed as
    it is. Lists are leaves: no path leads into one, nor to a key that contains a dot.
    """

    __slots__ = ("_store",)

    def __init__(self, initial: Mapping[str, Any] | None = None) -> None:
        if initial is not None and not isinstance(initial, dict):
            raise InvalidInitialRegistryValue(
                [Problem("initial", f"must be None or a dictionary, not {in_short(initial)}")]
            )
        self._store: dict[str, Any] = _without_absent(copy_plain(initial)) if initial else {}

    def get(self, path: str, default: Any = None) -> Any:
        """Return a copy of the value under `path`, or `default` if the path is absent."""
        value = self._find(path)
        return default if value is ABSENT else copy_plain(value)

    def set(self, path: str, value: Any) -> None:
        """Store a copy of `value` under `path`, making the dictionaries on the way.

        Raises `InvalidRegistryPath` if the path leads through a value that has no keys.
        """
        *parents, last = _segments(path)
        copied = _without_absent(copy_plain(value))
        branch = self._store
        for depth, segment in enumerate(parents):
            below = branch.get(segment, ABSENT)
            if below is ABSENT:
                below = branch[segment] = {}
            if not isinstance(below, dict):
                stop = ".".join(parents[: depth + 1])
                raise InvalidRegistryPath(
                    f"cannot set {path!r}: {stop!r} holds {in_short(below)}, which has no keys"
                )
            branch = cast("dict[str, Any]", below)
        if copied is ABSENT:
            branch.pop(last, None)
        else:
            branch[last] = copied

    def has(self, path: str) -> bool:
        """Return whether `path` has a value."""
        return self._find(path) is not ABSENT

    def keys(self) -> list[str]:
        """Return the dot paths of all leaves, in order of insertion."""
        return list(_leaves(self._store, ""))

    def all(self) -> dict[str, Any]:
        """Return a copy of the whole tree; it can seed another registry."""
        return cast("dict[str, Any]", copy_plain(self._store))

    def clone(self) -> Registry:
        """Return an independent registry with the same content."""
        return Registry(self._store)

    __copy__ = clone

    def _find(self, path: str) -> Any:
        value: Any = self._store
        for segment in _segments(path):
            if not isinstance(value, dict):
                return ABSENT
            value = cast("dict[str, Any]", value).get(segment, ABSENT)
        return value


def _segments(path: str) -> list[str]:
    segments = path.split(".") if isinstance(path, str) else []
    if not segments or "" in segments:
        raise InvalidRegistryPath(
            f"a path is names joined by dots, such as 'my-org.count', not {path!r}"
        )
    return segments


def _leaves(branch: dict[str, Any], prefix: str) -> Iterator[str]:
    for key, value in branch.items():
        path = f"{prefix}{key}"
        if isinstance(value, dict) and value:
            yield from _leaves(cast("dict[str, Any]", value), f"{path}.")
        else:
            yield path


def _without_absent(value: Any) -> Any:
    """Remove the entries that were stored as absent."""
    if isinstance(value, dict):
        return {key: _without_absent(item) for key, item in value.items() if item is not ABSENT}
    return value
