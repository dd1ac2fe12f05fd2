"""Errors of budgets, limits and model profiles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from tether.core.errors import InvalidInput, Overrides, RunError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

_T = TypeVar("_T")


def _with_keywords(kind: type[_T], facts: dict[str, Any]) -> _T:
    """Make an error again from a pickle: `BaseException` keeps positional arguments only."""
    return kind(**facts)


class InvalidBudget(InvalidInput):
    """The settings of a budget, or of a turn's limits, were refused."""

    default_code = "E_INVALID_BUDGET"
    subject = "budget"


class InvalidModelProfile(InvalidInput):
    """A file of model profiles was refused."""

    default_code = "E_INVALID_MODEL_PROFILE"
    subject = "model profile"


class ModelContextOverflow(UsageError):
    """The prompt is larger than the model's window; nothing was sent.

    `per_bucket` shows where the tokens are, so that the next attempt can leave out the right part.
    `is_minimum` says that a text was far too long to be counted to its end: there are more tokens.
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


class TurnLimitReached(RunError):
    """A turn exceeded a limit: `limit` names iterations, calls, seconds or tokens."""

    default_code = "E_TURN_LIMIT_REACHED"
    default_status = 429

    def __init__(
        self, message: str = "", *, limit: str = "", **overrides: Unpack[Overrides]
    ) -> None:
        super().__init__(message, **overrides)
        self.limit = limit
