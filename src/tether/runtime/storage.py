"""The storage contract: seven reads and eighteen writes, all required; and the byte store.

The runner stores nothing by itself and has no default storage: `NoopStorage` says explicitly that
nothing is kept. A byte store keeps large content and returns a reader. It keeps no records, so it
is not part of the 25 operations: it touches no collection and queues no delta. Without one, bytes
stay in memory as long as their reader.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import lru_cache
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, Protocol, TypedDict, cast

from tether.core.byte_sources import BytesReader
from tether.core.checks import in_short
from tether.core.errors import Problem
from tether.core.memory import Memory
from tether.core.message import Message
from tether.core.retrievable import Retrievable
from tether.core.spool import BytesSpool
from tether.core.thought import Thought
from tether.core.tokenizable import TextInput, Tokenizable
from tether.core.tool_call import ToolCall

if TYPE_CHECKING:
    from tether.core.artifact import SpoolReader
    from tether.core.media import MediaReader
    from tether.runtime.context import Context
    from tether.runtime.tool import Tool


Deletion = Callable[["Context", str], Awaitable[None]]

READS = (
    "fetch_messages",
    "fetch_memories",
    "fetch_thoughts",
    "fetch_tool_calls",
    "fetch_retrievables",
    "fetch_tools",
    "refresh_standing_instructions",
)

WRITES = tuple(
    f"{verb}_{noun}"
    for noun in ("message", "memory", "thought", "tool_call", "retrievable", "standing_instruction")
    for verb in ("store", "mutate", "delete")
)

OPERATIONS: Mapping[str, tuple[str, ...]] = dict.fromkeys(READS, ("ctx",)) | {
    name: ("ctx", "id" if name.startswith("delete") else "record") for name in WRITES
}
"""The 25 operations with the positional arguments each is called with."""

_UNKNOWN = f"is neither a setting of the runner nor one of its {len(OPERATIONS)} storage operations"


class Storage(Protocol):
    """The storage of a turn's records. Each operation receives the live context first.

    The runner never reads: a middleware calls `ctx.fetch_messages()` and adds records to the turn.
    Deletes get the record's id, or the instruction itself, which has no id.
    """

    async def fetch_messages(self, ctx: Context, /) -> Sequence[Message]: ...
    async def fetch_memories(self, ctx: Context, /) -> Sequence[Memory]: ...
    async def fetch_thoughts(self, ctx: Context, /) -> Sequence[Thought]: ...
    async def fetch_tool_calls(self, ctx: Context, /) -> Sequence[ToolCall]: ...
    async def fetch_retrievables(self, ctx: Context, /) -> Sequence[Retrievable]: ...
    async def fetch_tools(self, ctx: Context, /) -> Sequence[Tool]: ...
    async def refresh_standing_instructions(self, ctx: Context, /) -> Sequence[TextInput]: ...

    async def store_message(self, ctx: Context, message: Message, /) -> None: ...
    async def mutate_message(self, ctx: Context, message: Message, /) -> None: ...
    async def delete_message(self, ctx: Context, id: str, /) -> None: ...

    async def store_memory(self, ctx: Context, memory: Memory, /) -> None: ...
    async def mutate_memory(self, ctx: Context, memory: Memory, /) -> None: ...
    async def delete_memory(self, ctx: Context, id: str, /) -> None: ...

    async def store_thought(self, ctx: Context, thought: Thought, /) -> None: ...
    async def mutate_thought(self, ctx: Context, thought: Thought, /) -> None: ...
    async def delete_thought(self, ctx: Context, id: str, /) -> None: ...

    async def store_tool_call(self, ctx: Context, tool_call: ToolCall, /) -> None: ...
    async def mutate_tool_call(self, ctx: Context, tool_call: ToolCall, /) -> None: ...
    async def delete_tool_call(self, ctx: Context, id: str, /) -> None: ...

    async def store_retrievable(self, ctx: Context, retrievable: Retrievable, /) -> None: ...
    async def mutate_retrievable(self, ctx: Context, retrievable: Retrievable, /) -> None: ...
    async def delete_retrievable(self, ctx: Context, id: str, /) -> None: ...

    async def store_standing_instruction(
        self, ctx: Context, instruction: Tokenizable, /
    ) -> None: ...
    async def mutate_standing_instruction(
        self, ctx: Context, instruction: Tokenizable, /
    ) -> None: ...
    async def delete_standing_instruction(
        self, ctx: Context, instruction: TextInput, /
    ) -> None: ...


class StorageCallbacks(TypedDict, total=False):
    """Operations, by name, that replace those of a storage object."""

    fetch_messages: Callable[[Context], Awaitable[Sequence[Message]]]
    fetch_memories: Callable[[Context], Awaitable[Sequence[Memory]]]
    fetch_thoughts: Callable[[Context], Awaitable[Sequence[Thought]]]
    fetch_tool_calls: Callable[[Context], Awaitable[Sequence[ToolCall]]]
    fetch_retrievables: Callable[[Context], Awaitable[Sequence[Retrievable]]]
    fetch_tools: Callable[[Context], Awaitable[Sequence[Tool]]]
    refresh_standing_instructions: Callable[[Context], Awaitable[Sequence[TextInput]]]
    store_message: Callable[[Context, Message], Awaitable[None]]
    mutate_message: Callable[[Context, Message], Awaitable[None]]
    delete_message: Deletion
    store_memory: Callable[[Context, Memory], Awaitable[None]]
    mutate_memory: Callable[[Context, Memory], Awaitable[None]]
    delete_memory: Deletion
    store_thought: Callable[[Context, Thought], Awaitable[None]]
    mutate_thought: Callable[[Context, Thought], Awaitable[None]]
    delete_thought: Deletion
    store_tool_call: Callable[[Context, ToolCall], Awaitable[None]]
    mutate_tool_call: Callable[[Context, ToolCall], Awaitable[None]]
    delete_tool_call: Deletion
    store_retrievable: Callable[[Context, Retrievable], Awaitable[None]]
    mutate_retrievable: Callable[[Context, Retrievable], Awaitable[None]]
    delete_retrievable: Deletion
    store_standing_instruction: Callable[[Context, Tokenizable], Awaitable[None]]
    mutate_standing_instruction: Callable[[Context, Tokenizable], Awaitable[None]]
    delete_standing_instruction: Callable[[Context, TextInput], Awaitable[None]]


class NoopStorage:
    """A storage that keeps nothing and finds nothing."""

    async def fetch_messages(self, ctx: Context) -> Sequence[Message]:
        """Find nothing."""
        return ()

    async def fetch_memories(self, ctx: Context) -> Sequence[Memory]:
        """Find nothing."""
        return ()

    async def fetch_thoughts(self, ctx: Context) -> Sequence[Thought]:
        """Find nothing."""
        return ()

    async def fetch_tool_calls(self, ctx: Context) -> Sequence[ToolCall]:
        """Find nothing."""
        return ()

    async def fetch_retrievables(self, ctx: Context) -> Sequence[Retrievable]:
        """Find nothing."""
        return ()

    async def fetch_tools(self, ctx: Context) -> Sequence[Tool]:
        """Find nothing."""
        return ()

    async def refresh_standing_instructions(self, ctx: Context) -> Sequence[TextInput]:
        """Find nothing."""
        return ()

    async def _keep_nothing(self, ctx: Context, value: Any) -> None:
        """Keep nothing."""

    store_message = mutate_message = delete_message = _keep_nothing
    store_memory = mutate_memory = delete_memory = _keep_nothing
    store_thought = mutate_thought = delete_thought = _keep_nothing
    store_tool_call = mutate_tool_call = delete_tool_call = _keep_nothing
    store_retrievable = mutate_retrievable = delete_retrievable = _keep_nothing
    store_standing_instruction = mutate_standing_instruction = _keep_nothing
    delete_standing_instruction = _keep_nothing


def bind_storage(storage: object, callbacks: StorageCallbacks) -> tuple[Storage, list[Problem]]:
    """Return a storage in which callbacks override operations, and its problems."""
    given = cast("Mapping[str, object]", callbacks)
    problems = [Problem(name, _UNKNOWN) for name in given if name not in OPERATIONS]
    if isinstance(storage, type):
        return cast("Storage", storage), [*problems, Problem("storage", "pass an instance of it")]
    if storage is None and not OPERATIONS.keys() <= given.keys():
        problems.append(Problem("storage", "pass a Storage; NoopStorage() keeps nothing"))
    bound = _Operations()
    for name, parameters in OPERATIONS.items():
        operation = given.get(name, getattr(storage, name, None))
        complaint = "is missing" if operation is None else complaint_about(operation, *parameters)
        if complaint:
            problems.append(Problem(name, complaint))
        setattr(bound, name, operation)
    return cast("Storage", storage if not given else bound), problems


class ByteStore(Protocol):
    """Keeps bytes under an id and returns a reader of them."""

    async def store_artifact_bytes(self, ctx: Context, id: str, content: bytes, /) -> SpoolReader:
        """Keep a text, given as UTF-8, and return a reader of its lines."""
        ...

    async def store_media_bytes(self, ctx: Context, id: str, content: bytes, /) -> MediaReader:
        """Keep a media asset and return a reader of its bytes."""
        ...


class ByteMemory:
    """Keeps bytes only in the readers it returns."""

    __slots__ = ()

    async def store_artifact_bytes(self, ctx: Context, id: str, content: bytes) -> SpoolReader:
        """Return a reader of the text."""
        return BytesSpool(content)

    async def store_media_bytes(self, ctx: Context, id: str, content: bytes) -> MediaReader:
        """Return a reader of the bytes."""
        return BytesReader(content)


def byte_store_problems(store: object) -> list[Problem]:
    """Return the problems with a byte store."""
    problems: list[Problem] = []
    for name in ("store_artifact_bytes", "store_media_bytes"):
        operation = getattr(store, name, None)
        complaint = (
            "is missing"
            if operation is None
            else complaint_about(operation, "ctx", "id", "content")
        )
        if complaint:
            problems.append(Problem(f"byte_store.{name}", complaint))
    return problems


def complaint_about(function: object, *parameters: str) -> str | None:
    """Return the problem with an async callback, or None.

    It has to be an async function (or an object with an async `__call__`) that accepts exactly
    these positional arguments. An error here is cheap; during a turn it costs a conversation.
    """
    method = function.__func__ if isinstance(function, MethodType) else None
    if isinstance(method, FunctionType) and _is_fine(method, 1 + len(parameters)):
        return None
    shape = f"async def ({', '.join(parameters)})"
    if not callable(function):
        return f"must be callable as {shape}, not {in_short(function)}"
    if not _is_async(function):
        return f"must be asynchronous, callable as {shape}"
    try:
        inspect.signature(function).bind(*parameters)
    except (TypeError, ValueError) as error:
        return f"must be callable as {shape}: {error}"
    return None


@lru_cache(maxsize=256)
def _is_fine(method: FunctionType, count: int) -> bool:
    """Say whether a method is asynchronous and accepts so many arguments, itself included.

    Every runner asks this about 25 methods of its storage's class.
    """
    try:
        inspect.signature(method).bind(*range(count))
    except (TypeError, ValueError):
        return False
    return inspect.iscoroutinefunction(method)


class _Operations:
    """A storage assembled from callables."""

    __slots__ = tuple(OPERATIONS)


def _is_async(function: object) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(type(function), "__call__", None)  # noqa: B004  # looks for an async __call__
    )
