"""A person's consent to one text, passed through the stash of a turn to the store."""

from __future__ import annotations

from typing import Any, cast

from tether.core.clean_text import clean_text
from tether.core.registry import ABSENT
from tether.runtime.context import Context

CONFIRMED_BY = "tether.confirmed_by"
"""The stash key of the consents of a turn: the person's name by the text."""


def confirm(ctx: Context, text: str, *, by: str) -> None:
    """Note that a person has seen `text` and agreed to keep it; valid for one write.

    Call it after the gate and before `ctx.store_memory` or `ctx.store_standing_instruction`. The
    consent is bound to the text, because the stash is shared: a name alone would confirm anything
    else written in the same turn. Several consents may be pending at once.
    """
    ctx.stash.set(CONFIRMED_BY, _given(ctx) | {_wording(text): by})


def take_confirmation(ctx: Context, text: str) -> str:
    """Return who agreed to exactly this text and remove the consent; "" if nobody did."""
    given = _given(ctx)
    by = given.pop(_wording(text), "")
    ctx.stash.set(CONFIRMED_BY, given or ABSENT)
    return by if isinstance(by, str) else ""


def _given(ctx: Context) -> dict[str, object]:
    held: Any = ctx.stash.get(CONFIRMED_BY)
    return cast("dict[str, object]", held) if isinstance(held, dict) else {}


def _wording(text: str) -> str:
    """Return a text as stores keep it, so that a space at the end does not void a consent."""
    return clean_text(text).strip()
