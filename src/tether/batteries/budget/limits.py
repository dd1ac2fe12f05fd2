"""Limits of a turn: they stop a model that goes in circles."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakKeyDictionary

from tether.batteries.budget.errors import InvalidBudget, TurnLimitReached
from tether.core.checks import Checks
from tether.core.errors import Problem
from tether.core.plain_data import canonical_json
from tether.core.records import RecordSet
from tether.core.tokens import count_tokens
from tether.runtime.dispatch_context import DispatchContext

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tether.core.message import Message
    from tether.core.thought import Thought
    from tether.core.tool_call import ToolCall
    from tether.runtime.pipeline import CallNext

R = TypeVar("R", "Message", "Thought", "ToolCall")

_NAMES = {
    "iterations": "iterations",
    "tool_calls": "tool calls",
    "same_call": "equal tool calls",
    "empty_replies": "empty replies in a row",
    "seconds": "seconds",
    "output_tokens": "tokens written by the model",
}


class TurnLimits:
    """A middleware that stops a dispatch when it exceeds one of its limits; None means unlimited.

    - `iterations`: runs of the executor
    - `tool_calls`: calls
    - `same_call`: calls with equal tool and arguments, in a row or not: a model that alternates
      between two calls goes in circles too
    - `empty_replies`: iterations in a row without a message or a call
    - `seconds`: time, by the clock of the turn
    - `output_tokens`: tokens that the model writes in messages, thoughts and arguments, counted in
      `encoding`

    Put the same object first into the dispatch's input pipeline and last into its output pipeline,
    or into the input pipeline alone. With `output_only` it is in the output pipeline alone, and
    counts records that are not older than the user's newest message as the first response. The cost
    of a response is known only after it, so at most one response exceeds a limit. The dispatch is
    nacked with `TurnLimitReached`, whose `limit` is a name above.

    It counts records that the executor and earlier output middlewares add; not earlier records, nor
    those that input middlewares load. Records that are shed in between still count. One object
    serves any number of dispatches at once. Raises `InvalidBudget`, also if it is called in the
    pipeline of a turn.
    """

    __slots__ = (
        "_empty_replies",
        "_encoding",
        "_iterations",
        "_output_only",
        "_output_tokens",
        "_same_call",
        "_seconds",
        "_spent",
        "_tool_calls",
    )

    def __init__(
        self,
        *,
        iterations: int | None = None,
        tool_calls: int | None = None,
        same_call: int | None = None,
        empty_replies: int | None = None,
        seconds: float | None = None,
        output_tokens: int | None = None,
        encoding: str = "o200k_base",
        output_only: bool = False,
    ) -> None:
        check = Checks()
        self._iterations = _count(check, "iterations", iterations)
        self._tool_calls = _count(check, "tool_calls", tool_calls)
        self._same_call = _count(check, "same_call", same_call)
        self._empty_replies = _count(check, "empty_replies", empty_replies)
        self._seconds = _seconds(check, seconds)
        self._output_tokens = _count(check, "output_tokens", output_tokens)
        self._encoding = check.identifier("encoding", encoding)
        self._output_only = check.flag("output_only", output_only)
        check.done(InvalidBudget)
        self._spent: WeakKeyDictionary[DispatchContext, _Spent] = WeakKeyDictionary()

    async def __call__(self, ctx: DispatchContext, call_next: CallNext) -> None:
        """Compare the dispatch with the limits, and go on or stop it."""
        if not isinstance(ctx, DispatchContext):
            needed = "belong in the dispatch's pipelines: the pipelines of a turn run only once"
            raise InvalidBudget([Problem("TurnLimits", needed)])
        spent = self._spent.get(ctx)
        if spent is None:
            counted = None if self._output_tokens is None else self._encoding
            spent = _Spent(ctx, counted, output_only=self._output_only)
            self._spent[ctx] = spent
        before_executor = spent.look(ctx)
        error = self._exceeded(ctx, spent)
        if error is not None and not ctx.is_signalled:
            ctx.nack(error)
            return
        await call_next()
        if before_executor:
            spent.take_over(ctx)

    def _exceeded(self, ctx: DispatchContext, spent: _Spent) -> TurnLimitReached | None:
        """Return the error for the first limit that is exceeded."""
        used = (
            ("iterations", spent.iterations + 1, self._iterations),  # the next one included
            ("tool_calls", spent.tool_calls, self._tool_calls),
            ("same_call", spent.same_call, self._same_call),
            ("empty_replies", spent.empty_replies, self._empty_replies),
            ("seconds", ctx.clock.monotonic() - spent.started, self._seconds),
            ("output_tokens", spent.output_tokens, self._output_tokens),
        )
        for name, amount, limit in used:
            if limit is not None and amount > limit:
                text = f"the turn was stopped: {_NAMES[name]} would be {amount:g}, allowed: {limit}"
                return TurnLimitReached(text, limit=name)
        return None


class _Spent:
    """The consumption of one dispatch, without the records that existed at the first look.

    Tokens are counted only with an encoding.
    """

    def __init__(self, ctx: DispatchContext, encoding: str | None, *, output_only: bool) -> None:
        self.started = ctx.clock.monotonic()
        self.iterations = 0
        self.tool_calls = 0
        self.same_call = 0
        self.empty_replies = 0
        self.output_tokens = 0
        self._encoding = encoding
        self._output_only = output_only
        since = _newest_question(ctx) if output_only else None
        self._calls = _older(ctx.turn_tool_calls, since)
        self._messages = _older(ctx.turn_messages, since)
        self._thoughts = _older(ctx.turn_thoughts, since)
        self._equal: Counter[str] = Counter()
        self._looked_at = -1
        self._has_said = False

    def look(self, ctx: DispatchContext) -> bool:
        """Count the new records since the last look; say whether the executor has yet to run."""
        calls = _fresh(self._calls, ctx.turn_tool_calls)
        thoughts = _fresh(self._thoughts, ctx.turn_thoughts)
        said = [it for it in _fresh(self._messages, ctx.turn_messages) if it.role == "assistant"]
        for call in calls:
            self._equal[call.checksum] += 1
            self.same_call = max(self.same_call, self._equal[call.checksum])
        self.tool_calls += len(calls)
        self._count(canonical_json(call.args) for call in calls)
        self._count(it.content.render(ctx) for it in said if it.content is not None)
        self._count(it.content.render(ctx) for it in thoughts)
        self._has_said = self._has_said or bool(calls or said)
        is_first = not self._output_only and ctx.iteration != self._looked_at
        self._looked_at = ctx.iteration
        self._judge(ctx.iteration + (0 if is_first else 1))
        return is_first

    def take_over(self, ctx: DispatchContext) -> None:
        """Remember loaded records without counting them."""
        self._calls.update(ctx.turn_tool_calls)
        self._messages.update(ctx.turn_messages)
        self._thoughts.update(ctx.turn_thoughts)

    def _count(self, texts: Iterable[str]) -> None:
        if self._encoding is not None:
            self.output_tokens += sum(count_tokens(text, self._encoding) for text in texts)

    def _judge(self, over: int) -> None:
        """Count the iterations that are over."""
        if over > self.iterations:
            self.iterations = over
            self.empty_replies = 0 if self._has_said else self.empty_replies + 1
            self._has_said = False


def _newest_question(ctx: DispatchContext) -> datetime:
    asked = [it.created_at for it in ctx.turn_messages if it.role == "user"]
    return max(asked, default=datetime.min.replace(tzinfo=UTC))


def _older(held: RecordSet[R], since: datetime | None) -> RecordSet[R]:
    return held.copy() if since is None else RecordSet(it for it in held if it.created_at < since)


def _fresh(known: RecordSet[R], held: RecordSet[R]) -> list[R]:
    """Return the new records and remember them. A new version of a record is not new."""
    replaced = {(it.id, it.created_at) for it in known if it not in held}
    new = [it for it in held if it not in known]
    known.update(new)
    return [it for it in new if (it.id, it.created_at) not in replaced]


def _count(check: Checks, path: str, value: int | None) -> int | None:
    return None if value is None else check.whole_number(path, value)


def _seconds(check: Checks, value: float | None) -> float | None:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if value is not None and not (is_number and 0 < value < float("inf")):
        check.refuse("seconds", value, "a positive number")
    return value
