"""Retrievables: passages that the model pins to the conversation, or removes.

Everything a model writes, even the label of a passage, has the lowest tier: it may repeat the text
of a stranger, and a record never gains authority by being copied.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from tether.batteries.tools.ready_made import Id, Label, Score, Text, existing, ready_made, said
from tether.core.ids import new_id
from tether.core.retrievable import Retrievable
from tether.core.tiers import TrustTier
from tether.runtime.dispatch_context import DispatchContext

Content = Annotated[Text, Field(min_length=1)]

WRITTEN_BY_THE_MODEL: TrustTier = "third-party-private"
PREVIEW = 500


@ready_made(example={})
async def list_retrievables(
    ctx: DispatchContext, limit: Annotated[int, Field(ge=1, le=200)] = 50
) -> list[dict[str, Any]]:
    """List the passages that are pinned to this conversation, with the beginning of each.

    Args:
        limit: How many at most.
    """
    return [await _shown(found) for found in list(await ctx.fetch_retrievables())[:limit]]


@ready_made(example={"content": "Water boils at 100 °C at sea level.", "source": "notes"})
async def store_retrievable(
    ctx: DispatchContext,
    content: Content,
    source: Label | None = None,
    kind: Label | None = None,
    score: Score | None = None,
) -> dict[str, Any]:
    """Pin a passage to this conversation, so that it stays in view. Returns it with its new id.

    Args:
        content: The passage.
        source: Its source: a title or an address.
        kind: The kind of passage, for instance note or quote.
        score: How relevant it is, from 0 to 1.
    """
    pinned = Retrievable(
        id=new_id(),
        content=_said(content),
        trust_tier=WRITTEN_BY_THE_MODEL,
        source=source,
        kind=kind,
        score=score,
        created_at=ctx.clock.now(),
    )
    await ctx.store_retrievable(pinned)
    return await _shown(pinned)


@ready_made(example={"id": "r-1", "score": 0.2})
async def update_retrievable(
    ctx: DispatchContext,
    id: Id,
    *,
    content: Content | None = None,
    source: Label | None = None,
    kind: Label | None = None,
    score: Score | None = None,
) -> dict[str, Any]:
    """Change a pinned passage. Arguments that are left out stay unchanged.

    Args:
        id: The passage's id, from list_retrievables.
        content: The new text.
        source: Its source.
        kind: The kind of passage.
        score: How relevant it is, from 0 to 1.
    """
    old, new = await _existing(ctx, id), (content, source, kind)
    changed = Retrievable(
        id=id,
        content=old.content if content is None else _said(content),
        trust_tier=old.trust_tier if new == (None, None, None) else WRITTEN_BY_THE_MODEL,
        source=old.source if source is None else source,
        kind=old.kind if kind is None else kind,
        score=old.score if score is None else score,
        inline=old.inline,
        created_at=old.created_at,
        updated_at=ctx.clock.now(),
    )
    await ctx.mutate_retrievable(changed)
    return await _shown(changed)


@ready_made(example={"id": "r-1"})
async def delete_retrievable(ctx: DispatchContext, id: Id) -> str:
    """Remove a pinned passage.

    Args:
        id: The passage's id, from list_retrievables.
    """
    await _existing(ctx, id)
    await ctx.delete_retrievable(id)
    return f"Removed: {id}"


async def _existing(ctx: DispatchContext, id: str) -> Retrievable:
    return existing(await ctx.fetch_retrievables(), id, "passage", "list_retrievables")


def _said(content: str) -> str:
    return said("content", content, "give the passage to pin")


async def _shown(retrievable: Retrievable) -> dict[str, Any]:
    return {
        "id": retrievable.id,
        "beginning": await retrievable.read_beginning(PREVIEW),
        "source": retrievable.source,
        "kind": retrievable.kind,
        "score": retrievable.score,
        "trust_tier": retrievable.trust_tier,
    }
