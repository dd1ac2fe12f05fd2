"""Tether: a strict agent kit, and a documents assistant that quotes its source or says it cannot.

Everything public is here, in `tether.trust`, `tether.batteries` and `tether.core.errors`. Other
modules may move. A name is loaded when it is first used: `import tether` costs next to nothing, and
who needs only the values of `core` does not pay for asyncio.
"""

from importlib import import_module as _import_module

TYPE_CHECKING = False  # checkers know the name; typing itself is slow to import
if TYPE_CHECKING:
    from tether.core.artifact import SpooledArtifact, SpoolReader, artifact_tool
    from tether.core.cleaning import clean_text
    from tether.core.errors import (
        Aborted,
        InputRefused,
        InvalidInput,
        InvalidToolArgs,
        LimitExceeded,
        Problem,
        RunError,
        TetherError,
        ToolDownstreamError,
        UsageError,
    )
    from tether.core.events import (
        BudgetLedger,
        DispatchEnd,
        DispatchStart,
        ErrorRaised,
        IterationEnd,
        IterationStart,
        LogEntry,
        MessageChunk,
        ThoughtChunk,
        ToolCallProgress,
        ToolExecutionEnd,
        ToolExecutionStart,
        TurnEnd,
        TurnGateClosed,
        TurnStart,
    )
    from tether.core.identity import Identity
    from tether.core.ids import new_id
    from tether.core.media import Media, MediaReader, MediaStashEntry
    from tether.core.media_readers import BytesReader, FileReader, StreamReader
    from tether.core.memory import Memory
    from tether.core.message import Message
    from tether.core.records import RecordSet
    from tether.core.registry import ABSENT, Registry
    from tether.core.retrievable import Retrievable
    from tether.core.spool import BytesSpool, FileSpool, TextSpool
    from tether.core.text import Tokenizable
    from tether.core.thought import Thought
    from tether.core.tiers import TrustTier
    from tether.core.tokens import (
        TokenCount,
        UnknownEncodingWarning,
        builtin_encodings,
        count_tokens,
        register_estimator,
        unregister_estimator,
    )
    from tether.core.tool_call import ToolCall
    from tether.runtime.abort import AbortSignal
    from tether.runtime.bus import Event, EventSink, event_name
    from tether.runtime.byte_store import ByteStore
    from tether.runtime.clock import Clock, SystemClock
    from tether.runtime.context import Context
    from tether.runtime.dispatch import DispatchMiddleware, DispatchRunner
    from tether.runtime.dispatch_context import DispatchContext
    from tether.runtime.forge import forge_tools
    from tether.runtime.function_tool import tool
    from tether.runtime.gate import GateRequest, TurnGate
    from tether.runtime.loop import Executor
    from tether.runtime.pipeline import CallNext, Middleware
    from tether.runtime.raw_dispatch import RawDispatch
    from tether.runtime.reporting import Helpers
    from tether.runtime.storage import NoopStorage, Storage, StorageCallbacks
    from tether.runtime.tool import ArtifactTool, Tool
    from tether.runtime.tool_definition import tool_definition
    from tether.runtime.tool_registry import ToolRegistry
    from tether.runtime.turn import TurnMiddleware, TurnRunner
    from tether.runtime.turn_context import TurnContext, TurnInput

__version__ = "0.1.0"

__all__ = [
    # core
    "ABSENT",
    "Aborted",
    "BytesReader",
    "BytesSpool",
    "FileReader",
    "FileSpool",
    "Identity",
    "InputRefused",
    "InvalidInput",
    "InvalidToolArgs",
    "LimitExceeded",
    "Media",
    "MediaReader",
    "MediaStashEntry",
    "Memory",
    "Message",
    "Problem",
    "RecordSet",
    "Registry",
    "Retrievable",
    "RunError",
    "SpoolReader",
    "SpooledArtifact",
    "StreamReader",
    "TetherError",
    "TextSpool",
    "Thought",
    "TokenCount",
    "Tokenizable",
    "ToolCall",
    "ToolDownstreamError",
    "TrustTier",
    "UnknownEncodingWarning",
    "UsageError",
    "artifact_tool",
    "builtin_encodings",
    "clean_text",
    "count_tokens",
    "new_id",
    "register_estimator",
    "unregister_estimator",
    # events
    "BudgetLedger",
    "DispatchEnd",
    "DispatchStart",
    "ErrorRaised",
    "Event",
    "IterationEnd",
    "IterationStart",
    "LogEntry",
    "MessageChunk",
    "ThoughtChunk",
    "ToolCallProgress",
    "ToolExecutionEnd",
    "ToolExecutionStart",
    "TurnEnd",
    "TurnGateClosed",
    "TurnStart",
    "event_name",
    # runtime
    "AbortSignal",
    "ArtifactTool",
    "ByteStore",
    "CallNext",
    "Clock",
    "Context",
    "DispatchContext",
    "DispatchMiddleware",
    "DispatchRunner",
    "EventSink",
    "Executor",
    "GateRequest",
    "Helpers",
    "Middleware",
    "NoopStorage",
    "RawDispatch",
    "Storage",
    "StorageCallbacks",
    "SystemClock",
    "Tool",
    "ToolRegistry",
    "TurnContext",
    "TurnGate",
    "TurnInput",
    "TurnMiddleware",
    "TurnRunner",
    "forge_tools",
    "tool",
    "tool_definition",
    "__version__",
]

_HOMES = {
    "tether.core.artifact": (
        "SpooledArtifact",
        "SpoolReader",
        "artifact_tool",
    ),
    "tether.core.cleaning": ("clean_text",),
    "tether.core.errors": (
        "Aborted",
        "InputRefused",
        "InvalidInput",
        "InvalidToolArgs",
        "LimitExceeded",
        "Problem",
        "RunError",
        "TetherError",
        "ToolDownstreamError",
        "UsageError",
    ),
    "tether.core.events": (
        "BudgetLedger",
        "DispatchEnd",
        "DispatchStart",
        "ErrorRaised",
        "IterationEnd",
        "IterationStart",
        "LogEntry",
        "MessageChunk",
        "ThoughtChunk",
        "ToolCallProgress",
        "ToolExecutionEnd",
        "ToolExecutionStart",
        "TurnEnd",
        "TurnGateClosed",
        "TurnStart",
    ),
    "tether.core.identity": ("Identity",),
    "tether.core.ids": ("new_id",),
    "tether.core.media": (
        "Media",
        "MediaReader",
        "MediaStashEntry",
    ),
    "tether.core.media_readers": (
        "BytesReader",
        "FileReader",
        "StreamReader",
    ),
    "tether.core.memory": ("Memory",),
    "tether.core.message": ("Message",),
    "tether.core.records": ("RecordSet",),
    "tether.core.registry": (
        "ABSENT",
        "Registry",
    ),
    "tether.core.retrievable": ("Retrievable",),
    "tether.core.spool": (
        "BytesSpool",
        "FileSpool",
        "TextSpool",
    ),
    "tether.core.text": ("Tokenizable",),
    "tether.core.thought": ("Thought",),
    "tether.core.tiers": ("TrustTier",),
    "tether.core.tokens": (
        "TokenCount",
        "UnknownEncodingWarning",
        "builtin_encodings",
        "count_tokens",
        "register_estimator",
        "unregister_estimator",
    ),
    "tether.core.tool_call": ("ToolCall",),
    "tether.runtime.abort": ("AbortSignal",),
    "tether.runtime.bus": (
        "Event",
        "EventSink",
        "event_name",
    ),
    "tether.runtime.byte_store": ("ByteStore",),
    "tether.runtime.clock": (
        "Clock",
        "SystemClock",
    ),
    "tether.runtime.context": ("Context",),
    "tether.runtime.dispatch": (
        "DispatchMiddleware",
        "DispatchRunner",
    ),
    "tether.runtime.dispatch_context": ("DispatchContext",),
    "tether.runtime.forge": ("forge_tools",),
    "tether.runtime.function_tool": ("tool",),
    "tether.runtime.gate": (
        "GateRequest",
        "TurnGate",
    ),
    "tether.runtime.loop": ("Executor",),
    "tether.runtime.pipeline": (
        "CallNext",
        "Middleware",
    ),
    "tether.runtime.raw_dispatch": ("RawDispatch",),
    "tether.runtime.reporting": ("Helpers",),
    "tether.runtime.storage": (
        "NoopStorage",
        "Storage",
        "StorageCallbacks",
    ),
    "tether.runtime.tool": (
        "ArtifactTool",
        "Tool",
    ),
    "tether.runtime.tool_definition": ("tool_definition",),
    "tether.runtime.tool_registry": ("ToolRegistry",),
    "tether.runtime.turn": (
        "TurnMiddleware",
        "TurnRunner",
    ),
    "tether.runtime.turn_context": (
        "TurnContext",
        "TurnInput",
    ),
}
"""Where each public name lives; a test holds it against `__all__` and the imports above."""

if not TYPE_CHECKING:  # hidden from checkers, which would take any name for granted

    def __getattr__(name: str) -> object:
        """Load a public name when it is first asked for."""
        for home, names in _HOMES.items():
            if name in names:
                value = globals()[name] = getattr(_import_module(home), name)
                return value
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        """List the public names, loaded or not."""
        return sorted({*globals(), *__all__})
