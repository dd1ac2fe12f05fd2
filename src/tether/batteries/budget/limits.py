"""When a turn has had enough: a breaker for models that go in circles."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakKeyDictionary

from tether.batteries.budget.amounts import whole_number
from tether.core.canonical import canonical_json
from tether.core.checks import Checks
from tether.core.errors import InvalidBudget, TurnLimitReached
from tether.core.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tether.core.message import Message
    from tether.core.records import RecordSet
    from tether.core.thought import Thought
    from tether.core.tool_call import ToolCall
    from tether.runtime.dispatch_context import DispatchContext
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
    """A middleware that gives a dispatch up when it exceeds one of its limits; None is no limit.

    - `iterations`: how often the executor may run
    - `tool_calls`: how many calls there may be
    - `same_call`: how many of them may be equal in tool and arguments, in a row or not: a model
      that alternates between two calls is going in circles too
    - `empty_replies`: how many iterations in a row may neither say nor call anything
    - `seconds`: how long it may take, by the clock of the turn
    - `output_tokens`: how much the model may write: messages, thoughts and arguments, counted in
      `encoding`

    Put the same object first into the dispatch's input pipeline and last into its output pipeline.
    Either alone works too, and then notices one response later. What a response costs is known when
    it has come, so at most one response goes past a limit. The dispatch is nacked with
    `TurnLimitReached`, whose `limit` is the name above.

    Counted is what this dispatch adds, whatever is shed from its collections in between. One object
    serves any number of dispatches at once. Raises `InvalidBudget`.
    """

    __slots__ = (
        "_empty_replies",
        "_encoding",
        "_iterations",
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
    ) -> None:
        check = Checks()
        self._iterations = _count(check, "iterations", iterations)
        self._tool_calls = _count(check, "tool_calls", tool_calls)
        self._same_call = _count(check, "same_call", same_call)
        self._empty_replies = _count(check, "empty_replies", empty_replies)
        self._seconds = _seconds(check, seconds)
        self._output_tokens = _count(check, "output_tokens", output_tokens)
        self._encoding = check.identifier("encoding", encoding)
        check.done(InvalidBudget)
        self._spent: WeakKeyDictionary[DispatchContext, _Spent] = WeakKeyDictionary()

    async def __call__(self, ctx: DispatchContext, call_next: CallNext) -> None:
        """Look at what was spent, and go on or give up."""
        spent = self._spent.get(ctx)
        if spent is None:
            counted = None if self._output_tokens is None else self._encoding
            spent = self._spent[ctx] = _Spent(ctx, counted)
        spent.look(ctx)
        error = self._exceeded(ctx, spent)
        if error is None or ctx.is_signalled:
            await call_next()
        else:
            ctx.nack(error)

    def _exceeded(self, ctx: DispatchContext, spent: _Spent) -> TurnLimitReached | None:
        """Return an error about the first limit that is exceeded."""
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
                text = f"the turn is given up: {_NAMES[name]} would be {amount:g}, allowed: {limit}"
                return TurnLimitReached(text, limit=name)
        return None


class _Spent:
    """What one dispatch has used. What was there at the first look is not its own.

    Tokens are counted only where there is an encoding to count them in.
    """

    def __init__(self, ctx: DispatchContext, encoding: str | None) -> None:
        self.started = ctx.clock.monotonic()
        self.iterations = 0
        self.tool_calls = 0
        self.same_call = 0
        self.empty_replies = 0
        self.output_tokens = 0
        self._encoding = encoding
        self._calls = ctx.turn_tool_calls.copy()
        self._messages = ctx.turn_messages.copy()
        self._thoughts = ctx.turn_thoughts.copy()
        self._equal: Counter[str] = Counter()
        self._looked_at = -1
        self._has_said = False

    def look(self, ctx: DispatchContext) -> None:
        """Note what is new since the last look."""
        calls = _fresh(self._calls, ctx.turn_tool_calls)
        thoughts = _fresh(self._thoughts, ctx.turn_thoughts)
        said = [it for it in _fresh(self._messages, ctx.turn_messages) if it.role == "assistant"]
        for call in calls:
            self._equal[call.checksum] += 1
            self.same_call = max(self.same_call, self._equal[call.checksum])
        self.tool_calls += len(calls)
        self._count(canonical_json(call.args) for call in calls)
        self._count(str(message.content or "") for message in said)
        self._count(str(thought.content) for thought in thoughts)
        self._has_said = self._has_said or bool(calls or said)
        self._judge(ctx.iteration)

    def _count(self, texts: Iterable[str]) -> None:
        if self._encoding is not None:
            self.output_tokens += sum(count_tokens(text, self._encoding) for text in texts)

    def _judge(self, iteration: int) -> None:
        """Count the iterations that are over: a second look at one comes after its executor."""
        over = iteration + (1 if iteration == self._looked_at else 0)
        self._looked_at = iteration
        if over > self.iterations:
            self.iterations = over
            self.empty_replies = 0 if self._has_said else self.empty_replies + 1
            self._has_said = False


def _fresh(known: RecordSet[R], held: RecordSet[R]) -> list[R]:
    """Return what is new, and know it from now on. A new version of a record is not new."""
    replaced = {(it.id, it.created_at) for it in known if it not in held}
    new = [it for it in held if it not in known]
    known.update(new)
    return [it for it in new if (it.id, it.created_at) not in replaced]


def _count(check: Checks, path: str, value: int | None) -> int | None:
    return None if value is None else whole_number(check, path, value)


def _seconds(check: Checks, value: float | None) -> float | None:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if value is not None and not (is_number and 0 < value < float("inf")):
        check.refuse("seconds", value, "a positive number")
    return value
