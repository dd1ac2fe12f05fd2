"""Layers of options, and how they become one set of checked options."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

from pydantic import SecretStr, ValidationError

from tether.batteries.models.wire.options import ModelOptions, RetryOptions
from tether.core.errors import Problem
from tether.trust.render_context import STASH_KEYS, FallbackStash

if TYPE_CHECKING:
    from tether.batteries.models.errors import InvalidModelOptions

MERGED_BY_KEY = ("headers", "retry", "steps")

O = TypeVar("O", bound=ModelOptions)  # noqa: E741  # an options class


def kept_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy that does not change when the caller changes a dictionary or a list."""
    return {name: _copied(value) for name, value in options.items()}


def merged_options(
    kind: type[O], layers: Sequence[Mapping[str, Any]], error: type[InvalidModelOptions]
) -> O:
    """Return the options of all layers together; later layers override earlier ones.

    Headers, retry settings and rendering steps are merged key by key; anything else is replaced.
    None resets an option, or such a key, to its default. Raises `error` with every problem; it
    never shows a secret.
    """
    merged: dict[str, Any] = {}
    for layer in layers:
        if not isinstance(layer, Mapping):
            refused = f"must be a dictionary of options, not a {type(layer).__name__}"
            raise error([Problem("", refused)])
        for name, value in layer.items():
            both = name in MERGED_BY_KEY and isinstance(value, (Mapping, RetryOptions))
            merged[name] = _both(name, merged.get(name), value) if both else value
    known = kind.model_fields
    given = {name: it for name, it in merged.items() if it is not None or name not in known}
    try:
        return kind.model_validate(_hidden(_strict(given)))
    except ValidationError as invalid:
        faults = invalid.errors(include_url=False, include_context=False, include_input=False)
    raise error(map(_problem, faults))  # out here, where it does not refer to the given values


def _hidden(given: dict[str, Any]) -> dict[str, Any]:
    key = given.get("api_key")
    return given | {"api_key": SecretStr(key)} if isinstance(key, str) else given


def _both(name: str, below: object, above: object) -> dict[str, Any]:
    """Return two layers of one option; names of headers are case-insensitive."""
    over = _keys(above)
    names = {str(key).lower() for key in over}
    kept = {key: value for key, value in _keys(below).items() if str(key).lower() not in names}
    both = (kept | dict(over)).items()
    return {key: value for key, value in both if value is not None or _is_unknown(name, key)}


def _is_unknown(name: str, key: str) -> bool:
    return name == "retry" and key not in RetryOptions.model_fields


def _keys(value: object) -> Mapping[str, Any]:
    if isinstance(value, RetryOptions):
        return value.model_dump(exclude_unset=True)
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _problem(fault: Mapping[str, Any]) -> Problem:
    parts = [str(part) for part in fault["loc"]]
    if parts[-1:] == ["[key]"]:  # the part before it is the key, which may be anything
        return Problem(".".join(parts[:-2]), "must be JSON, whose keys are text")
    path = ".".join(parts)
    if fault["type"] == "extra_forbidden":
        return Problem(path, "is not an option")
    return Problem(path, str(fault["msg"]).removeprefix("Value error, "))


def _strict(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options in the one form that the check accepts: tuples, not lists or sets."""
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
    "question_buckets": _tuple,
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
    except RecursionError:  # not JSON either: the check of the options will say so
        return value
