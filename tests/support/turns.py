"""Small parts from which the tests build turns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tether import (
    CallNext,
    Context,
    DispatchContext,
    Executor,
    Helpers,
    Message,
    NoopStorage,
    ToolCall,
    TurnContext,
    TurnInput,
    TurnRunner,
    tool,
)
from tether.batteries.testing import Recorder

TURN = TurnInput(system_prompt="You are under test.")
WHEN = "2026-01-01T12:00:00Z"


def message(id: str, text: str = "text", *, role: Any = "assistant") -> Message:
    return Message(id=id, role=role, content=text, created_at=WHEN)


def tool_call(id: str, *, tool: str = "add", args: Any = None, results: Any = "3") -> ToolCall:
    return ToolCall(
        id=id, tool=tool, args={"a": 1} if args is None else args, results=results, created_at=WHEN
    )


@tool
async def add(a: int, b: int) -> str:
    """Add two numbers."""
    return str(a + b)


@tool
async def fail(why: str) -> str:
    """Fail."""
    raise RuntimeError(why)


async def ack(ctx: DispatchContext, helpers: Helpers) -> None:
    """An executor that is done at once."""
    ctx.ack()


async def idle(ctx: DispatchContext, helpers: Helpers) -> None:
    """An executor that never signals."""


def nack(error: Exception) -> Executor:
    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        ctx.nack(error)

    return execute


def ack_in(iteration: int) -> Executor:
    """An executor that acks in that iteration and not before."""

    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        if ctx.iteration == iteration:
            ctx.ack()

    return execute


async def go_on(ctx: Context, call_next: CallNext) -> None:
    """A middleware that does nothing but call on."""
    await call_next()


async def forget(ctx: Context, call_next: CallNext) -> None:
    """A middleware that forgets to call on."""


def noting(notes: list[str], name: str) -> Callable[[Context, CallNext], Any]:
    """A middleware that notes both legs of its trip."""

    async def middleware(ctx: Context, call_next: CallNext) -> None:
        notes.append(f"{name} in")
        await call_next()
        notes.append(f"{name} out")

    return middleware


def raising(error: Exception) -> Callable[[Context, CallNext], Any]:
    async def middleware(ctx: Context, call_next: CallNext) -> None:
        raise error

    return middleware


class Ran:
    """A runner, what it emitted, and the turn contexts it made."""

    def __init__(self, executor: Executor = ack, **settings: Any) -> None:
        self.turns: list[TurnContext] = []
        settings.setdefault("storage", NoopStorage())
        given = settings.pop("turn_input_pipeline", [])
        self.runner = TurnRunner(
            executor=executor, turn_input_pipeline=[self._capture, *given], **settings
        )
        self.recorder = Recorder(self.runner)

    async def _capture(self, ctx: TurnContext, call_next: CallNext) -> None:
        self.turns.append(ctx)
        await call_next()

    @property
    def turn(self) -> TurnContext:
        return self.turns[-1]

    @property
    def names(self) -> list[str]:
        return self.recorder.names

    def of(self, name: str) -> list[Any]:
        return self.recorder.of(name)

    @property
    def errors(self) -> list[Any]:
        return [event.error for event in self.of("error")]


async def ran(executor: Executor = ack, *, turn: TurnInput = TURN, **settings: Any) -> Ran:
    """Run one turn and return what came of it."""
    run = Ran(executor, **settings)
    await run.runner.run(turn)
    return run
