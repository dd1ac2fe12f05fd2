"""A person's yes to one text, carried from where it was given to the store that needs it."""

from __future__ import annotations

from typing import Any, cast

from tether.core.cleaning import clean_text
from tether.core.registry import ABSENT
from tether.runtime.context import Context

CONFIRMED_BY = "tether.confirmed_by"
"""Where the stash of a turn holds each yes: by the text it was given to, who gave it."""


def confirm(ctx: Context, text: str, *, by: str) -> None:
    """Note that a person has seen `text` and agreed that it is kept; it holds for one write.

    Call it right after the gate and before `ctx.store_memory` or `ctx.store_standing_instruction`.
    It is bound to the text, because the stash is shared: a name alone would confirm whatever else
    is written in the same turn. Several may be on their way at once.
    """
    ctx.stash.set(CONFIRMED_BY, _given(ctx) | {_wording(text): by})


def take_confirmation(ctx: Context, text: str) -> str:
    """Return who agreed to exactly this text, and use the yes up; "" where nobody did."""
    given = _given(ctx)
    by = given.pop(_wording(text), "")
    ctx.stash.set(CONFIRMED_BY, given or ABSENT)
    return by if isinstance(by, str) else ""


def _given(ctx: Context) -> dict[str, object]:
    held: Any = ctx.stash.get(CONFIRMED_BY)
    return cast("dict[str, object]", held) if isinstance(held, dict) else {}


def _wording(text: str) -> str:
    """Return a text as stores keep it: what a person agreed to is not lost to a space."""
    return clean_text(text).strip()
