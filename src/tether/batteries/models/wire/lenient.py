"""Options as they are given, which Python can write in several ways, made fit to be checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tether.trust.settings import STASH_KEYS, FallbackStash


def kept_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options that stay as they are when the caller changes a dictionary or a list."""
    return {name: _copied(value) for name, value in options.items()}


def lenient(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options with what Python writes in several ways written in the strict one."""
    return {name: _STRICT.get(name, _as_given)(value) for name, value in options.items()}


def _as_given(value: Any) -> Any:
    return value


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _retry(value: Any) -> Any:
    if isinstance(value, Mapping) and isinstance(value.get("retriable_statuses"), (list, set)):
        return {**value, "retriable_statuses": tuple(value["retriable_statuses"])}
    return value


def _policy(value: Any) -> Any:
    if isinstance(value, Mapping) and value.get("mode") == "fallback-stash":
        keys = value.get("stash_keys", STASH_KEYS)
        return FallbackStash(tuple(keys)) if isinstance(keys, (list, tuple)) else value
    return value


_STRICT: dict[str, Callable[[Any], Any]] = {
    "bucket_order": _tuple,
    "replay_compatibility": _tuple,
    "reasoning_field_precedence": _tuple,
    "retry": _retry,
    "unsupported_media": _policy,
}


def _copied(value: Any) -> Any:
    try:
        match value:
            case dict():
                return {key: _copied(it) for key, it in value.items()}
            case list():
                return [_copied(it) for it in value]
            case _:
                return value
    except RecursionError:  # no JSON either: the check of the options will say so
        return value
