"""The possible sources of a text that a model writes in a turn."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from tether.batteries.storage.port import CONVERSATION, OWNER
from tether.batteries.storage.sql.database import Database
from tether.batteries.storage.sql.forms import object_in, text_in, tier_in
from tether.core.clean_text import clean_text
from tether.core.errors import InputRefused
from tether.core.tiers import TrustTier, lower_tier
from tether.runtime.context import Context

LONGEST_SOURCE = 2_000

_RETRIEVABLES = "SELECT body FROM retrievables WHERE owner = ? AND conversation = ? ORDER BY seq"
_TOOL_CALLS = "SELECT body FROM tool_calls WHERE owner = ? AND conversation = ? ORDER BY seq"

_OWN_RECORDS = ("memory", "standing_instructions")
"""Categories of the tools that show records of this store, all of them first-party."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """The lowest tier of all texts read, and their sources, those of the lowest tier first."""

    tier: TrustTier
    sources: tuple[str, ...]


class _Reading(NamedTuple):
    """The tier and the source of a text that was read."""

    tier: TrustTier
    source: str


async def provenance_of(database: Database, ctx: Context) -> Provenance:
    """Return the provenance of a text of the model: everything that its conversation has read.

    That includes the records of earlier turns: a page read an hour ago may contain a request to
    remember something at the next "yes".
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
    """Return the tier of a tool's results: first-party only for a trusted tool."""
    tool = ctx.tools.get(name)
    if tool is None:
        return "third-party-public"
    own = tool.trusted or tool.meta.get("category") in _OWN_RECORDS
    return "first-party" if own else "third-party-public"


def source_name(source: str) -> str:
    """Return the name of a source as the store keeps it: clean, and of bounded length."""
    return clean_text(source)[:LONGEST_SOURCE]


def page_of(source: str) -> str:
    """Return the page of a source; anchors can be invented, so they count as one page."""
    return source.partition("#")[0] or source


def is_from(source: str, page: str) -> bool:
    """Return whether a source is a page, or an anchor on it."""
    return source == page or source.startswith(f"{page}#")


def owner_of(ctx: Context) -> str:
    """Return the owner of a turn, "" if it has none; raises `InputRefused`."""
    held = ctx.stash.get(OWNER)
    return "" if held is None else checked_owner(held)


def conversation_of(ctx: Context) -> str:
    """Return the conversation of a turn, "" if it has none; raises `InputRefused`."""
    held = ctx.stash.get(CONVERSATION)
    if held is not None and not isinstance(held, str):
        raise InputRefused("a conversation is named by text: set `tether.conversation` to a string")
    return held or ""


def checked_owner(owner: object) -> str:
    """Return an owner; raises `InputRefused` for a name that cleaning would change."""
    if not isinstance(owner, str) or clean_text(owner) != owner:
        raise InputRefused("an owner must be text without NUL and lone surrogates")
    return owner
