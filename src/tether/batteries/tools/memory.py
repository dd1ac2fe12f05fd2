"""Memories: facts that the model keeps for later, in the storage of its turn.

The tools act at once. Where the model also reads text by strangers, let a person approve each call:
`ask_first(store_memory)`.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from tether.batteries.tools.ready_made import Id, Score, ShortText, existing, ready_made, said
from tether.core.ids import new_id
from tether.core.memory import Memory
from tether.runtime.dispatch_context import DispatchContext

Content = Annotated[ShortText, Field(min_length=1)]


@ready_made(example={})
async def list_memories(
    ctx: DispatchContext, contains: ShortText = "", limit: Annotated[int, Field(ge=1, le=200)] = 50
) -> list[dict[str, Any]]:
    """List the memories, newest first, with the ids for updating or deleting them.

    Args:
        contains: Only memories with this text in them, in upper or lower case.
        limit: How many at most.
    """
    wanted = contains.casefold()
    found = [
        memory for memory in await ctx.fetch_memories() if wanted in str(memory.content).casefold()
    ]
    found.sort(key=lambda memory: memory.updated_at, reverse=True)
    return [_shown(memory) for memory in found[:limit]]


@ready_made(example={"content": "Prefers metric units.", "confidence": 0.9, "importance": 0.6})
async def store_memory(
    ctx: DispatchContext, content: Content, confidence: Score, importance: Score
) -> dict[str, Any]:
    """Remember a fact for later conversations. Returns it with the id it was given.

    Args:
        content: The fact, in one sentence that can be understood by itself.
        confidence: How certain it is, from 0 to 1.
        importance: How much it matters, from 0 to 1.
    """
    memory = Memory(
        id=new_id(),
        content=_said(content),
        confidence=confidence,
        importance=importance,
        created_at=ctx.clock.now(),
    )
    await ctx.store_memory(memory)
    return _shown(memory)


@ready_made(example={"id": "m-1", "content": "Prefers imperial units."})
async def update_memory(
    ctx: DispatchContext,
    id: Id,
    content: Content | None = None,
    confidence: Score | None = None,
    importance: Score | None = None,
) -> dict[str, Any]:
    """Correct a memory. Arguments that are left out stay unchanged.

    Args:
        id: The memory's id, from list_memories.
        content: The new fact.
        confidence: How certain it is, from 0 to 1.
        importance: How much it matters, from 0 to 1.
    """
    old = await _existing(ctx, id)
    memory = Memory(
        id=id,
        content=old.content if content is None else _said(content),
        confidence=old.confidence if confidence is None else confidence,
        importance=old.importance if importance is None else importance,
        created_at=old.created_at,
        updated_at=ctx.clock.now(),
    )
    await ctx.mutate_memory(memory)
    return _shown(memory)


@ready_made(example={"id": "m-1"})
async def delete_memory(ctx: DispatchContext, id: Id) -> str:
    """Delete a memory permanently.

    Args:
        id: The memory's id, from list_memories.
    """
    await _existing(ctx, id)
    await ctx.delete_memory(id)
    return f"Forgotten: {id}"


async def _existing(ctx: DispatchContext, id: str) -> Memory:
    return existing(await ctx.fetch_memories(), id, "memory", "list_memories")


def _said(content: str) -> str:
    return said("content", content, "give the fact to remember, in one sentence")


def _shown(memory: Memory) -> dict[str, Any]:
    return {
        "id": memory.id,
        "content": str(memory.content),
        "confidence": memory.confidence,
        "importance": memory.importance,
        "updated_at": memory.updated_at.isoformat(),
    }
