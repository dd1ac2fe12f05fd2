"""What a dispatch that stands alone starts from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tether.core.checks import Checks, freeze, refuses_with
from tether.core.errors import InvalidLlmExecutionContext
from tether.core.memory import Memory
from tether.core.message import Message
from tether.core.registry import Registry
from tether.core.retrievable import Retrievable
from tether.core.text import TextInput, Tokenizable, text_field
from tether.core.thought import Thought
from tether.core.tool_call import ToolCall
from tether.runtime.abort import AbortSignal
from tether.runtime.byte_store import ByteMemory, ByteStore, byte_store_problems
from tether.runtime.storage import Storage, bind_storage
from tether.runtime.tool import Tool
from tether.runtime.tool_registry import ToolRegistry, registry_field
from tether.runtime.turn_context import texts_field


@refuses_with(InvalidLlmExecutionContext)
@dataclass(frozen=True, slots=True, kw_only=True, init=False, repr=False, eq=False)
class RawDispatch:
    """The whole state of a dispatch without a turn around it: for planners, summarisers, replays.

    `storage` is required, as it is for a runner. Gates can be opened only where `gates` is set:
    somebody has to be there to settle them. Raises `InvalidLlmExecutionContext`.
    """

    system_prompt: Tokenizable
    storage: Storage
    standing_instructions: tuple[Tokenizable, ...]
    messages: tuple[Message, ...]
    memories: tuple[Memory, ...]
    retrievables: tuple[Retrievable, ...]
    thoughts: tuple[Thought, ...]
    tool_calls: tuple[ToolCall, ...]
    tools: ToolRegistry
    stash: Registry
    abort_signal: AbortSignal | None
    byte_store: ByteStore
    gates: bool

    def __init__(
        self,
        *,
        system_prompt: TextInput,
        storage: Storage,
        standing_instructions: Iterable[TextInput] = (),
        messages: Iterable[Message] = (),
        memories: Iterable[Memory] = (),
        retrievables: Iterable[Retrievable] = (),
        thoughts: Iterable[Thought] = (),
        tool_calls: Iterable[ToolCall] = (),
        tools: Iterable[Tool] = (),
        stash: Mapping[str, Any] | None = None,
        abort_signal: AbortSignal | None = None,
        byte_store: ByteStore | None = None,
        gates: bool = False,
    ) -> None:
        check = Checks()
        if abort_signal is not None:
            check.instance("abort_signal", abort_signal, AbortSignal, "an AbortSignal")
        check.problems += [] if byte_store is None else byte_store_problems(byte_store)
        for name, complaint in bind_storage(storage, {})[1]:
            check.fail(f"storage.{name}", complaint)
        freeze(
            self,
            system_prompt=text_field(check, "system_prompt", system_prompt, may_be_empty=True),
            storage=storage,
            standing_instructions=texts_field(
                check, "standing_instructions", standing_instructions
            ),
            messages=check.instances("messages", messages, Message, "Message"),
            memories=check.instances("memories", memories, Memory, "Memory"),
            retrievables=check.instances("retrievables", retrievables, Retrievable, "Retrievable"),
            thoughts=check.instances("thoughts", thoughts, Thought, "Thought"),
            tool_calls=check.instances("tool_calls", tool_calls, ToolCall, "ToolCall"),
            tools=registry_field(check, "tools", tools),
            stash=check.made("stash", Registry, stash),
            abort_signal=abort_signal,
            byte_store=ByteMemory() if byte_store is None else byte_store,
            gates=check.flag("gates", gates),
        )
        check.done(InvalidLlmExecutionContext)
