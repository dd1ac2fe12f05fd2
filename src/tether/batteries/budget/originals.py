"""Which record of a context a loaded one was made from."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tether.batteries.budget.shedding import Unit
    from tether.core.memory import Memory
    from tether.core.message import Message
    from tether.core.records import RecordSet
    from tether.core.retrievable import Retrievable
    from tether.core.thought import Thought
    from tether.runtime.context import Context
    from tether.trust.loaded import PromptRecords

R = TypeVar("R", "Memory", "Message", "Retrievable", "Thought")


class Originals:
    """Leads from what was loaded back to what the context holds.

    A record whose text depends on the context is loaded as a twin with that text made. Ids do not
    lead back: two records may share one.
    """

    __slots__ = ("_ctx", "_memories", "_messages", "_retrievables", "_thoughts")

    def __init__(self, ctx: Context, loaded: PromptRecords) -> None:
        self._ctx = ctx
        self._memories = _paired(ctx.turn_memories, loaded.memories)
        self._messages = _paired(ctx.turn_messages, (it.record for it in loaded.messages))
        found = (it.record for it in loaded.retrievables)
        self._retrievables = _paired(ctx.turn_retrievables, found)
        self._thoughts = _paired(ctx.turn_thoughts, loaded.thoughts)

    def leave_out(self, unit: Unit) -> None:
        """Remove a unit from the context, in memory only."""
        ctx, records = self._ctx, unit.records
        for memory in records.memories:
            ctx.turn_memories.discard(self._memories[id(memory)])
        for retrievable in records.retrievables:
            ctx.turn_retrievables.discard(self._retrievables[id(retrievable.record)])
        for message in records.messages:
            ctx.turn_messages.discard(self._messages[id(message.record)])
        for thought in records.thoughts:
            ctx.turn_thoughts.discard(self._thoughts[id(thought)])
        for call in records.calls:
            ctx.turn_tool_calls.discard(call.record)
        ctx.tools.hide(*(tool.name for tool in unit.tools))


def _paired(held: RecordSet[R], loaded: Iterable[R]) -> dict[int, R]:
    """Return the original of each loaded record by the identity of that.

    Both have the same order, and the loaded ones may be fewer: a text that came out empty has no
    twin.
    """
    records = list(loaded)
    pairs = {id(it): it for it in records}
    dynamic = (it for it in held if id(it) not in pairs)
    for twin in (it for it in records if it not in held):
        for original in dynamic:
            if _is_twin(original, twin):
                pairs[id(twin)] = original
                break
    return pairs


def _is_twin(original: R, twin: R) -> bool:
    """Say whether they share everything that does not depend on the context."""
    return all(
        getattr(original, field.name) is getattr(twin, field.name)
        for field in fields(original)
        if field.name not in {"content", "identity"}
    )
