"""The order of shedding, and the parts that are never shed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from support.budgets import (
    START,
    Prepared,
    answer,
    assemble,
    at,
    call,
    evidence,
    memory,
    order_of_shedding,
    question,
    thought,
)
from tether import (
    Message,
    Retrievable,
    SpooledArtifact,
    TextSpool,
    Thought,
    Tokenizable,
    Tool,
    ToolCall,
    tool,
)
from tether.batteries.budget import SheddingPolicy, least_relevant_first


@tool
async def look(at: int) -> str:
    """Look at something."""
    return str(at)


@tool
async def search(words: str) -> str:
    """Search for words."""
    return words


@tool(meta={"planned": True})
async def plan(goal: str) -> str:
    """Plan towards a goal."""
    return goal


TALK = (question(1), answer(2), question(10), answer(11), question(20))


async def test_results_of_earlier_turns_go_first_and_this_turn_keeps_its_newest_three() -> None:
    calls = tuple(call(minute) for minute in (12, 3, 21, 22, 23, 24, 25))
    steps = await order_of_shedding(
        Prepared(messages=TALK, tool_calls=calls, retrievables=(evidence("e", 0.1),))
    )
    assert steps[:5] == [{"c3"}, {"c12"}, {"c21"}, {"c22"}, {"e"}]


async def test_the_very_newest_result_is_kept_to_the_end() -> None:
    calls = tuple(call(minute) for minute in (21, 22, 23))
    steps = await order_of_shedding(Prepared(messages=TALK, tool_calls=calls, tools=(look,)))
    assert steps == [{"q1", "a2"}, {"q10", "a11"}, {"c21"}, {"c22"}, {"look"}]


async def test_without_a_question_all_calls_are_of_this_turn() -> None:
    calls = tuple(call(minute) for minute in range(1, 6))
    steps = await order_of_shedding(Prepared(tool_calls=calls))
    assert steps == [{"c1"}, {"c2"}, {"c3"}, {"c4"}]


async def test_a_call_at_the_moment_of_the_question_is_of_this_turn() -> None:
    steps = await order_of_shedding(Prepared(messages=(question(5),), tool_calls=(call(5),)))
    assert steps == []


async def test_evidence_then_memories_then_control_messages_then_turns() -> None:
    prepared = Prepared(
        messages=(*TALK, answer(5, "Be brief.", by="control")),
        memories=(memory("m", 0.9),),
        retrievables=(evidence("e", 0.9),),
    )
    steps = await order_of_shedding(prepared)
    assert steps == [{"e"}, {"m"}, {"a5"}, {"q1", "a2"}, {"q10", "a11"}]


async def test_the_lowest_score_goes_first_and_of_equal_ones_the_later() -> None:
    found = (evidence("a", 0.2), evidence("b", 0.9), evidence("c", 0.2), evidence("d", 0.0))
    steps = await order_of_shedding(Prepared(retrievables=found))
    assert steps == [{"d"}, {"c"}, {"a"}, {"b"}]


async def test_where_a_score_is_missing_the_last_rank_goes_first() -> None:
    found = (evidence("a", None), evidence("b", 0.1), evidence("c", 0.9))
    steps = await order_of_shedding(Prepared(retrievables=found))
    assert steps == [{"c"}, {"b"}, {"a"}]


async def test_unimportant_memories_go_first_then_uncertain_ones_then_old_ones() -> None:
    memories = (
        memory("weighty", 0.9),
        memory("new", 0.1, minute=9),
        memory("old", 0.1, minute=1),
        memory("sure", 0.1, confidence=0.9),
        memory("unsure", 0.1, confidence=0.1),
    )
    steps = await order_of_shedding(Prepared(memories=memories))
    assert steps == [{"unsure"}, {"old"}, {"new"}, {"sure"}, {"weighty"}]


async def test_the_newest_nudge_is_kept_and_older_ones_are_stale() -> None:
    nudges = tuple(question(minute, "Try again.", by="nudge") for minute in (21, 23, 22))
    steps = await order_of_shedding(Prepared(messages=(*TALK, *nudges)))
    assert steps == [{"q21"}, {"q22"}, {"q1", "a2"}, {"q10", "a11"}]


async def test_a_nudge_may_be_a_thought_and_then_no_message_is_the_newest() -> None:
    prepared = Prepared(
        messages=(*TALK, question(21, "Try again.", by="nudge")),
        thoughts=(thought(22, by="nudge"), thought(21)),
    )
    run = await assemble(prepared, window=1, renderer={"thought_surfacing": "all"})
    assert run.kept == {"q20", "t22"}


async def test_a_summary_is_never_shed() -> None:
    summary = answer(0, "They talked about this and that.", by="summary")
    run = await assemble(Prepared(messages=(summary, *TALK)), window=1)
    assert run.report.refused
    assert run.kept == {"a0", "q20"}


async def test_thoughts_go_oldest_first_and_protected_ones_never_even_before_a_refusal() -> None:
    thoughts = (thought(22), thought(21), thought(23, payload={"signature": "x"}))
    prepared = Prepared(messages=(question(20),), thoughts=thoughts)
    assert await order_of_shedding(prepared) == [{"t21"}, {"t22"}]
    floor = await assemble(prepared, window=1)
    assert floor.report.refused
    assert floor.kept == {"q20", "t23"}
    assert not (await assemble(prepared, window=floor.report.after)).report.refused


async def test_a_thought_that_would_surface_goes_with_the_one_that_hid_it() -> None:
    thoughts = (thought(21), thought(22), thought(23))
    settings = {"thought_surfacing": "latest-self"}
    prepared = Prepared(messages=(question(20),), thoughts=thoughts)
    assert await order_of_shedding(prepared, renderer=settings) == [{"t21", "t22", "t23"}]


async def test_what_is_not_shown_is_not_shed() -> None:
    prepared = Prepared(
        messages=TALK, memories=(memory("m", 0.1),), thoughts=(thought(5, by="somebody else"),)
    )
    order = {"bucket_order": ("standing_instructions", "retrievables", "timeline")}
    run = await assemble(prepared, window=1, renderer=order)
    assert run.kept == {"m", "t5", "q20"}
    assert run.report.shed == {"turns": 2}


async def test_tools_are_the_last_resort_and_planned_ones_the_very_last() -> None:
    prepared = Prepared(messages=TALK[:3], tools=(plan, look, search))
    steps = await order_of_shedding(prepared)
    assert steps == [{"q1", "a2"}, {"search"}, {"look"}, {"plan"}]


async def test_a_hidden_tool_can_still_be_called() -> None:
    run = await assemble(Prepared(messages=TALK, tools=(look,)), window=1)
    assert run.ctx.tools.visible() == []
    assert run.ctx.tools.get("look") is look


async def test_system_prompt_and_standing_instructions_are_counted_and_never_shed() -> None:
    prepared = Prepared(
        system_prompt="You help. " * 50,
        standing_instructions=("Be kind. " * 40,),
        messages=(question(1),),
    )
    run = await assemble(prepared, window=1)
    assert run.report.refused
    assert run.tokens["system_prompt"] > 100
    assert run.tokens["standing_instructions"] > 80
    assert run.report.after == run.total


async def test_a_dynamic_system_prompt_is_counted_at_its_resolved_size() -> None:
    long = Tokenizable(lambda ctx: "word " * 500)
    run = await assemble(Prepared(system_prompt=long))
    assert run.report.per_bucket["system_prompt"] > 490


async def test_a_record_with_a_dynamic_text_is_shed_too() -> None:
    said = Message(
        id="q1",
        role="user",
        content=Tokenizable(lambda ctx: "word " * 100),
        created_at="2026-01-01T00:00:00Z",
    )
    run = await assemble(Prepared(messages=(said, question(20))), window=1)
    assert run.kept == {"q20"}


async def test_answers_before_the_first_question_are_a_turn_of_their_own() -> None:
    steps = await order_of_shedding(Prepared(messages=(answer(1), answer(2), question(3))))
    assert steps == [{"a1", "a2"}]


async def test_the_newest_turn_is_kept_whole() -> None:
    run = await assemble(Prepared(messages=(*TALK, answer(21), answer(22))), window=1)
    assert run.kept == {"q20", "a21", "a22"}


async def test_an_order_of_turns_can_be_given() -> None:
    def last_first(turns: Sequence[tuple[Message, ...]]) -> Sequence[tuple[Message, ...]]:
        return turns[::-1]

    policy = SheddingPolicy(turn_order=last_first)
    steps = await order_of_shedding(Prepared(messages=TALK), policy=policy)
    assert steps == [{"q10", "a11"}, {"q1", "a2"}]


async def test_an_old_but_relevant_turn_outlives_a_younger_one() -> None:
    def relevance(turn: tuple[Message, ...]) -> float:
        return 0.9 if turn[0].id == "q1" else 0.0

    policy = SheddingPolicy(turn_order=least_relevant_first(relevance, always=1))
    messages = (question(1), question(2), question(3), question(4), question(20))
    steps = await order_of_shedding(Prepared(messages=messages), policy=policy)
    assert steps == [{"q2"}, {"q3"}, {"q1"}, {"q4"}]


async def test_every_predicate_can_be_replaced() -> None:
    def named(*ids: str) -> object:
        return lambda record: getattr(record, "id", getattr(record, "name", "")) in ids

    policy = SheddingPolicy(
        summary=named("a2"),  # type: ignore[arg-type]  # one function for all records
        control=named("a11"),  # type: ignore[arg-type]
        nudge=named("t22"),  # type: ignore[arg-type]
        protected=named("t21"),  # type: ignore[arg-type]
        planned=named("look"),  # type: ignore[arg-type]
    )
    prepared = Prepared(
        messages=TALK, thoughts=(thought(21), thought(22), thought(23)), tools=(look, search)
    )
    steps = await order_of_shedding(prepared, policy=policy)
    assert steps == [{"a11"}, {"q1"}, {"q10"}, {"t23"}, {"search"}, {"look"}]
    assert isinstance(look, Tool)


async def test_a_thought_that_hides_a_larger_protected_one_is_kept() -> None:
    large = Thought(
        id="large",
        content="x",
        identity="assistant",
        payload={"blob": "z " * 800},
        replay_compatibility="wire",
        created_at=at(1),
    )
    settings = {"thought_surfacing": "latest-self", "replay_compatibility": ("wire",)}
    prepared = Prepared(messages=(question(10),), thoughts=(large, thought(9)), tools=(look,))
    assert await order_of_shedding(prepared, renderer=settings) == [{"look"}]
    floor = await assemble(prepared, window=1, renderer=settings)
    assert floor.kept == {"q10", "large", "t9"}  # and it is as small as it can be
    assert not (
        await assemble(prepared, window=floor.report.after, renderer=settings)
    ).report.refused


async def test_a_thought_that_hides_a_smaller_protected_one_is_shed() -> None:
    small = Thought(
        id="small",
        content="x",
        identity="assistant",
        payload={"s": 1},
        replay_compatibility="wire",
        created_at=at(1),
    )
    long = Thought(id="long", content="word " * 300, identity="assistant", created_at=at(9))
    settings = {"thought_surfacing": "latest-self", "replay_compatibility": ("wire",)}
    prepared = Prepared(messages=(question(10),), thoughts=(small, long))
    assert await order_of_shedding(prepared, renderer=settings) == [{"long"}]


def artifact(id: str, minute: int, *, inline: bool = True, lines: int = 20) -> ToolCall:
    return ToolCall(
        id=id,
        tool="look",
        args={"at": minute},
        results=SpooledArtifact(TextSpool("A line of text.\n" * lines)),
        inline=inline,
        created_at=at(minute),
    )


READERS = {"artifact_head", "artifact_tail", "artifact_grep", "artifact_cat"}


async def test_tools_that_read_handles_go_with_the_last_of_these_before_any_evidence() -> None:
    handles = (artifact("first", 3, inline=False), artifact("second", 4, inline=False))
    prepared = Prepared(
        messages=TALK, tool_calls=handles, retrievables=(evidence("e", 0.9),), tools=(look,)
    )
    steps = await order_of_shedding(prepared)
    assert steps[0] == {"first"}
    assert steps[1] > {"second"} | READERS
    assert steps[2] == {"e"}
    assert steps[-1] == {"look"}
    floor = await assemble(prepared, window=1)
    assert floor.report.shed == {"tool_results": 2, "evidence": 1, "turns": 2, "tools": 1}


async def test_offered_evidence_takes_its_readers_along() -> None:
    offered = Retrievable(
        id="e",
        content=SpooledArtifact(TextSpool("A line.\n" * 20)),
        inline=False,
        trust_tier="first-party",
        score=0.5,
        created_at=START,
    )
    prepared = Prepared(messages=TALK, retrievables=(offered,), memories=(memory("m", 0.1),))
    steps = await order_of_shedding(prepared)
    assert steps[0] > {"e"} | READERS
    assert steps[1] == {"m"}


async def test_evidence_outranks_the_tools_that_read_a_handle_and_old_results() -> None:
    calls = (call(3), artifact("newest", 21, inline=False, lines=5_000))
    prepared = Prepared(
        messages=TALK,
        tool_calls=calls,
        retrievables=(evidence("e", 0.9),),
        tools=(plan, look, search),
    )
    steps = await order_of_shedding(prepared)
    assert steps[0] == {"c3"}
    assert {name for step in steps[1:8] for name in step} > READERS
    assert steps[8] == {"e"}
    assert steps[-3:] == [{"search"}, {"look"}, {"plan"}]


async def test_readers_of_offered_evidence_and_of_the_newest_result_outlast_the_records() -> None:
    offered = Retrievable(
        id="e",
        content=SpooledArtifact(TextSpool("A line.\n" * 20)),
        inline=False,
        trust_tier="first-party",
        score=0.5,
        created_at=START,
    )
    calls = (artifact("newest", 21, inline=False, lines=5_000),)
    prepared = Prepared(messages=TALK, tool_calls=calls, retrievables=(offered,), tools=(look,))
    steps = await order_of_shedding(prepared)
    assert steps[0] == {"e"}
    assert {name for step in steps[-8:-1] for name in step} > READERS
    assert steps[-1] == {"look"}


async def test_a_result_that_is_shown_whole_has_no_readers_in_the_prompt() -> None:
    prepared = Prepared(messages=TALK, tool_calls=(artifact("newest", 21),), tools=(look,))
    steps = await order_of_shedding(prepared)
    assert steps[-1] == {"look"}
    assert not READERS & {name for step in steps for name in step}
    shown = await assemble(prepared)
    without = await assemble(Prepared(messages=TALK, tools=(look,)))
    assert shown.report.per_bucket["tools"] == without.report.per_bucket["tools"]


def passage(score: float, text: str | Tokenizable) -> Retrievable:
    return Retrievable(
        id="e", content=text, trust_tier="third-party-public", score=score, created_at=START
    )


async def test_of_two_records_with_one_id_the_right_one_is_shed() -> None:
    empty = passage(0.0, Tokenizable(lambda ctx: ""))
    bad = passage(0.1, Tokenizable(lambda ctx: "bad " * 50))
    middling = passage(0.5, Tokenizable(lambda ctx: "middling " * 50))
    good = passage(0.9, "good " * 50)
    prepared = Prepared(messages=(question(1),), retrievables=(good, empty, middling, bad))
    whole = await assemble(prepared)
    run = await assemble(prepared, window=whole.report.after - 1)
    assert bad not in run.ctx.turn_retrievables
    assert {good, middling} <= set(run.ctx.turn_retrievables)
    assert run.report.after == run.total


async def test_a_text_that_takes_its_own_record_away_is_no_failure() -> None:
    def vanish(ctx: Any) -> str:
        ctx.turn_messages.discard(vanishing)
        return "word " * 100

    vanishing = Message(id="q1", role="user", content=Tokenizable(vanish), created_at=at(1))
    run = await assemble(Prepared(messages=(vanishing, question(20))), window=1)
    assert run.kept == {"q20"}


async def test_a_peer_that_speaks_as_a_user_is_not_the_newest_question() -> None:
    peer = question(30, "What about that?", by="somebody's agent")
    messages = (question(1), answer(2), question(10, "A question."), answer(11), peer)
    run = await assemble(Prepared(messages=messages, tool_calls=(call(12),)), window=1)
    assert run.kept == {"q10", "a11", "q30", "c12"}
    assert run.report.shed == {"turns": 1}


async def test_where_nobody_has_the_usual_name_all_users_ask() -> None:
    messages = tuple(question(minute, by="Ada") for minute in (1, 2, 3))
    run = await assemble(Prepared(messages=messages), window=1)
    assert run.kept == {"q3"}
    named = SheddingPolicy(question=lambda message: message.id == "q1")
    run = await assemble(Prepared(messages=messages), window=1, policy=named)
    assert run.kept == {"q1", "q3"}
