"""The families of errors, and those that core raises. `tether.errors` draws the whole tree.

A `UsageError` is fatal: the calling code is wrong. A `RunError` happens while a turn runs.
`Aborted` is not a failure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypedDict, TypeVar, Unpack

if TYPE_CHECKING:
    from collections.abc import Iterable

_T = TypeVar("_T")


class Problem(NamedTuple):
    """One thing that is wrong with one field of an input."""

    path: str
    message: str


class Overrides(TypedDict, total=False):
    """The attributes of a class that one throw may override."""

    code: str | None
    status: int | None
    fatal: bool | None
    retryable: bool | None
    help: str | None
    cause: BaseException | None


class TetherError(Exception):
    """The root of the tree: a stable `code`, a message that says
    what was wrong, and advice.

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


def _first(given: _T | None, default: _T) -> _T:
    return default if given is None else given


def error_text(error: BaseException) -> str:
    """Return an error's text, or the name of its class if there is no text to show."""
    try:
        return str(error) or type(error).__name__
    except Exception:  # noqa: BLE001  # a foreign __str__
        return type(error).__name__


def listed(problems: Iterable[Problem]) -> str:
    """Return all problems as one text."""
    return "; ".join(f"{path}: {message}" if path else message for path, message in problems)


class UsageError(TetherError):
    """The calling code is wrong; raised where the mistake was made."""

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


class InvalidInitialRegistryValue(InvalidInput):
    """A registry starts from nothing or from a plain dictionary."""

    default_code = "E_INVALID_INITIAL_REGISTRY_VALUE"
    subject = "registry"


class InvalidInitialTokenizableValue(InvalidInput):
    """Text was expected, or a function that makes it."""

    default_code = "E_INVALID_INITIAL_TOKENIZABLE_VALUE"
    subject = "text"


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


class InvalidRegistryPath(UsageError):
    """A dot path is empty, or leads through a value that has no keys."""

    default_code = "E_INVALID_REGISTRY_PATH"


class NotASpoolReader(UsageError):
    """An artifact was given something that cannot be read line by line."""

    default_code = "E_NOT_A_SPOOL_READER"


class TokenizableEvaluatorInvalid(UsageError):
    """The function of a dynamic text raised, or returned something other than text."""

    default_code = "E_TOKENIZABLE_EVALUATOR_INVALID"


class TokenEstimatorShadowsBuiltin(UsageError):
    """A custom token estimator may not take the name of a built-in encoding."""

    default_code = "E_TOKEN_ESTIMATOR_SHADOWS_BUILTIN"


class InputRefused(RunError):
    """A tool, a query or a store cannot work with its input; the message says how to fix it.

    Raised by a tool's handler, it becomes the cause of a `ToolDownstreamError`, and the model reads
    its message: so it names the bad part and the remedy.
    """

    default_code = "E_INPUT_REFUSED"
    default_status = 422


class LimitExceeded(InputRefused):
    """The input would take more time, memory or space than is allowed."""

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
