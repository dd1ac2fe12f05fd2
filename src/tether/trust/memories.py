"""Memories: each in an envelope of its own, all in one container."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tether.trust.tags import envelope, plain_block

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tether.core.memory import Memory
    from tether.trust.rendering import Rendering


def render_memories(rendering: Rendering, memories: Sequence[Memory]) -> str:
    """Return the container with the memories in the order given, or nothing."""
    if not memories:
        return ""
    one = rendering.steps.memory
    return plain_block("memories", {}, "\n".join(one(rendering, memory) for memory in memories))


def render_memory(rendering: Rendering, memory: Memory) -> str:
    """Return one memory, with how sure it is and how much it weighs."""
    nonce = rendering.nonces.of("memory", memory.id)
    attributes = {
        "nonce": nonce,
        "createdAt": memory.created_at.isoformat(),
        "confidence": str(memory.confidence),
        "importance": str(memory.importance),
    }
    return envelope("memory", nonce, attributes, rendering.payload(str(memory.content)))
