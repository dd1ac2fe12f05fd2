"""Tether: a strict agent kit, and a documents assistant that quotes its source or says it cannot.

Everything public is here, in `tether.errors`, `tether.trust`, `tether.retrieval`, `tether.ask` and
`tether.batteries`. Other modules may move. A name is loaded when it is first used: `import tether`
costs next to nothing, and code that needs only the values of `core` does not load asyncio.
"""

from tether.late import late_names as _late_names

__version__ = "0.1.0"

TYPE_CHECKING = False  # checkers know the name; typing itself is slow to import
if TYPE_CHECKING:
    from tether.core.artifact import SpooledArtifact as SpooledArtifact
    from tether.core.artifact import SpoolReader as SpoolReader
    from tether.core.artifact import artifact_tool as artifact_tool
    from tether.core.byte_sources import BytesReader as BytesReader
    from tether.core.byte_sources import FileReader as FileReader
    from tether.core.byte_sources import StreamReader as StreamReader
    from tether.core.clean_text import clean_text as clean_text
    from tether.core.errors import Aborted as Aborted
    from tether.core.errors import InputRefused as InputRefused
    from tether.core.errors import InvalidInput as InvalidInput
    from tether.core.errors import LimitExceeded as LimitExceeded
    from tether.core.errors import Problem as Problem
    from tether.core.errors import RunError as RunError
    from tether.core.errors import TetherError as TetherError
    from tether.core.errors import UsageError as UsageError
    from tether.core.events import BudgetLedger as BudgetLedger
    from tether.core.events import DispatchEnd as DispatchEnd
    from tether.core.events import DispatchStart as DispatchStart
    from tether.core.events import ErrorRaised as ErrorRaised
    from tether.core.events import IterationEnd as IterationEnd
    from tether.core.events import IterationStart as IterationStart
    from tether.core.events import LogEntry as LogEntry
    from tether.core.events import MessageChunk as MessageChunk
    from tether.core.events import ThoughtChunk as ThoughtChunk
    from tether.core.events import ToolCallProgress as ToolCallProgress
    from tether.core.events import ToolExecutionEnd as ToolExecutionEnd
    from tether.core.events import ToolExecutionStart as ToolExecutionStart
    from tether.core.events import TurnEnd as TurnEnd
    from tether.core.events import TurnGateClosed as TurnGateClosed
    from tether.core.events import TurnStart as TurnStart
    from tether.core.identity import Identity as Identity
    from tether.core.ids import new_id as new_id
    from tether.core.media import Media as Media
    from tether.core.media import MediaReader as MediaReader
    from tether.core.media import MediaStashEntry as MediaStashEntry
    from tether.core.memory import Memory as Memory
    from tether.core.message import Message as Message
    from tether.core.records import RecordSet as RecordSet
    from tether.core.registry import ABSENT as ABSENT
    from tether.core.registry import Registry as Registry
    from tether.core.retrievable import Retrievable as Retrievable
    from tether.core.spool import BytesSpool as BytesSpool
    from tether.core.spool import FileSpool as FileSpool
    from tether.core.spool import TextSpool as TextSpool
    from tether.core.thought import Thought as Thought
    from tether.core.tiers import TrustTier as TrustTier
    from tether.core.tokenizable import Tokenizable as Tokenizable
    from tether.core.tokens import TokenCount as TokenCount
    from tether.core.tokens import UnknownEncodingWarning as UnknownEncodingWarning
    from tether.core.tokens import builtin_encodings as builtin_encodings
    from tether.core.tokens import count_tokens as count_tokens
    from tether.core.tokens import register_estimator as register_estimator
    from tether.core.tokens import unregister_estimator as unregister_estimator
    from tether.core.tool_call import ToolCall as ToolCall
    from tether.runtime.abort import AbortSignal as AbortSignal
    from tether.runtime.bus import Event as Event
    from tether.runtime.bus import EventSink as EventSink
    from tether.runtime.bus import event_name as event_name
    from tether.runtime.clock import Clock as Clock
    from tether.runtime.clock import SystemClock as SystemClock
    from tether.runtime.context import Context as Context
    from tether.runtime.dispatch import DispatchMiddleware as DispatchMiddleware
    from tether.runtime.dispatch import DispatchRunner as DispatchRunner
    from tether.runtime.dispatch import RawDispatch as RawDispatch
    from tether.runtime.dispatch_context import DispatchContext as DispatchContext
    from tether.runtime.errors import InvalidToolArgs as InvalidToolArgs
    from tether.runtime.errors import ToolDownstreamError as ToolDownstreamError
    from tether.runtime.forge import forge_tools as forge_tools
    from tether.runtime.forge import offered_tools as offered_tools
    from tether.runtime.function_tool import tool as tool
    from tether.runtime.gate import GateRequest as GateRequest
    from tether.runtime.gate import TurnGate as TurnGate
    from tether.runtime.loop import Executor as Executor
    from tether.runtime.pipeline import CallNext as CallNext
    from tether.runtime.pipeline import Middleware as Middleware
    from tether.runtime.reports import Helpers as Helpers
    from tether.runtime.storage import ByteStore as ByteStore
    from tether.runtime.storage import NoopStorage as NoopStorage
    from tether.runtime.storage import Storage as Storage
    from tether.runtime.storage import StorageCallbacks as StorageCallbacks
    from tether.runtime.tool import ArtifactTool as ArtifactTool
    from tether.runtime.tool import Tool as Tool
    from tether.runtime.tool_definition import tool_definition as tool_definition
    from tether.runtime.tool_registry import ToolRegistry as ToolRegistry
    from tether.runtime.turn import TurnMiddleware as TurnMiddleware
    from tether.runtime.turn import TurnRunner as TurnRunner
    from tether.runtime.turn_context import TurnContext as TurnContext
    from tether.runtime.turn_context import TurnInput as TurnInput

    __all__: list[str]
else:
    __all__, __getattr__, __dir__ = _late_names(
        __name__,
        """
        tether.core.artifact: SpoolReader SpooledArtifact artifact_tool
        tether.core.byte_sources: BytesReader FileReader StreamReader
        tether.core.clean_text: clean_text
        tether.core.errors:
            Aborted InputRefused InvalidInput LimitExceeded Problem RunError TetherError UsageError
        tether.core.events:
            BudgetLedger DispatchEnd DispatchStart ErrorRaised IterationEnd IterationStart LogEntry
            MessageChunk ThoughtChunk ToolCallProgress ToolExecutionEnd ToolExecutionStart TurnEnd
            TurnGateClosed TurnStart
        tether.core.identity: Identity
        tether.core.ids: new_id
        tether.core.media: Media MediaReader MediaStashEntry
        tether.core.memory: Memory
        tether.core.message: Message
        tether.core.records: RecordSet
        tether.core.registry: ABSENT Registry
        tether.core.retrievable: Retrievable
        tether.core.spool: BytesSpool FileSpool TextSpool
        tether.core.thought: Thought
        tether.core.tiers: TrustTier
        tether.core.tokenizable: Tokenizable
        tether.core.tokens:
            TokenCount UnknownEncodingWarning builtin_encodings count_tokens register_estimator
            unregister_estimator
        tether.core.tool_call: ToolCall
        tether.runtime.abort: AbortSignal
        tether.runtime.bus: Event EventSink event_name
        tether.runtime.clock: Clock SystemClock
        tether.runtime.context: Context
        tether.runtime.dispatch: DispatchMiddleware DispatchRunner RawDispatch
        tether.runtime.dispatch_context: DispatchContext
        tether.runtime.errors: InvalidToolArgs ToolDownstreamError
        tether.runtime.forge: forge_tools offered_tools
        tether.runtime.function_tool: tool
        tether.runtime.gate: GateRequest TurnGate
        tether.runtime.loop: Executor
        tether.runtime.pipeline: CallNext Middleware
        tether.runtime.reports: Helpers
        tether.runtime.storage: ByteStore NoopStorage Storage StorageCallbacks
        tether.runtime.tool: ArtifactTool Tool
        tether.runtime.tool_definition: tool_definition
        tether.runtime.tool_registry: ToolRegistry
        tether.runtime.turn: TurnMiddleware TurnRunner
        tether.runtime.turn_context: TurnContext TurnInput
        """,
    )
    __all__ += ["__version__"]
