"""Neutralised payloads, which can be taken for nothing but data, and the reverse.

Only the one character that makes a look-alike is rewritten, as its character reference. If a
text already contains such a reference, it gains an `amp;`, so that each text has its own neutral
form.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from tether.trust.lookalikes import rewritten

if TYPE_CHECKING:
    from collections.abc import Callable


def neutralise(text: str) -> str:
    """Return `text` without anything that reads as our tag or as a chat template's command.

    `restore` undoes it exactly. Clean text comes back as the same object. Takes time in proportion
    to the length, whatever the text.
    """
    return rewritten(text, _neutral)


def restore(text: str) -> str:
    """Return the text that `neutralise` made this from."""
    return rewritten(text, _original)


def changed_json(value: Any, change: Callable[[str], str]) -> Any:
    """Return a copy of a JSON value with `change` applied to every string and key in it.

    If two keys become equal, the later gains an apostrophe: nothing is lost. Loops instead of
    comprehensions need one frame per level, fewer than making the value did: so no call that could
    be stored is nested too deeply to be shown.
    """
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        fields: dict[str, Any] = {}
        for key, item in cast("Mapping[str, Any]", value).items():
            fields[_free(change(key), fields)] = changed_json(item, change)
        return fields
    if isinstance(value, (list, tuple)):
        items: list[Any] = []
        for item in cast("list[Any]", value):
            items.append(changed_json(item, change))  # noqa: PERF401  # see above
        return items
    return value


def _free(key: str, taken: dict[str, Any]) -> str:
    while key in taken:
        key += "'"
    return key


def _neutral(spot: str) -> str:
    if spot[0] == "&":
        return f"&amp;{spot[1:]}"
    return "&lt;" if spot == "<" else f"&#{ord(spot)};"


def _original(spot: str) -> str:
    if spot[0] != "&":
        return spot
    if spot.startswith("&amp;"):
        return f"&{spot[5:]}"
    return "<" if spot == "&lt;" else chr(int(spot[2:-1]))
