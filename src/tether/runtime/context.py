"""The view of a turn that middlewares, executors and tools have."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

from tether.core.checks import Checks, in_short
from tether.core.errors import (
    InvalidInitialMemoryValue,
    InvalidInitialMessageValue,
    InvalidInitialRetrievableValue,
    InvalidInitialThoughtValue,
    InvalidInitialToolCallValue,
    InvalidInput,
)
from tether.core.events import MessageChunk, ThoughtChunk, ToolCallProgress
from tether.core.memory import Memory
from tether.core.message import Message
from tether.core.retrievable import Retrievable
from tether.core.thought import Thought
from tether.core.tokenizable import TextInput, Tokenizable, text_field
from tether.core.tool_call import ToolCall
from tether.runtime.errors import (
    InvalidInitialStandingInstructionValue,
    LlmExecutionGateNotSupported,
    UnknownEvent,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from tether.core.artifact import SpoolReader
    from tether.core.media import MediaReader
    from tether.core.records import RecordSet
    from tether.core.registry import Registry
    from tether.runtime.abort import AbortSignal
    from tether.runtime.bus import EventSink, ObservabilityEvent
    from tether.runtime.clock import Clock
    from tether.runtime.deltas import CollectionName, Collections, Operation
    from tether.runtime.gate import GateRequest, TurnGate, TurnGates
    from tether.runtime.storage import ByteStore, Storage
    from tether.runtime.tool import Tool
    from tether.runtime.tool_registry import ToolRegistry


T = TypeVar("T")


class Services(NamedTuple):
    """Storage, bytes, listeners, time and gates; without `gates` none can be opened."""

    storage: Storage
    byte_store: ByteStore
    sink: EventSink
    clock: Clock
    gates: TurnGates | None


class Context:
    """The state of a turn, and the only access to its storage, gates and listeners.

    Collections are changed in place; no part of a context can be replaced.
    """

    __slots__ = (
        "__weakref__",
        "_abort_signal",
        "_collections",
        "_id",
        "_services",
        "_stash",
        "_storage",
        "_system_prompt",
        "_tools",
    )

    def __init__(
        self,
        *,
        id: str,
        system_prompt: Tokenizable,
        stash: Registry,
        collections: Collections,
        tools: ToolRegistry,
        abort_signal: AbortSignal,
        services: Services,
    ) -> None:
        self._id = id
        self._system_prompt = system_prompt
        self._stash = stash
        self._collections = collections
        self._tools = tools
        self._abort_signal = abort_signal
        self._services = services
        self._storage = services.storage

    @property
    def id(self) -> str:
        """The key of this turn or dispatch in every event."""
        return self._id

    @property
    def turn_id(self) -> str:
        """The key of the turn this belongs to."""
        return self._id

    @property
    def system_prompt(self) -> Tokenizable:
        """The description of the assistant."""
        return self._system_prompt

    @property
    def standing_instructions(self) -> RecordSet[Tokenizable]:
        """The developer's rules, in force for the whole turn."""
        return self._collections.standing_instructions

    @property
    def stash(self) -> Registry:
        """Data that middlewares share. A dispatch has its own, seeded from the turn's."""
        return self._stash

    @property
    def turn_messages(self) -> RecordSet[Message]:
        """The dialogue the model sees; empty until a middleware fills it."""
        return self._collections.messages

    @property
    def turn_memories(self) -> RecordSet[Memory]:
        """The memories the model sees; empty until a middleware fills it."""
        return self._collections.memories

    @property
    def turn_retrievables(self) -> RecordSet[Retrievable]:
        """The retrieved content the model sees; empty until a middleware fills it."""
        return self._collections.retrievables

    @property
    def turn_thoughts(self) -> RecordSet[Thought]:
        """The reasoning of this turn."""
        return self._collections.thoughts

    @property
    def turn_tool_calls(self) -> RecordSet[ToolCall]:
        """The settled tool calls of this turn."""
        return self._collections.tool_calls

    @property
    def tools(self) -> ToolRegistry:
        """The tools on offer; changes last for this turn, or this dispatch."""
        return self._tools

    @property
    def clock(self) -> Clock:
        """The time that this turn's events are stamped with."""
        return self._services.clock

    @property
    def abort_signal(self) -> AbortSignal:
        """Goes on when the work has to stop; `await ctx.abort_signal.guard(work)` obeys it."""
        return self._abort_signal

    @property
    def aborted(self) -> bool:
        """Whether the abort signal is on."""
        return self._abort_signal.aborted

    @property
    def record(self) -> Callable[[ObservabilityEvent], None]:
        """Reports an event of this turn or dispatch to the observers; never raises."""
        return self._services.sink.record

    def abort(self, reason: object = None) -> None:
        """Stop on purpose: the remaining stages are skipped and no `error` fires. Then return."""
        self._abort_signal.abort(reason)

    def open_gate(self, request: GateRequest[T]) -> TurnGate[T]:
        """Open a gate without waiting for it; await `gate.wait()` when the answer is needed."""
        gates = self._services.gates
        if gates is None:
            raise LlmExecutionGateNotSupported("this dispatch stands alone and was given no gates")
        return gates.open(request, self._abort_signal, self._services.sink)

    async def wait_for(self, request: GateRequest[T]) -> T:
        """Open a gate and wait here until it settles.

        Returns the validated value, or raises the error of `reject`, `TurnGateAborted` or
        `TurnGateTimeout`.
        """
        return await self.open_gate(request).wait()

    def emit_message(self, chunk: MessageChunk) -> None:
        """Deliver a message event made elsewhere; `helpers.report_message` is the usual way."""
        _refuse_other(chunk, MessageChunk)
        self._services.sink.deliver(chunk)

    def emit_thought(self, chunk: ThoughtChunk) -> None:
        """Deliver a thought event made elsewhere."""
        _refuse_other(chunk, ThoughtChunk)
        self._services.sink.deliver(chunk)

    def emit_tool_call(self, progress: ToolCallProgress) -> None:
        """Deliver a tool-call event made elsewhere."""
        _refuse_other(progress, ToolCallProgress)
        self._services.sink.deliver(progress)

    async def fetch_messages(self) -> Sequence[Message]:
        """Read the stored messages; nothing is added to the turn."""
        return await self._storage.fetch_messages(self)

    async def fetch_memories(self) -> Sequence[Memory]:
        """Read the stored memories; nothing is added to the turn."""
        return await self._storage.fetch_memories(self)

    async def fetch_thoughts(self) -> Sequence[Thought]:
        """Read the stored thoughts; nothing is added to the turn."""
        return await self._storage.fetch_thoughts(self)

    async def fetch_tool_calls(self) -> Sequence[ToolCall]:
        """Read the stored tool calls; nothing is added to the turn."""
        return await self._storage.fetch_tool_calls(self)

    async def fetch_retrievables(self) -> Sequence[Retrievable]:
        """Read the stored retrievables; nothing is added to the turn."""
        return await self._storage.fetch_retrievables(self)

    async def fetch_tools(self) -> Sequence[Tool]:
        """Read further tools; nothing is registered."""
        return await self._storage.fetch_tools(self)

    async def refresh_standing_instructions(self) -> Sequence[TextInput]:
        """Read the standing instructions; nothing is added to the turn."""
        return await self._storage.refresh_standing_instructions(self)

    async def store_message(self, message: Message) -> None:
        """Persist a new message."""
        _require(message, Message, InvalidInitialMessageValue)
        await self._write("messages", "store", message, self._storage.store_message)

    async def mutate_message(self, message: Message) -> None:
        """Persist a new version of a message."""
        _require(message, Message, InvalidInitialMessageValue)
        await self._write("messages", "mutate", message, self._storage.mutate_message)

    async def delete_message(self, id: str) -> None:
        """Delete a message."""
        _require(id, str, InvalidInitialMessageValue)
        await self._write("messages", "delete", id, self._storage.delete_message)

    async def store_memory(self, memory: Memory) -> None:
        """Persist a new memory."""
        _require(memory, Memory, InvalidInitialMemoryValue)
        await self._write("memories", "store", memory, self._storage.store_memory)

    async def mutate_memory(self, memory: Memory) -> None:
        """Persist a new version of a memory."""
        _require(memory, Memory, InvalidInitialMemoryValue)
        await self._write("memories", "mutate", memory, self._storage.mutate_memory)

    async def delete_memory(self, id: str) -> None:
        """Delete a memory."""
        _require(id, str, InvalidInitialMemoryValue)
        await self._write("memories", "delete", id, self._storage.delete_memory)

    async def store_thought(self, thought: Thought) -> None:
        """Persist a new thought."""
        _require(thought, Thought, InvalidInitialThoughtValue)
        await self._write("thoughts", "store", thought, self._storage.store_thought)

    async def mutate_thought(self, thought: Thought) -> None:
        """Persist a new version of a thought."""
        _require(thought, Thought, InvalidInitialThoughtValue)
        await self._write("thoughts", "mutate", thought, self._storage.mutate_thought)

    async def delete_thought(self, id: str) -> None:
        """Delete a thought."""
        _require(id, str, InvalidInitialThoughtValue)
        await self._write("thoughts", "delete", id, self._storage.delete_thought)

    async def store_tool_call(self, tool_call: ToolCall) -> None:
        """Persist a settled tool call."""
        _require(tool_call, ToolCall, InvalidInitialToolCallValue)
        await self._write("tool_calls", "store", tool_call, self._storage.store_tool_call)

    async def mutate_tool_call(self, tool_call: ToolCall) -> None:
        """Persist a new version of a tool call."""
        _require(tool_call, ToolCall, InvalidInitialToolCallValue)
        await self._write("tool_calls", "mutate", tool_call, self._storage.mutate_tool_call)

    async def delete_tool_call(self, id: str) -> None:
        """Delete a tool call."""
        _require(id, str, InvalidInitialToolCallValue)
        await self._write("tool_calls", "delete", id, self._storage.delete_tool_call)

    async def store_retrievable(self, retrievable: Retrievable) -> None:
        """Persist a retrievable."""
        _require(retrievable, Retrievable, InvalidInitialRetrievableValue)
        await self._write("retrievables", "store", retrievable, self._storage.store_retrievable)

    async def mutate_retrievable(self, retrievable: Retrievable) -> None:
        """Persist a new version of a retrievable."""
        _require(retrievable, Retrievable, InvalidInitialRetrievableValue)
        await self._write("retrievables", "mutate", retrievable, self._storage.mutate_retrievable)

    async def delete_retrievable(self, id: str) -> None:
        """Delete a retrievable."""
        _require(id, str, InvalidInitialRetrievableValue)
        await self._write("retrievables", "delete", id, self._storage.delete_retrievable)

    async def store_standing_instruction(self, instruction: TextInput) -> None:
        """Persist a standing instruction."""
        text = _instruction(instruction)
        await self._write(
            "standing_instructions", "store", text, self._storage.store_standing_instruction
        )

    async def mutate_standing_instruction(self, instruction: TextInput) -> None:
        """Persist a changed standing instruction; having no id, it is added beside the others."""
        text = _instruction(instruction)
        await self._write(
            "standing_instructions", "mutate", text, self._storage.mutate_standing_instruction
        )

    async def delete_standing_instruction(self, instruction: TextInput) -> None:
        """Delete a standing instruction: this very object, or the first of equal text."""
        await self._write(
            "standing_instructions",
            "delete",
            instruction,
            self._storage.delete_standing_instruction,
        )

    async def store_artifact_bytes(self, id: str, content: bytes) -> SpoolReader:
        """Put a large text away and return its reader; no collection changes."""
        return await self._services.byte_store.store_artifact_bytes(self, id, content)

    async def store_media_bytes(self, id: str, content: bytes) -> MediaReader:
        """Put media bytes away and return their reader; no collection changes."""
        return await self._services.byte_store.store_media_bytes(self, id, content)

    async def _write(
        self,
        collection: CollectionName,
        operation: Operation,
        value: T,
        persist: Callable[[Context, T], Awaitable[None]],
    ) -> None:
        """Carry out a write; a turn only persists, its collections are left alone."""
        await persist(self, value)


def _require(record: object, kind: type, error: type[InvalidInput]) -> None:
    if not isinstance(record, kind):
        check = Checks()
        wanted = "the id, as text" if kind is str else f"a {kind.__name__}"
        check.instance("record", record, kind, wanted)
        check.done(error)


def _refuse_other(event: object, kind: type) -> None:
    if not isinstance(event, kind):
        raise UnknownEvent(f"a {kind.__name__} was expected, not {in_short(event)}")


def _instruction(value: TextInput) -> Tokenizable:
    check = Checks()
    text = text_field(check, "instruction", value)
    check.done(InvalidInitialStandingInstructionValue)
    return text
