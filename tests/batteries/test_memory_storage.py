"""All 25 operations over memory, per session."""

from __future__ import annotations

from typing import Any

import pytest

from support.turns import Ran, add, message, ran, tool_call
from tether import Memory, Retrievable, Thought, Tokenizable, TurnInput
from tether.batteries.testing import MemoryStorage, Say, ScriptedModel

RECORDS: dict[str, Any] = {
    "message": message("x"),
    "memory": Memory(id="x", content="m", confidence=1, importance=1, created_at=0),
    "thought": Thought(id="x", content="t", created_at=0),
    "tool_call": tool_call("x"),
    "retrievable": Retrievable(id="x", content="r", trust_tier="first-party", created_at=0),
}
READ = {
    "message": "fetch_messages",
    "memory": "fetch_memories",
    "thought": "fetch_thoughts",
    "tool_call": "fetch_tool_calls",
    "retrievable": "fetch_retrievables",
}


@pytest.mark.parametrize("kind", RECORDS)
async def test_what_is_stored_is_fetched_replaced_and_forgotten(kind: str) -> None:
    run = await ran(storage=MemoryStorage())
    ctx, record = run.turn, RECORDS[kind]
    await getattr(ctx, f"store_{kind}")(record)
    assert await getattr(ctx, READ[kind])() == [record]
    await getattr(ctx, f"mutate_{kind}")(record)
    assert await getattr(ctx, READ[kind])() == [record]
    await getattr(ctx, f"delete_{kind}")("x")
    assert await getattr(ctx, READ[kind])() == []


async def test_standing_instructions_and_tools_are_kept_too() -> None:
    run = await ran(storage=MemoryStorage(tools=[add]))
    ctx = run.turn
    text = Tokenizable("Be brief.")
    await ctx.store_standing_instruction(text)
    await ctx.mutate_standing_instruction("Be kind.")
    assert [str(held) for held in await ctx.refresh_standing_instructions()] == [
        "Be brief.",
        "Be kind.",
    ]
    await ctx.delete_standing_instruction(text)
    assert [str(held) for held in await ctx.refresh_standing_instructions()] == ["Be kind."]
    assert await ctx.fetch_tools() == (add,)


async def test_sessions_are_apart_and_start_with_the_first_messages() -> None:
    storage = MemoryStorage(
        messages=[message("hello")], session_of=lambda ctx: ctx.stash.get("session")
    )
    run = Ran(ScriptedModel([[Say("Hi.")]]), storage=storage)
    await run.runner.run(TurnInput(system_prompt="", stash={"session": "a"}))
    await run.runner.run(TurnInput(system_prompt="", stash={"session": "a"}))
    await run.runner.run(TurnInput(system_prompt="", stash={"session": "b"}))
    assert len(storage.session("a").messages) == 3
    assert len(storage.session("b").messages) == 2


async def test_a_context_without_a_session_belongs_to_the_unnamed_one() -> None:
    storage = MemoryStorage(session_of=lambda ctx: ctx.stash.get("session.id"))
    await ran(ScriptedModel([[Say("Hi.")]]), storage=storage)
    assert len(storage.session().messages) == 1
