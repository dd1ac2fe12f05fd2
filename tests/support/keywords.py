"""Whether the keywords that type checkers read are the options that are checked at run time."""

from __future__ import annotations

from typing import Any, get_type_hints

from pydantic import BaseModel

TAKEN_IN_SEVERAL_WAYS = frozenset(
    {
        "api_key",
        "bucket_order",
        "question_buckets",
        "headers",
        "reasoning_field_precedence",
        "replay_compatibility",
        "retry",
        "steps",
        "unsupported_media",
    }
)
"""Options whose keywords are wider than their fields."""


def differences(options: type[BaseModel], keywords: type[Any]) -> dict[str, Any]:
    """Return what the fields of options and the keys of their keywords do not have in common."""
    fields = {name: get_type_hints(options)[name] | None for name in options.model_fields}
    keys: dict[str, Any] = get_type_hints(keywords)
    return {
        name: (fields.get(name), keys.get(name))
        for name in fields.keys() | keys.keys()
        if name not in keys
        or (name not in TAKEN_IN_SEVERAL_WAYS and fields.get(name) != keys[name])
    }
