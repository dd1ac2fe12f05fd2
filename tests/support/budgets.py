"""Records that are easy to tell apart, and one way to run thrift over them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from support.turns import ack
from tether import (
    CallNext,
    DispatchContext,
    DispatchRunner,
    Memory,
    Message,
    NoopStorage,
    RawDispatch,
    Retrievable,
    Thought,
    Tokenizable,
    Tool,
    ToolCall,
)
from tether.batteries.budget.meter import Rating, carry_nothing, prompt_tokens
from tether.batteries.budget.profiles import ModelProfile
from tether.batteries.budget.thrift import REPORT_PATH, Thrift, ThriftReport
from tether.core.errors import TetherError
from tether.core.events import BudgetLedger, LogEntry
from tether.runtime.forge import offered_tools
from tether.trust.loader import load_records
from tether.trust.nonces import Nonces
from tether.trust.prompt import Prompt
from tether.trust.renderer import Renderer

START = datetime(2026, 1, 1, tzinfo=UTC)
NONCES = Nonces(b"a secret for tests", conversation="tests")  # so that counts do not vary
MODEL = ModelProfile(name="model", window=1_000_000, encoding="cl100k_base")


def at(minute: int) -> datetime:
    return START + timedelta(minutes=minute)


def question(minute: int, text: str = "What is it?", *, by: str = "user") -> Message:
    return _message(f"q{minute}", "user", minute, text, by)


def answer(minute: int, text: str = "It is this.", *, by: str = "assistant") -> Message:
    return _message(f"a{minute}", "assistant", minute, text, by)


def _message(id: str, role: Any, minute: int, text: str, by: str) -> Message:
    return Message(id=id, role=role, content=text, identity=by, created_at=at(minute))


def call(minute: int, text: str = "The result of a call.") -> ToolCall:
    return ToolCall(
        id=f"c{minute}",
        tool="look",
        args={"at": minute},
        results=Tokenizable(text),
        from_artifact_tool=True,
        created_at=at(minute),
    )


def memory(id: str, importance: float, *, confidence: float = 0.5, minute: int = 0) -> Memory:
    return Memory(
        id=id,
        content=f"Something about {id}.",
        importance=importance,
        confidence=confidence,
        created_at=at(minute),
    )


def evidence(id: str, score: float | None, text: str = "A passage of text.") -> Retrievable:
    return Retrievable(
        id=id, content=text, trust_tier="third-party-public", score=score, created_at=START
    )


def thought(minute: int, *, payload: Any = None, by: str = "assistant") -> Thought:
    return Thought(
        id=f"t{minute}",
        content=f"Let me think about {minute}.",
        identity=by,
        payload=payload,
        replay_compatibility=None if payload is None else "some-wire",
        created_at=at(minute),
    )


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """What a prompt is made from."""

    system_prompt: str | Tokenizable = "You help."
    standing_instructions: tuple[str, ...] = ()
    messages: tuple[Message, ...] = ()
    memories: tuple[Memory, ...] = ()
    retrievables: tuple[Retrievable, ...] = ()
    thoughts: tuple[Thought, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    tools: tuple[Tool, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Assembled:
    """What came of it: the report, the ledger, what is left, and its tokens counted afresh."""

    ctx: DispatchContext
    report: ThriftReport
    ledger: BudgetLedger
    error: Exception | None
    logs: tuple[LogEntry, ...]
    prompt: Prompt
    offered: tuple[Tool, ...]
    kept: frozenset[str]

    @property
    def tokens(self) -> dict[str, int]:
        return prompt_tokens(self.prompt, self.report.encoding, self.offered)

    @property
    def total(self) -> int:
        return sum(self.tokens.values())


def kept_in(ctx: DispatchContext) -> frozenset[str]:
    """Return the ids of the records that are left."""
    held: list[Iterable[Any]] = [
        ctx.turn_messages,
        ctx.turn_memories,
        ctx.turn_retrievables,
        ctx.turn_thoughts,
        ctx.turn_tool_calls,
    ]
    return frozenset(record.id for records in held for record in records)


async def assemble(
    prepared: Prepared,
    *,
    window: int = MODEL.window,
    reserve: int | None = 0,
    profile: ModelProfile = MODEL,
    renderer: dict[str, Any] | None = None,
    **settings: Any,
) -> Assembled:
    """Run thrift in the input pipeline of a dispatch."""
    settings = {"on_refusal": "report", **settings}
    made = Renderer(nonces=NONCES, **(renderer or {}))
    thrift = Thrift(profile, window=window, reserve=reserve, renderer=made, **settings)
    contexts: list[DispatchContext] = []
    offered: list[Tool] = []
    ledgers: list[BudgetLedger] = []
    logs: list[LogEntry] = []
    error: Exception | None = None

    async def capture(ctx: DispatchContext, call_next: CallNext) -> None:
        contexts.append(ctx)
        await call_next()
        offered.extend(offered_tools(ctx))  # what is forged for a dispatch goes with its end

    raw = RawDispatch(
        storage=NoopStorage(),
        **{name: getattr(prepared, name) for name in Prepared.__dataclass_fields__},
    )
    try:
        await DispatchRunner.dispatch(
            executor=ack,
            raw=raw,
            input_pipeline=[capture, thrift],
            observers={"budget": ledgers.append, "log": logs.append},
        )
    except TetherError as caught:
        error = caught
    (ctx,) = contexts
    (ledger,) = ledgers
    records = await load_records(ctx, carries=carry_nothing, encoding=profile.encoding)
    records = Rating(lambda media: True, lambda records: 0).rated(records)
    prompt = Renderer(nonces=NONCES, **(renderer or {})).render(records, turn_id=ctx.turn_id)
    return Assembled(
        ctx=ctx,
        report=ctx.stash.get(REPORT_PATH),
        ledger=ledger,
        error=error,
        logs=tuple(logs),
        prompt=prompt,
        offered=tuple(offered),
        kept=kept_in(ctx) | {tool.name for tool in offered},
    )


async def order_of_shedding(prepared: Prepared, **settings: Any) -> list[set[str]]:
    """Make the window smaller, one step at a time, and return what goes at each step."""
    run = await assemble(prepared, **settings)
    steps: list[set[str]] = []
    while not run.report.refused:
        smaller = await assemble(prepared, window=run.report.after - 1, **settings)
        if gone := set(run.kept - smaller.kept):
            steps.append(gone)
        run = smaller
    return steps
