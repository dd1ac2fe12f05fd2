"""Where the text that a model writes down in a turn may have come from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from tether.batteries.storage.port import CONVERSATION, OWNER
from tether.batteries.storage.sql.database import Database
from tether.batteries.storage.sql.stored_forms import object_in, text_in, tier_in
from tether.core.cleaning import clean_text
from tether.core.errors import InputRefused
from tether.core.tiers import TrustTier, lower_tier
from tether.runtime.context import Context

LONGEST_SOURCE = 2_000

_RETRIEVABLES = "SELECT body FROM retrievables WHERE owner = ? AND conversation = ? ORDER BY seq"
_TOOL_CALLS = "SELECT body FROM tool_calls WHERE owner = ? AND conversation = ? ORDER BY seq"

_OWN_RECORDS = ("memory", "standing_instructions")
"""Categories of the tools that show what this store holds itself, all of it first-party."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """The least tier of all that was read, and the names of it all, those of that tier first."""

    tier: TrustTier
    sources: tuple[str, ...]


class _Reading(NamedTuple):
    """Something that was read, and how far it is to be believed."""

    tier: TrustTier
    source: str


async def provenance_of(database: Database, ctx: Context) -> Provenance:
    """Return what a text of the model may be made of: all that this conversation has read.

    The records of the turn count, and those that the store holds of the conversation: a page that
    was read an hour ago may have asked to be remembered at the next "yes".
    """
    readings = [_Reading(item.trust_tier, item.source or item.id) for item in ctx.turn_retrievables]
    called = [call.tool for call in ctx.turn_tool_calls]
    place = (owner_of(ctx), conversation_of(ctx))
    for form in await _forms(database, _RETRIEVABLES, place):
        tier, source = tier_in(form.get("trust_tier")), text_in(form.get("source"))
        readings.append(_Reading(tier, source))
    earlier = await _forms(database, _TOOL_CALLS, place)
    called += [text_in(form.get("tool")) for form in earlier]
    return _least([*readings, *(_Reading(tier_of_tool(ctx, tool), tool) for tool in called)])


async def _forms(database: Database, sql: str, place: tuple[str, str]) -> list[dict[str, object]]:
    return [object_in(row["body"]) for row in await database.query(sql, place)]


def _least(readings: Iterable[_Reading]) -> Provenance:
    tier: TrustTier = "first-party"
    ranked: dict[str, TrustTier] = {}
    for read, source in readings:
        tier = lower_tier(tier, read)
        name = source_name(source)
        ranked[name] = lower_tier(ranked.get(name, read), read)
    ranked.pop("", None)
    first = [name for name, read in ranked.items() if read == tier]
    others = [name for name, read in ranked.items() if read != tier]
    return Provenance(tier=tier, sources=(*first, *others))


def tier_of_tool(ctx: Context, name: str) -> TrustTier:
    """Return the tier of what a tool returned: ours only where the tool is trusted."""
    tool = ctx.tools.get(name)
    if tool is None:
        return "third-party-public"
    own = tool.trusted or tool.meta.get("category") in _OWN_RECORDS
    return "first-party" if own else "third-party-public"


def source_name(source: str) -> str:
    """Return the name of a source as it is kept: clean, and of bounded length."""
    return clean_text(source)[:LONGEST_SOURCE]


def page_of(source: str) -> str:
    """Return what a source is a part of: anchors are free to invent and count as one page."""
    return source.partition("#")[0] or source


def is_from(source: str, page: str) -> bool:
    """Say whether a source is a page, or a place on it."""
    return source == page or source.startswith(f"{page}#")


def owner_of(ctx: Context) -> str:
    """Return whose records a turn is about, "" where it names nobody; raises `InputRefused`."""
    held = ctx.stash.get(OWNER)
    return "" if held is None else checked_owner(held)


def conversation_of(ctx: Context) -> str:
    """Return the conversation of a turn, "" where it has none; raises `InputRefused`."""
    held = ctx.stash.get(CONVERSATION)
    if held is not None and not isinstance(held, str):
        raise InputRefused("a conversation is named by a text: set `tether.conversation` to one")
    return held or ""


def checked_owner(owner: object) -> str:
    """Return an owner; raises `InputRefused` for what could be taken for another one."""
    if not isinstance(owner, str) or clean_text(owner) != owner:
        raise InputRefused("an owner is a text without NUL and lone surrogates")
    return owner
