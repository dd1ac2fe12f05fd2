"""How values get from stage to stage: a way in each pipeline, a slot between two pipelines."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from tether.ask.answer import Answer
from tether.ask.values import Asked, Outcome, Refusal, Shown
from tether.runtime.dispatch_context import DispatchContext
from tether.runtime.errors import LlmExecutionExecutorError
from tether.runtime.pipeline import CallNext
from tether.runtime.turn_context import TurnContext

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")

Stage = Callable[[A, TurnContext], Awaitable[B | Refusal]]
"""Takes one value and returns the next one, or a refusal."""


@dataclass(frozen=True, slots=True)
class Way(Generic[A, B]):
    """Stages in a row. A refusal ends the way: the later stages are not called.

    After an abort no further stage is called either, and `Aborted` is raised.
    """

    walk: Stage[A, B]

    def then(self, stage: Stage[B, C]) -> Way[A, C]:
        """Return the way with one more stage."""

        async def walk(value: A, ctx: TurnContext) -> C | Refusal:
            reached = await self.walk(value, ctx)
            if isinstance(reached, Refusal):
                return reached
            ctx.abort_signal.raise_if_aborted()
            return await stage(reached, ctx)

        return Way(walk)


class Slot(Generic[A]):
    """Carries a value from one pipeline of a turn to the next; the last value put counts."""

    __slots__ = ("_values",)

    def __init__(self) -> None:
        self._values: tuple[A, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing was put in so far."""
        return not self._values

    def put(self, value: A) -> None:
        """Put a value in, in place of an earlier one."""
        self._values = (value,)

    def value(self) -> A:
        """Return the value; raises `LookupError` where the slot is empty."""
        if not self._values:
            raise LookupError("this slot is empty: the stage that fills it has not run")
        return self._values[0]


@dataclass(frozen=True, slots=True)
class WayIn:
    """The turn's input pipeline: from the question to a prompt that fits, or to a refusal."""

    asked: Asked
    way: Way[Asked, Shown]
    shown: Slot[Shown]
    outcome: Slot[Outcome]

    async def __call__(self, ctx: TurnContext, call_next: CallNext) -> None:
        """Walk the way, hand its end on, and continue."""
        reached = await self.way.walk(self.asked, ctx)
        if isinstance(reached, Refusal):
            self.outcome.put(reached)
        else:
            self.shown.put(reached)
        await call_next()


@dataclass(frozen=True, slots=True)
class Door:
    """The first stage of a dispatch: closed where the turn has an outcome already.

    A refused question could be sent to the model and its words thrown away, so that all turns take
    the same way. Not sending it costs no tokens and no time, and words that were never written
    cannot leak into a stream, a trace or a log.
    """

    outcome: Slot[Outcome]

    async def __call__(self, ctx: DispatchContext, call_next: CallNext) -> None:
        """Continue, or end the dispatch."""
        if self.outcome.is_empty:
            await call_next()
        else:
            ctx.ack()


@dataclass(frozen=True, slots=True)
class WayOut:
    """The turn's output pipeline: the outcome is stored as an answer, the question learnt from.

    The answer is handed on as soon as it is stored: an abort or a failure after that is too late.
    Raises `LlmExecutionExecutorError` where there is no outcome: a model that ends the turn by
    itself goes round the gate.
    """

    asked: Asked
    outcome: Slot[Outcome]
    persist: Callable[[Outcome], Awaitable[Answer]]
    remember: Callable[[Asked], Awaitable[None]]
    answered: Slot[Answer]

    async def __call__(self, ctx: TurnContext, call_next: CallNext) -> None:
        """Store, learn, and continue."""
        if self.outcome.is_empty:
            raise LlmExecutionExecutorError(
                "the model ended the turn before its answer was checked: give the agent an executor"
                " that does not ack by itself"
            )
        self.answered.put(await self.persist(self.outcome.value()))
        await self.remember(self.asked)
        await call_next()
