"""Every error the package raises, in one tree.

Three families, because three different people act on them:

    TetherError                            code, status, fatal, retryable, help
    ├── UsageError (fatal)                 the calling code is wrong; raised where the mistake is
    │   ├── InvalidInput                   lists every bad field at once
    │   │   ├── InvalidTurnRunnerConfig, InvalidTurnContext
    │   │   ├── InvalidLlmExecutionContext, InvalidLlmDispatchInput
    │   │   ├── InvalidInitialRegistryValue, InvalidInitialIdentityValue
    │   │   ├── InvalidInitialTokenizableValue, InvalidInitialStandingInstructionValue
    │   │   ├── InvalidInitialMessageValue, InvalidInitialMemoryValue
    │   │   ├── InvalidInitialReaderValue, InvalidSpools
    │   │   ├── InvalidInitialMediaValue   also when only its reader is wrong:
    │   │   │   └── NotAMediaReader
    │   │   ├── InvalidInitialRetrievableValue, InvalidInitialThoughtValue
    │   │   ├── InvalidInitialToolCallValue, InvalidInitialToolValue
    │   │   ├── InvalidInitialTurnGateValue, InvalidTurnGateResolution
    │   │   ├── InvalidWebAccess, InvalidRenderer, InvalidBudget, InvalidModelProfile
    │   │   ├── InvalidRetrievalSettings, InvalidAskSettings, InvalidSettings
    │   │   └── InvalidModelOptions        of an executor; of one wire:
    │   │       └── InvalidOpenaiChatCompletionsOptions
    │   ├── InvalidRegistryPath, InvalidListener, UnknownEvent, StreamSealed
    │   ├── NotASpoolReader, LlmExecutionAlreadySignalled
    │   ├── TokenizableEvaluatorInvalid, TokenEstimatorShadowsBuiltin
    │   ├── ToolAlreadyRegistered, ArtifactIdCollision, UnsupportedMediaModality
    │   └── ModelContextOverflow           the prompt does not fit; of one wire:
    │       └── OpenaiChatCompletionsContextOverflow
    ├── RunError (not fatal)               something failed while a turn ran; reported as an event
    │   ├── InputPipelineError, OutputPipelineError, DispatchPipelineError
    │   ├── PipelineShortCircuited, LlmExecutionExecutorError, LlmExecutionNacked
    │   ├── TurnGateTimeout, TurnGateAborted, LlmExecutionGateNotSupported
    │   ├── InvalidToolArgs, ToolDownstreamError, ReaderNotDescribable, NoReaderResolver
    │   ├── InputRefused                   a tool or a reader cannot work with what it was given:
    │   │   └── LimitExceeded              it would be too large or take too long
    │   ├── TurnLimitReached, LocalModelFailed
    │   ├── DocumentUnreadable, SourceUnavailable
    │   ├── IndexMissing, IndexLocked, IndexWriteFailed, IndexDamaged, IndexFormatUnsupported
    │   ├── EmbedderMismatch, EmbeddingFailed, JudgeFailed, ProviderFailed
    │   ├── CalibrationMismatch, CalibrationImpossible
    │   ├── StoreFailed, StoreDamaged, StoreFormatUnsupported, RecordMissing
    │   ├── MemoryRefused, GateSettled, ReceiptUnreadable, OfflineRefused
    │   ├── ModelHttpError                 what a model's endpoint did; of one wire:
    │   │   └── OpenaiChatCompletionsHttpError
    │   ├── ModelStreamError               the reply broke off
    │   │   ├── OpenaiChatCompletionsStreamError
    │   │   └── ModelStreamStalled         it went silent
    │   │       └── OpenaiChatCompletionsStreamStalled
    │   ├── ModelRequestTimeout            it took too long
    │   │   └── OpenaiChatCompletionsRequestTimeout
    │   └── ModelInvalidToolCallArgs       told to the model
    │       └── OpenaiChatCompletionsInvalidToolCallArgs
    └── Aborted                            not a failure: somebody asked the work to stop

The class name is the code in CamelCase (`E_TURN_GATE_TIMEOUT` is `TurnGateTimeout`), which a test
checks. Codes are stable; messages are not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypedDict, TypeVar, Unpack

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

T = TypeVar("T")


class Problem(NamedTuple):
    """One thing that is wrong with one field of an input."""

    path: str
    message: str


class Overrides(TypedDict, total=False):
    """What one throw may say differently from its class."""

    code: str | None
    status: int | None
    fatal: bool | None
    retryable: bool | None
    help: str | None
    cause: BaseException | None


class TetherError(Exception):
    """The root of the tree: a stable `code`, what was wrong, and what to do about it.

    `status` is the HTTP status a server would answer with. `fatal` errors are programming mistakes
    and are raised at once; the others happen at run time and leave by the `error` event.
    `retryable` says that the same call may succeed later. All four can be overridden for one throw.
    """

    default_code: ClassVar[str] = ""
    default_status: ClassVar[int] = 500
    default_fatal: ClassVar[bool] = False
    default_retryable: ClassVar[bool] = False
    default_help: ClassVar[str] = ""

    def __init__(self, message: str = "", **overrides: Unpack[Overrides]) -> None:
        super().__init__(message)
        self.message = message
        self.code = _first(overrides.get("code"), self.default_code)
        self.status = _first(overrides.get("status"), self.default_status)
        self.fatal = _first(overrides.get("fatal"), self.default_fatal)
        self.retryable = _first(overrides.get("retryable"), self.default_retryable)
        self.help = _first(overrides.get("help"), self.default_help)
        cause = overrides.get("cause")
        if cause is not None:
            self.__cause__ = cause

    def __str__(self) -> str:
        bracket = f" [{self.code}]" if self.code else ""
        text = f"{type(self).__name__}{bracket}: {self.message}"
        return f"{text.removesuffix('.')}. {self.help}" if self.help else text


def _first(given: T | None, default: T) -> T:
    return default if given is None else given


def _with_keywords(kind: type[T], facts: dict[str, Any]) -> T:
    """Make an error again from a pickle: `BaseException` keeps positional arguments only."""
    return kind(**facts)


def error_text(error: BaseException) -> str:
    """Return an error's text, and its class's name where it has none that can be shown."""
    try:
        return str(error) or type(error).__name__
    except Exception:  # noqa: BLE001  # somebody's __str__
        return type(error).__name__


def listed(problems: Iterable[Problem]) -> str:
    """Return all problems as one text."""
    return "; ".join(f"{path}: {message}" if path else message for path, message in problems)


class UsageError(TetherError):
    """The calling code is wrong; it is told so where the mistake was made."""

    default_fatal = True


class RunError(TetherError):
    """Something failed while a turn ran; it is reported as an event and the turn settles."""


class Aborted(TetherError):
    """The work was asked to stop. Not a failure: it never reaches the `error` event."""

    default_code = "E_ABORTED"
    default_status = 499

    def __init__(
        self, message: str = "", *, reason: object = None, **overrides: Unpack[Overrides]
    ) -> None:
        super().__init__(message or f"the work was aborted: {reason!r}", **overrides)
        self.reason = reason


class InvalidInput(UsageError):
    """An input was refused; `problems` names every bad field, not only the first."""

    subject: ClassVar[str] = "input"

    def __init__(self, problems: Iterable[Problem], **overrides: Unpack[Overrides]) -> None:
        self.problems = tuple(problems)
        super().__init__(f"invalid {self.subject}: {listed(self.problems)}", **overrides)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.problems,), self.__dict__


class InvalidTurnRunnerConfig(InvalidInput):
    """A runner cannot be built from these parts; nothing half-configured exists."""

    default_code = "E_INVALID_TURN_RUNNER_CONFIG"
    default_status = 529
    subject = "turn runner configuration"


class InvalidTurnContext(InvalidInput):
    """A turn cannot start from this input; raised by `run()` before `turn_start`."""

    default_code = "E_INVALID_TURN_CONTEXT"
    default_status = 529
    subject = "turn input"


class InvalidLlmExecutionContext(InvalidInput):
    """A standalone dispatch cannot start from this raw input."""

    default_code = "E_INVALID_LLM_EXECUTION_CONTEXT"
    default_status = 529
    subject = "dispatch context"


class InvalidLlmDispatchInput(InvalidInput):
    """`dispatch()` needs exactly one of `source` and `raw`, and callables it can call."""

    default_code = "E_INVALID_LLM_DISPATCH_INPUT"
    default_status = 529
    subject = "dispatch input"


class InvalidInitialRegistryValue(InvalidInput):
    """A registry starts from nothing or from a plain dictionary."""

    default_code = "E_INVALID_INITIAL_REGISTRY_VALUE"
    subject = "registry"


class InvalidInitialTokenizableValue(InvalidInput):
    """Text was expected, or a function that makes it."""

    default_code = "E_INVALID_INITIAL_TOKENIZABLE_VALUE"
    subject = "text"


class InvalidInitialStandingInstructionValue(InvalidInput):
    """A standing instruction is text that is not empty."""

    default_code = "E_INVALID_INITIAL_STANDING_INSTRUCTION_VALUE"
    subject = "standing instruction"


class InvalidInitialIdentityValue(InvalidInput):
    """An identity needs an identifier and something the model may read."""

    default_code = "E_INVALID_INITIAL_IDENTITY_VALUE"
    subject = "identity"


class InvalidInitialMessageValue(InvalidInput):
    """A message was refused."""

    default_code = "E_INVALID_INITIAL_MESSAGE_VALUE"
    subject = "message"


class InvalidInitialMediaValue(InvalidInput):
    """A media asset, or an entry of its stash, was refused."""

    default_code = "E_INVALID_INITIAL_MEDIA_VALUE"
    subject = "media"


class InvalidInitialReaderValue(InvalidInput):
    """A reader of bytes, a file or a text was given something else."""

    default_code = "E_INVALID_INITIAL_READER_VALUE"
    subject = "reader"


class InvalidSpools(InvalidInput):
    """The settings of a spool store were refused."""

    default_code = "E_INVALID_SPOOLS"
    subject = "spool store"


class NotAMediaReader(InvalidInitialMediaValue):
    """A media asset was given something that cannot be streamed as bytes."""

    default_code = "E_NOT_A_MEDIA_READER"


class InvalidInitialMemoryValue(InvalidInput):
    """A memory was refused."""

    default_code = "E_INVALID_INITIAL_MEMORY_VALUE"
    subject = "memory"


class InvalidInitialRetrievableValue(InvalidInput):
    """A retrievable was refused."""

    default_code = "E_INVALID_INITIAL_RETRIEVABLE_VALUE"
    subject = "retrievable"


class InvalidInitialThoughtValue(InvalidInput):
    """A thought was refused."""

    default_code = "E_INVALID_INITIAL_THOUGHT_VALUE"
    subject = "thought"


class InvalidInitialToolCallValue(InvalidInput):
    """A tool call record was refused."""

    default_code = "E_INVALID_INITIAL_TOOL_CALL_VALUE"
    subject = "tool call"


class InvalidInitialToolValue(InvalidInput):
    """A tool definition was refused."""

    default_code = "E_INVALID_INITIAL_TOOL_VALUE"
    subject = "tool"


class InvalidInitialTurnGateValue(InvalidInput):
    """A gate request was refused; no gate was opened and no event fired."""

    default_code = "E_INVALID_INITIAL_TURN_GATE_VALUE"
    subject = "gate request"


class InvalidTurnGateResolution(InvalidInput):
    """The value offered to a gate does not fit its schema; the gate is still open."""

    default_code = "E_INVALID_TURN_GATE_RESOLUTION"
    default_help = "The gate is still open: resolve it again with a value that fits."
    subject = "gate resolution"


class InvalidWebAccess(InvalidInput):
    """What an operator wrote about the web that may be read was refused."""

    default_code = "E_INVALID_WEB_ACCESS"
    subject = "web access"


class InvalidRenderer(InvalidInput):
    """The settings or the steps of a prompt renderer were refused."""

    default_code = "E_INVALID_RENDERER"
    subject = "prompt renderer"


class InvalidBudget(InvalidInput):
    """The settings of a budget, or of a turn's limits, were refused."""

    default_code = "E_INVALID_BUDGET"
    subject = "budget"


class InvalidModelProfile(InvalidInput):
    """A file of model profiles was refused."""

    default_code = "E_INVALID_MODEL_PROFILE"
    subject = "model profile"


class InvalidAskSettings(InvalidInput):
    """Settings of an ask turn do not fit together."""

    default_code = "E_INVALID_ASK_SETTINGS"
    subject = "settings of an ask turn"


class InvalidSettings(InvalidInput):
    """A configuration file, a variable or a flag holds what is no setting, or no value of one."""

    default_code = "E_INVALID_SETTINGS"
    subject = "settings"


class InvalidRetrievalSettings(InvalidInput):
    """A reader, chunker, lane, index or assembly was given settings it cannot work with."""

    default_code = "E_INVALID_RETRIEVAL_SETTINGS"
    subject = "retrieval settings"


class InvalidModelOptions(InvalidInput):
    """The options of a model's executor were refused."""

    default_code = "E_INVALID_MODEL_OPTIONS"
    default_status = 529
    subject = "model options"


class InvalidOpenaiChatCompletionsOptions(InvalidModelOptions):
    """The options of a chat-completions executor were refused."""

    default_code = "E_INVALID_OPENAI_CHAT_COMPLETIONS_OPTIONS"
    subject = "chat-completions options"


class InvalidRegistryPath(UsageError):
    """A dot path is empty, or leads through a value that has no keys."""

    default_code = "E_INVALID_REGISTRY_PATH"


class InvalidListener(UsageError):
    """A listener must be a plain function: events are delivered at once, nothing is awaited."""

    default_code = "E_INVALID_LISTENER"
    default_help = "Pass a plain function; start a task inside it where you have to wait."


class UnknownEvent(UsageError):
    """No event of that name exists on that bus."""

    default_code = "E_UNKNOWN_EVENT"


class StreamSealed(UsageError):
    """A stream was reported complete; nothing can be added under its id."""

    default_code = "E_STREAM_SEALED"
    default_help = "Complete each id once, and start a new id for new content."


class NotASpoolReader(UsageError):
    """An artifact was given something that cannot be read line by line."""

    default_code = "E_NOT_A_SPOOL_READER"


class LlmExecutionAlreadySignalled(UsageError):
    """`ack` or `nack` was called on a dispatch that has its signal already."""

    default_code = "E_LLM_EXECUTION_ALREADY_SIGNALLED"
    default_help = "Where several places may signal, ask `ctx.is_signalled` first."


class TokenizableEvaluatorInvalid(UsageError):
    """The function behind a dynamic text raised, or returned something that is not text."""

    default_code = "E_TOKENIZABLE_EVALUATOR_INVALID"


class TokenEstimatorShadowsBuiltin(UsageError):
    """A custom token estimator may not take the name of a built-in encoding."""

    default_code = "E_TOKEN_ESTIMATOR_SHADOWS_BUILTIN"


class ToolAlreadyRegistered(UsageError):
    """Two tools claim one name."""

    default_code = "E_TOOL_ALREADY_REGISTERED"
    default_status = 409
    default_help = "Rename one, register with overwrite=True, or merge with an on_collision policy."


class ArtifactIdCollision(UsageError):
    """A tool call and a retrievable carry artifacts under the same id."""

    default_code = "E_ARTIFACT_ID_COLLISION"


class UnsupportedMediaModality(UsageError):
    """The model's wire has no form for this kind of media, and the policy is to say so."""

    default_code = "E_UNSUPPORTED_MEDIA_MODALITY"
    default_status = 422


class ModelContextOverflow(UsageError):
    """The prompt is larger than the model's window; nothing was sent.

    `per_bucket` says where the tokens are, so that the next attempt can leave out the right thing.
    `is_minimum` says that a text was far too long to be counted to its end: there are more.
    """

    default_code = "E_MODEL_CONTEXT_OVERFLOW"
    default_status = 529
    default_help = "Shed what weighs most, or give the tool results as handles (inline=False)."

    def __init__(
        self,
        *,
        total: int,
        limit: int,
        encoding: str,
        per_bucket: Mapping[str, int],
        is_minimum: bool = False,
        **overrides: Unpack[Overrides],
    ) -> None:
        self.total = total
        self.limit = limit
        self.encoding = encoding
        self.per_bucket = dict(per_bucket)
        self.is_minimum = is_minimum
        largest = max(per_bucket, key=per_bucket.__getitem__, default="nothing")
        shares = ", ".join(f"{name} {tokens}" for name, tokens in per_bucket.items())
        size = f"at least {total}" if is_minimum else str(total)
        message = f"the prompt is {size} tokens of {encoding}, the window {limit}"
        super().__init__(f"{message}; the largest bucket is {largest} ({shares})", **overrides)

    def __reduce__(self) -> tuple[Any, ...]:
        facts = {
            "total": self.total,
            "limit": self.limit,
            "encoding": self.encoding,
            "per_bucket": self.per_bucket,
            "is_minimum": self.is_minimum,
        }
        return _with_keywords, (type(self), facts), self.__dict__


class OpenaiChatCompletionsContextOverflow(ModelContextOverflow):
    """The prompt is larger than the window of a chat-completions model; nothing was sent."""

    default_code = "E_OPENAI_CHAT_COMPLETIONS_CONTEXT_OVERFLOW"


class InputPipelineError(RunError):
    """A middleware of the turn input pipeline failed; dispatch and output were skipped."""

    default_code = "E_INPUT_PIPELINE_ERROR"


class OutputPipelineError(RunError):
    """A middleware of the turn output pipeline failed."""

    default_code = "E_OUTPUT_PIPELINE_ERROR"


class DispatchPipelineError(RunError):
    """A middleware around the executor failed; the dispatch ended as a nack."""

    default_code = "E_DISPATCH_PIPELINE_ERROR"


class PipelineShortCircuited(RunError):
    """A middleware returned without `await call_next()` and nobody aborted; `seam` says where."""

    default_code = "E_PIPELINE_SHORT_CIRCUITED"
    default_help = "Await call_next(), or refuse on purpose with ctx.abort(reason)."

    def __init__(self, seam: str, **overrides: Unpack[Overrides]) -> None:
        super().__init__(f"the {seam} pipeline stopped before its end", **overrides)
        self.seam = seam

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.seam,), self.__dict__


class LlmExecutionExecutorError(RunError):
    """The executor raised; the original error is the cause."""

    default_code = "E_LLM_EXECUTION_EXECUTOR_ERROR"


class LlmExecutionNacked(RunError):
    """The dispatch was nacked, without an error or with one from outside this tree (the cause)."""

    default_code = "E_LLM_EXECUTION_NACKED"


class TurnGateTimeout(RunError):
    """Nobody settled the gate in time."""

    default_code = "E_TURN_GATE_TIMEOUT"
    default_status = 408
    default_retryable = True


class TurnGateAborted(RunError):
    """The gate was closed before anybody settled it, by the turn's abort or by `gate.abort()`."""

    default_code = "E_TURN_GATE_ABORTED"
    default_status = 499


class LlmExecutionGateNotSupported(RunError):
    """A standalone dispatch was given no way to open gates."""

    default_code = "E_LLM_EXECUTION_GATE_NOT_SUPPORTED"
    default_status = 501
    default_help = "Pass RawDispatch(gates=True), and observe turn_gate_open to settle them."


class InvalidToolArgs(RunError):
    """A tool's arguments do not fit its schema; the handler did not run."""

    default_code = "E_INVALID_TOOL_ARGS"
    default_status = 422

    def __init__(
        self, tool: str, problems: Iterable[Problem], **overrides: Unpack[Overrides]
    ) -> None:
        self.tool = tool
        self.problems = tuple(problems)
        super().__init__(f"invalid arguments for {tool!r}: {listed(self.problems)}", **overrides)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.tool, self.problems), self.__dict__


class ToolDownstreamError(RunError):
    """A tool's handler raised; the original error is the cause."""

    default_code = "E_TOOL_DOWNSTREAM_ERROR"


class InputRefused(RunError):
    """A tool, a query or a store cannot work with what it was given; the message says what would.

    Raised by a tool's handler it becomes the cause of a `ToolDownstreamError`, and its message what
    the model reads: so it names the bad part and the way out.
    """

    default_code = "E_INPUT_REFUSED"
    default_status = 422


class LimitExceeded(InputRefused):
    """Working with the input would take more time, memory or room than is allowed."""

    default_code = "E_LIMIT_EXCEEDED"
    default_status = 413


class ReaderNotDescribable(RunError):
    """A reader cannot be written down as data, so its record cannot be restored later."""

    default_code = "E_READER_NOT_DESCRIBABLE"
    default_status = 422


class NoReaderResolver(RunError):
    """A stored reader description names a kind that nothing here can open."""

    default_code = "E_NO_READER_RESOLVER"
    default_status = 422


class TurnLimitReached(RunError):
    """A turn used up what it was given: `limit` names iterations, calls, seconds or tokens."""

    default_code = "E_TURN_LIMIT_REACHED"
    default_status = 429

    def __init__(
        self, message: str = "", *, limit: str = "", **overrides: Unpack[Overrides]
    ) -> None:
        super().__init__(message, **overrides)
        self.limit = limit


class LocalModelFailed(RunError):
    """The engine that runs a model in this process could not load it, or failed while it ran."""

    default_code = "E_LOCAL_MODEL_FAILED"
    default_status = 502


class DocumentUnreadable(RunError):
    """One document could not be turned into text; the message is the reason that `status` shows."""

    default_code = "E_DOCUMENT_UNREADABLE"
    default_status = 422


class SourceUnavailable(RunError):
    """A folder, file, site or sitemap could not be scanned at all, so nothing is known about it."""

    default_code = "E_SOURCE_UNAVAILABLE"
    default_status = 502
    default_retryable = True


class IndexMissing(RunError):
    """There is no index, or no finished generation of one, at the path."""

    default_code = "E_INDEX_MISSING"
    default_status = 404
    default_help = "Make one with `tether index apply`."


class IndexLocked(RunError):
    """Another process writes the index; the message says which one and since when."""

    default_code = "E_INDEX_LOCKED"
    default_status = 423
    default_retryable = True


class IndexWriteFailed(RunError):
    """The disk refused a write; what was committed before still answers."""

    default_code = "E_INDEX_WRITE_FAILED"
    default_status = 507
    default_retryable = True


class IndexDamaged(RunError):
    """A file of the index is not what was written; `file` names it."""

    default_code = "E_INDEX_DAMAGED"
    default_status = 500
    default_help = "Run `tether index check`, then `rollback`, `apply --rebuild` or `--recreate`."

    def __init__(
        self, message: str = "", *, file: str = "", **overrides: Unpack[Overrides]
    ) -> None:
        super().__init__(message, **overrides)
        self.file = file


class IndexFormatUnsupported(RunError):
    """The index was written in a format that this version does not read."""

    default_code = "E_INDEX_FORMAT_UNSUPPORTED"
    default_status = 409


class EmbedderMismatch(RunError):
    """The index holds vectors of another embedder than the one at hand."""

    default_code = "E_EMBEDDER_MISMATCH"
    default_status = 409
    default_help = "Use that embedder, or run `tether index migrate`."


class EmbeddingFailed(RunError):
    """The embedder gave no vectors; searches go on with the lexical lanes and say so."""

    default_code = "E_EMBEDDING_FAILED"
    default_status = 502
    default_retryable = True


class JudgeFailed(RunError):
    """The judge gave no scores; searches go on without its vote and say so."""

    default_code = "E_JUDGE_FAILED"
    default_status = 502
    default_retryable = True


class ProviderFailed(RunError):
    """A provider of passages failed; the others go on and the trace names it."""

    default_code = "E_PROVIDER_FAILED"
    default_status = 502
    default_retryable = True


class CalibrationMismatch(RunError):
    """The calibration was made for another embedder, judge, chunker or mix."""

    default_code = "E_CALIBRATION_MISMATCH"
    default_status = 409
    default_help = "Run `tether calibrate` again."


class CalibrationImpossible(RunError):
    """There are too few questions to fit a floor from."""

    default_code = "E_CALIBRATION_IMPOSSIBLE"
    default_status = 422


class StoreFailed(RunError):
    """The store cannot be reached, is full, read-only or stays locked; nothing was half written."""

    default_code = "E_STORE_FAILED"
    default_status = 503
    default_retryable = True


class StoreDamaged(RunError):
    """The store's file is not what was written; `tether doctor` says what can be saved."""

    default_code = "E_STORE_DAMAGED"
    default_status = 500


class StoreFormatUnsupported(RunError):
    """The store was made by a newer version, or is something else altogether."""

    default_code = "E_STORE_FORMAT_UNSUPPORTED"
    default_status = 500


class RecordMissing(RunError):
    """There is no such conversation, memory, instruction or gate for this owner."""

    default_code = "E_RECORD_MISSING"
    default_status = 404


class MemoryRefused(RunError):
    """A memory or an instruction may not be written: its source has no say, or had its share."""

    default_code = "E_MEMORY_REFUSED"
    default_status = 403


class GateSettled(RunError):
    """A decision came too late: the gate was settled, or its time was over."""

    default_code = "E_GATE_SETTLED"
    default_status = 409


class ReceiptUnreadable(RunError):
    """A file is no receipt of an answer, or was changed since."""

    default_code = "E_RECEIPT_UNREADABLE"
    default_status = 422


class OfflineRefused(RunError):
    """Something wanted to connect to a place that `--offline` does not allow."""

    default_code = "E_OFFLINE_REFUSED"
    default_status = 403


class ModelHttpError(RunError):
    """The endpoint answered with an error, answered nonsense, or could not be reached.

    `http_status` is its status, 0 where there was no answer; `attempts` counts the requests made.
    """

    default_code = "E_MODEL_HTTP_ERROR"
    default_status = 502

    def __init__(
        self,
        message: str = "",
        *,
        http_status: int = 0,
        attempts: int = 1,
        **overrides: Unpack[Overrides],
    ) -> None:
        super().__init__(message, **overrides)
        self.http_status = http_status
        self.attempts = attempts


class ModelStreamError(RunError):
    """The stream broke after it had begun; it is not retried. `partial` is what was said so far."""

    default_code = "E_MODEL_STREAM_ERROR"
    default_status = 502

    def __init__(
        self, message: str = "", *, partial: str = "", **overrides: Unpack[Overrides]
    ) -> None:
        super().__init__(message, **overrides)
        self.partial = partial


class ModelStreamStalled(ModelStreamError):
    """No byte arrived for longer than the idle limit."""

    default_code = "E_MODEL_STREAM_STALLED"
    default_status = 504
    default_retryable = True


class ModelRequestTimeout(RunError):
    """The request took longer than its limit; `phase` says in what: connecting, the answer's
    beginning, or the whole of it."""

    default_code = "E_MODEL_REQUEST_TIMEOUT"
    default_status = 504
    default_retryable = True

    def __init__(
        self,
        message: str = "",
        *,
        phase: str = "",
        attempts: int = 1,
        **overrides: Unpack[Overrides],
    ) -> None:
        super().__init__(message, **overrides)
        self.phase = phase
        self.attempts = attempts


class ModelInvalidToolCallArgs(RunError):
    """The model's arguments are not a JSON object; the text becomes the tool's result."""

    default_code = "E_MODEL_INVALID_TOOL_CALL_ARGS"
    default_status = 422


class OpenaiChatCompletionsHttpError(ModelHttpError):
    """The chat-completions endpoint answered with an error, or could not be reached (status 0)."""

    default_code = "E_OPENAI_CHAT_COMPLETIONS_HTTP_ERROR"


class OpenaiChatCompletionsStreamError(ModelStreamError):
    """The chat-completions stream broke after it had begun; it is not retried."""

    default_code = "E_OPENAI_CHAT_COMPLETIONS_STREAM_ERROR"


class OpenaiChatCompletionsStreamStalled(ModelStreamStalled):
    """No byte of the chat-completions stream arrived for longer than the idle limit."""

    default_code = "E_OPENAI_CHAT_COMPLETIONS_STREAM_STALLED"


class OpenaiChatCompletionsRequestTimeout(ModelRequestTimeout):
    """The chat-completions request took longer than its limit."""

    default_code = "E_OPENAI_CHAT_COMPLETIONS_REQUEST_TIMEOUT"


class OpenaiChatCompletionsInvalidToolCallArgs(ModelInvalidToolCallArgs):
    """The model's arguments are not a JSON object; the text becomes the tool's result."""

    default_code = "E_OPENAI_CHAT_COMPLETIONS_INVALID_TOOL_CALL_ARGS"
