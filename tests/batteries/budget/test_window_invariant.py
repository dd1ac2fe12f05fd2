"""Invariants for any mix of records and any window."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.budgets import (
    Assembled,
    Prepared,
    answer,
    assemble,
    call,
    evidence,
    memory,
    question,
    thought,
)
from tether import tool
from tether.batteries.budget import ModelProfile
from tether.trust.prompt import BUCKETS

pytestmark = pytest.mark.unmeasured

SHARES = (
    "system",
    "tools",
    "history",
    "memories",
    "evidence",
    "question",
    "reserved_output",
    "free",
)


@tool
async def look(at: int) -> str:
    """Look at something."""
    return str(at)


@tool(meta={"planned": True})
async def plan(goal: str) -> str:
    """Plan towards a goal."""
    return goal


TEXTS = st.one_of(
    st.sampled_from(
        ["No.", "word " * 30, "a" * 80, "ü😀" * 20, "\n\n", "}\n}\n}\n", "123 456 789"]
    ),
    st.text(min_size=1, max_size=40),
).filter(str.strip)
MINUTES = st.integers(0, 30)
SPEAKERS = st.sampled_from(["user", "assistant", "control", "nudge", "summary"])
SCORES = st.one_of(st.none(), st.floats(0, 1))


def some(strategy: st.SearchStrategy[Any], most: int = 5) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(strategy, max_size=most).map(tuple)


PREPARED = st.builds(
    Prepared,
    system_prompt=st.sampled_from(["", "You help.", "You help. " * 30]),
    standing_instructions=some(TEXTS, 2),
    messages=some(
        st.one_of(
            st.builds(question, MINUTES, TEXTS, by=SPEAKERS),
            st.builds(answer, MINUTES, TEXTS, by=SPEAKERS),
        ),
        8,
    ),
    memories=some(st.builds(memory, st.sampled_from("klmn"), st.floats(0, 1))),
    retrievables=some(st.builds(evidence, st.sampled_from("efgh"), SCORES, TEXTS)),
    thoughts=some(st.builds(thought, MINUTES, payload=st.sampled_from([None, None, {"x": 1}]))),
    tool_calls=some(st.builds(call, MINUTES, TEXTS)),
    tools=st.sampled_from([(), (look,), (look, plan)]),
)
SETTINGS = st.fixed_dictionaries(
    {
        "thought_surfacing": st.sampled_from(["all-self", "latest-self", "all"]),
        "bucket_order": st.sampled_from([BUCKETS, BUCKETS[::-1], ("timeline",)]),
        "question_buckets": st.sampled_from([(), ("retrievables",), ("memories", "retrievables")]),
    }
)
RESERVES = st.one_of(st.none(), st.integers(0, 900))
ENCODINGS = st.sampled_from(["cl100k_base", "claude", "bytes"])


def model(encoding: str) -> ModelProfile:
    return ModelProfile(name="model", window=1_000_000, encoding=encoding)


def held(run: Assembled) -> set[int]:
    """Return the remaining records, object by object: ids may be equal."""
    ctx = run.ctx
    records = (
        ctx.turn_messages,
        ctx.turn_memories,
        ctx.turn_retrievables,
        ctx.turn_thoughts,
        ctx.turn_tool_calls,
        ctx.tools.visible(),
    )
    return {id(record) for collection in records for record in collection}


@given(
    PREPARED, st.integers(1, 3_000), st.one_of(st.none(), st.integers(0, 900)), SETTINGS, ENCODINGS
)
@settings(max_examples=60)
async def test_what_is_not_refused_fits_and_every_ledger_sums_to_its_window(
    prepared: Prepared, window: int, reserve: int | None, renderer: dict[str, Any], encoding: str
) -> None:
    run = await assemble(
        prepared, window=window, reserve=reserve, renderer=renderer, profile=model(encoding)
    )
    report, ledger = run.report, run.ledger
    assert report.after == run.total  # counted again, from the context's records now
    assert report.refused == (run.total > window - report.reserve)
    assert sum(getattr(ledger, name) for name in SHARES) == ledger.window == window
    assert min(getattr(ledger, name) for name in SHARES[:-1]) >= 0
    assert (ledger.free < 0) == ledger.refused == report.refused
    assert report.anything_shed or report.before == report.after


@given(PREPARED, st.integers(0, 2_000), st.integers(1, 800), SETTINGS, ENCODINGS)
@settings(max_examples=60)
async def test_a_smaller_window_never_keeps_what_a_larger_one_sheds(
    prepared: Prepared, window: int, less: int, renderer: dict[str, Any], encoding: str
) -> None:
    profile = model(encoding)
    larger = await assemble(prepared, window=window + less, renderer=renderer, profile=profile)
    smaller = await assemble(prepared, window=window or 1, renderer=renderer, profile=profile)
    again = await assemble(prepared, window=window or 1, renderer=renderer, profile=profile)
    assert held(smaller) == held(again)
    assert smaller.report == again.report
    assert held(smaller) <= held(larger)


@given(PREPARED, SETTINGS)
@settings(max_examples=60)
async def test_the_floor_is_never_shed(prepared: Prepared, renderer: dict[str, Any]) -> None:
    run = await assemble(prepared, window=1, renderer=renderer)
    said = [
        message
        for message in sorted(prepared.messages, key=lambda message: message.created_at)
        if message.identity.identifier in ("user", "assistant")
    ]
    asked = [message for message in said if message.role == "user"]
    summaries = [m for m in prepared.messages if m.identity.identifier == "summary"]
    nudges = [m for m in prepared.messages if m.identity.identifier == "nudge"]
    latest_calls = sorted(prepared.tool_calls, key=lambda made: made.created_at)
    floor: list[Any] = [*asked[-1:], *said[-1:], *summaries]
    floor += [it for it in prepared.thoughts if it.payload is not None]
    if nudges:
        assert any(nudge in run.ctx.turn_messages for nudge in nudges)
    if latest_calls and (not asked or latest_calls[-1].created_at >= asked[-1].created_at):
        floor.append(latest_calls[-1])
    assert {id(record) for record in floor} <= held(run)
    assert str(run.ctx.system_prompt) == prepared.system_prompt
    assert len(run.ctx.standing_instructions) == len(prepared.standing_instructions)


@pytest.mark.parametrize("encoding", ["cl100k_base", "claude"])
async def test_as_little_as_possible_is_shed(encoding: str) -> None:
    prepared = Prepared(
        messages=tuple(question(minute, "word " * minute) for minute in range(1, 9)),
        memories=tuple(memory(f"m{n}", n / 20) for n in range(8)),
        retrievables=tuple(evidence(f"e{n}", n / 20, "text " * n) for n in range(1, 9)),
    )
    profile = model(encoding)
    run = await assemble(prepared, profile=profile)
    while not run.report.refused:
        exact = await assemble(prepared, profile=profile, window=run.report.after)
        assert held(exact) == held(run)  # a window of just that size keeps all of it
        run = await assemble(prepared, profile=profile, window=run.report.after - 1)
