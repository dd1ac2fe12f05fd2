"""A person's yes to one text, carried from where it was given to the store that needs it."""

from __future__ import annotations

from typing import Any, cast

from tether.core.registry import ABSENT
from tether.runtime.context import Context

CONFIRMED_BY = "tether.confirmed_by"
"""Where the stash of a turn holds the yes: who gave it, and to which text."""


def confirm(ctx: Context, text: str, *, by: str) -> None:
    """Note that a person has seen `text` and agreed that it is kept; it holds for one write.

    Call it right after the gate and before `ctx.store_memory` or `ctx.store_standing_instruction`.
    It is bound to the text, because the stash is shared: a name alone would confirm whatever else
    is written in the same turn.
    """
    ctx.stash.set(CONFIRMED_BY, {"by": by, "text": text})


def take_confirmation(ctx: Context, text: str) -> str:
    """Return who agreed to exactly this text, and use the yes up; "" where nobody did."""
    held: Any = ctx.stash.get(CONFIRMED_BY)
    if not isinstance(held, dict):
        return ""
    given = cast("dict[str, object]", held)
    by = given.get("by")
    if given.get("text") != text or not isinstance(by, str):
        return ""
    ctx.stash.set(CONFIRMED_BY, ABSENT)
    return by
