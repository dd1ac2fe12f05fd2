"""Payloads that cannot be taken for anything but data, and the way back.

Only the one character that makes a look-alike is rewritten, as its character reference. Where a
text holds such a reference already, it gains an `amp;`, so that each text has its own neutral form.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from tether.trust.lookalikes import rewritten

if TYPE_CHECKING:
    from collections.abc import Callable


def neutralise(text: str) -> str:
    """Return `text` with nothing in it that reads as our tag or as a chat template's command.

    `restore` undoes it exactly. Clean text comes back as the same object. Takes time in proportion
    to the length, whatever the text.
    """
    return rewritten(text, _neutral)


def restore(text: str) -> str:
    """Return the text that `neutralise` made this from."""
    return rewritten(text, _original)


def changed_json(value: Any, change: Callable[[str], str]) -> Any:
    """Return a JSON value with `change` made to every string and key in it, as a new value.

    Where two keys become one, the later gains an apostrophe: nothing is lost. With loops, not
    comprehensions, it takes one frame a level, which is fewer than making the value took: so no
    call that could be stored is nested too deeply to be shown.
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
