"""Records in memory: for tests, examples and short-lived programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from tether.runtime.deltas import Collections, Delta

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tether.core.memory import Memory
    from tether.core.message import Message
    from tether.core.retrievable import Retrievable
    from tether.core.thought import Thought
    from tether.core.tokenizable import TextInput, Tokenizable
    from tether.core.tool_call import ToolCall
    from tether.runtime.context import Context
    from tether.runtime.deltas import CollectionName, Operation
    from tether.runtime.tool import Tool

T = TypeVar("T")


class MemoryStorage:
    """All 25 operations over ordinary collections, one set of them per session.

    `session_of` returns the session of a context, for instance
    `lambda ctx: ctx.stash.get("session.id")`; without it everything is one session.
    """

    def __init__(
        self,
        *,
        messages: Iterable[Message] = (),
        tools: Iterable[Tool] = (),
        session_of: Callable[[Context], str | None] | None = None,
    ) -> None:
        self._first_messages = tuple(messages)
        self._tools = tuple(tools)
        self._session_of = session_of
        self._sessions: dict[str, Collections] = {}

    def session(self, name: str = "") -> Collections:
        """Return the live records of a session, created on first use."""
        records = self._sessions.get(name)
        if records is None:
            records = self._sessions[name] = Collections()
            records.messages.update(self._first_messages)
        return records

    def _of(self, ctx: Context) -> Collections:
        return self.session("" if self._session_of is None else self._session_of(ctx) or "")

    async def fetch_messages(self, ctx: Context) -> Sequence[Message]:
        """Return the session's messages in the order they were stored."""
        return list(self._of(ctx).messages)

    async def fetch_memories(self, ctx: Context) -> Sequence[Memory]:
        """Return the session's memories."""
        return list(self._of(ctx).memories)

    async def fetch_thoughts(self, ctx: Context) -> Sequence[Thought]:
        """Return the session's thoughts."""
        return list(self._of(ctx).thoughts)

    async def fetch_tool_calls(self, ctx: Context) -> Sequence[ToolCall]:
        """Return the session's tool calls."""
        return list(self._of(ctx).tool_calls)

    async def fetch_retrievables(self, ctx: Context) -> Sequence[Retrievable]:
        """Return the session's retrievables."""
        return list(self._of(ctx).retrievables)

    async def fetch_tools(self, ctx: Context) -> Sequence[Tool]:
        """Return the tools given to the constructor."""
        return self._tools

    async def refresh_standing_instructions(self, ctx: Context) -> Sequence[TextInput]:
        """Return the session's standing instructions."""
        return list(self._of(ctx).standing_instructions)

    async def store_message(self, ctx: Context, message: Message) -> None:
        """Keep a message."""
        self._apply(ctx, "messages", "store", message)

    async def mutate_message(self, ctx: Context, message: Message) -> None:
        """Replace the message of that id."""
        self._apply(ctx, "messages", "mutate", message)

    async def delete_message(self, ctx: Context, id: str) -> None:
        """Forget the message of that id."""
        self._apply(ctx, "messages", "delete", id)

    async def store_memory(self, ctx: Context, memory: Memory) -> None:
        """Keep a memory."""
        self._apply(ctx, "memories", "store", memory)

    async def mutate_memory(self, ctx: Context, memory: Memory) -> None:
        """Replace the memory of that id."""
        self._apply(ctx, "memories", "mutate", memory)

    async def delete_memory(self, ctx: Context, id: str) -> None:
        """Forget the memory of that id."""
        self._apply(ctx, "memories", "delete", id)

    async def store_thought(self, ctx: Context, thought: Thought) -> None:
        """Keep a thought."""
        self._apply(ctx, "thoughts", "store", thought)

    async def mutate_thought(self, ctx: Context, thought: Thought) -> None:
        """Replace the thought of that id."""
        self._apply(ctx, "thoughts", "mutate", thought)

    async def delete_thought(self, ctx: Context, id: str) -> None:
        """Forget the thought of that id."""
        self._apply(ctx, "thoughts", "delete", id)

    async def store_tool_call(self, ctx: Context, tool_call: ToolCall) -> None:
        """Keep a tool call."""
        self._apply(ctx, "tool_calls", "store", tool_call)

    async def mutate_tool_call(self, ctx: Context, tool_call: ToolCall) -> None:
        """Replace the tool call of that id."""
        self._apply(ctx, "tool_calls", "mutate", tool_call)

    async def delete_tool_call(self, ctx: Context, id: str) -> None:
        """Forget the tool call of that id."""
        self._apply(ctx, "tool_calls", "delete", id)

    async def store_retrievable(self, ctx: Context, retrievable: Retrievable) -> None:
        """Keep a retrievable."""
        self._apply(ctx, "retrievables", "store", retrievable)

    async def mutate_retrievable(self, ctx: Context, retrievable: Retrievable) -> None:
        """Replace the retrievable of that id."""
        self._apply(ctx, "retrievables", "mutate", retrievable)

    async def delete_retrievable(self, ctx: Context, id: str) -> None:
        """Forget the retrievable of that id."""
        self._apply(ctx, "retrievables", "delete", id)

    async def store_standing_instruction(self, ctx: Context, instruction: Tokenizable) -> None:
        """Keep an instruction."""
        self._apply(ctx, "standing_instructions", "store", instruction)

    async def mutate_standing_instruction(self, ctx: Context, instruction: Tokenizable) -> None:
        """Keep a changed instruction beside the others."""
        self._apply(ctx, "standing_instructions", "mutate", instruction)

    async def delete_standing_instruction(self, ctx: Context, instruction: TextInput) -> None:
        """Forget an instruction."""
        self._apply(ctx, "standing_instructions", "delete", instruction)

    def _apply(
        self, ctx: Context, collection: CollectionName, operation: Operation, value: object
    ) -> None:
        self._of(ctx).apply(Delta(collection, operation, value))
