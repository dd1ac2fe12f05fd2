"""Errors of turns, dispatches, pipelines, gates and tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from tether.core.errors import InvalidInput, Overrides, RunError, UsageError, listed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tether.core.errors import Problem


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


class InvalidInitialStandingInstructionValue(InvalidInput):
    """A standing instruction is text that is not empty."""

    default_code = "E_INVALID_INITIAL_STANDING_INSTRUCTION_VALUE"
    subject = "standing instruction"


class InvalidInitialTurnGateValue(InvalidInput):
    """A gate request was refused; no gate was opened and no event fired."""

    default_code = "E_INVALID_INITIAL_TURN_GATE_VALUE"
    subject = "gate request"


class InvalidTurnGateResolution(InvalidInput):
    """The value offered to a gate does not fit its schema; the gate is still open."""

    default_code = "E_INVALID_TURN_GATE_RESOLUTION"
    default_help = "The gate is still open: resolve it again with a value that fits."
    subject = "gate resolution"


class InvalidListener(UsageError):
    """A listener must be a plain function: events are delivered at once, nothing is awaited."""

    default_code = "E_INVALID_LISTENER"
    default_help = "Pass a plain function; start a task inside it if you have to wait."


class UnknownEvent(UsageError):
    """No event of that name exists on that bus."""

    default_code = "E_UNKNOWN_EVENT"


class StreamSealed(UsageError):
    """A stream was reported complete; nothing can be added under its id."""

    default_code = "E_STREAM_SEALED"
    default_help = "Complete each id once, and start a new id for new content."


class LlmExecutionAlreadySignalled(UsageError):
    """`ack` or `nack` was called on a dispatch that was already signalled."""

    default_code = "E_LLM_EXECUTION_ALREADY_SIGNALLED"
    default_help = "Where several places may signal, check `ctx.is_signalled` first."


class ToolAlreadyRegistered(UsageError):
    """Two tools claim one name."""

    default_code = "E_TOOL_ALREADY_REGISTERED"
    default_status = 409
    default_help = "Rename one, register with overwrite=True, or merge with an on_collision policy."


class ArtifactIdCollision(UsageError):
    """A tool call and a retrievable carry artifacts under the same id."""

    default_code = "E_ARTIFACT_ID_COLLISION"


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
    """A middleware returned without `await call_next()` or an abort; `seam` says where."""

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
    """The gate was not settled in time."""

    default_code = "E_TURN_GATE_TIMEOUT"
    default_status = 408
    default_retryable = True


class TurnGateAborted(RunError):
    """The gate was closed before it was settled, by the turn's abort or by `gate.abort()`."""

    default_code = "E_TURN_GATE_ABORTED"
    default_status = 499


class LlmExecutionGateNotSupported(RunError):
    """A standalone dispatch cannot open gates unless `gates` is set."""

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
