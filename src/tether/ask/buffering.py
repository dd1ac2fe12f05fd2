"""What a turn says while it runs, kept in memory until the gate has spoken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tether.ask.turn import AskTurn
from tether.core.message import Message
from tether.core.thought import Thought
from tether.core.tool_call import ToolCall
from tether.runtime.storage import StorageCallbacks

if TYPE_CHECKING:
    from tether.runtime.context import Context


def buffered(turn: AskTurn) -> StorageCallbacks:
    """Return the operations that take the place of the store's own.

    Messages are held in the turn; thoughts and tool calls belong to attempts and go with them. So
    a rejected attempt has nowhere to leave a trace, and an accepted one is stored by `persist`.
    """

    async def hold(_ctx: Context, message: Message) -> None:
        turn.held[message.id] = message

    async def let_go(_ctx: Context, id: str) -> None:
        turn.held.pop(id, None)

    async def keep_no_thought(_ctx: Context, thought: Thought) -> None: ...

    async def keep_no_call(_ctx: Context, tool_call: ToolCall) -> None: ...

    async def keep_nothing(_ctx: Context, id: str) -> None: ...

    return StorageCallbacks(
        store_message=hold,
        mutate_message=hold,
        delete_message=let_go,
        store_thought=keep_no_thought,
        mutate_thought=keep_no_thought,
        delete_thought=keep_nothing,
        store_tool_call=keep_no_call,
        mutate_tool_call=keep_no_call,
        delete_tool_call=keep_nothing,
    )
