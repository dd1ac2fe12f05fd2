"""Thrift in the pipelines: its report, its ledger, and how it refuses."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from support.budgets import (
    MODEL,
    Prepared,
    answer,
    assemble,
    at,
    call,
    evidence,
    memory,
    question,
    thought,
)
from support.turns import TURN, Ran, ran
from tether import (
    CallNext,
    Context,
    DispatchContext,
    Helpers,
    Media,
    Message,
    Tokenizable,
    ToolCall,
    tool,
)
from tether.batteries.budget import ModelProfile, ModelProfiles, Thrift
from tether.batteries.budget.errors import InvalidBudget, ModelContextOverflow
from tether.batteries.budget.thrift import REPORT_PATH
from tether.batteries.testing import Call, MemoryStorage, Say, ScriptedModel
from tether.runtime.errors import InputPipelineError
from tether.trust.renderer import Renderer

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
SMALL = ModelProfile(name="small", window=2_000, encoding="cl100k_base")


@tool
async def look(at: int) -> str:
    """Look at something."""
    return "Something large. " * 60


def talk(turns: int, text: str = "This and that. " * 20) -> tuple[Message, ...]:
    pairs = [(question(2 * i, text), answer(2 * i + 1, text)) for i in range(turns)]
    return (*(message for pair in pairs for message in pair), question(2 * turns))


async def test_where_everything_fits_nothing_is_shed_and_the_report_says_so() -> None:
    run = await assemble(Prepared(messages=talk(3)), reserve=None)
    report = run.report
    assert not report.anything_shed
    assert not report.refused
    assert report.before == report.after == run.total
    assert report.shed == {}
    assert len(run.kept) == 7


async def test_what_is_shed_is_counted_by_kind() -> None:
    prepared = Prepared(
        messages=(*talk(2), answer(9, by="control")),
        memories=(memory("m", 0.1),),
        retrievables=(evidence("e", 0.1), evidence("f", 0.2)),
        thoughts=(thought(9),),
        tool_calls=(call(1),),
        tools=(look,),
    )
    run = await assemble(prepared, window=1)
    assert run.report.anything_shed
    assert run.report.shed == {
        "tool_results": 1,
        "evidence": 2,
        "memories": 1,
        "control": 1,
        "turns": 2,
        "thoughts": 1,
        "tools": 1,
    }
    assert run.ledger.shed == run.report.shed
    assert run.report.after < run.report.before


async def test_the_ledger_says_where_the_tokens_are() -> None:
    prepared = Prepared(
        standing_instructions=("Be kind.",),
        messages=talk(1),
        memories=(memory("m", 0.1),),
        retrievables=(evidence("e", 0.1),),
        tools=(look,),
    )
    run = await assemble(prepared, window=5_000, reserve=1_000)
    ledger = run.ledger
    assert ledger.system == run.tokens["system_prompt"] + run.tokens["standing_instructions"]
    assert ledger.tools == run.tokens["tools"] > 0
    assert ledger.memories == run.tokens["memories"] > 0
    assert ledger.evidence == run.tokens["retrievables"] > 0
    assert ledger.history + ledger.question == run.tokens["timeline"]
    assert 0 < ledger.question < ledger.history
    assert (ledger.window, ledger.reserved_output) == (5_000, 1_000)
    assert ledger.free == 4_000 - run.total
    assert (ledger.model, ledger.encoding, ledger.estimated) == ("model", "cl100k_base", False)
    assert (ledger.dispatch_id, ledger.iteration) == (run.ctx.id, 0)
    assert not ledger.refused


async def test_a_refusal_has_a_ledger_too_and_its_shares_still_sum_to_the_window() -> None:
    run = await assemble(Prepared(messages=talk(1)), window=10, reserve=None)
    ledger = run.ledger
    assert ledger.refused
    assert ledger.free < 0
    assert ledger.reserved_output == 768
    assert sum(shares(ledger)) == 10


def shares(ledger: Any) -> list[int]:
    return [getattr(ledger, name) for name in SHARES]


async def test_without_a_question_its_share_is_nothing() -> None:
    run = await assemble(Prepared())
    assert run.ledger.question == 0
    assert sum(shares(run.ledger)) == MODEL.window


async def test_the_reserve_is_a_quarter_of_the_window_and_never_less_than_768() -> None:
    assert (await assemble(Prepared(), window=1_000, reserve=None)).report.reserve == 768
    assert (await assemble(Prepared(), window=8_000, reserve=None)).report.reserve == 2_000


async def test_what_a_provider_takes_no_input_for_is_reserved_too() -> None:
    profile = ModelProfile(name="split", window=10_000, max_input=4_000, encoding="claude")
    whole = await assemble(Prepared(), profile=profile, window=10_000, reserve=None)
    assert whole.report.limit == 4_000
    narrow = await assemble(Prepared(), profile=profile, window=4_000, reserve=10)
    assert narrow.report.limit == 3_990
    wide = await assemble(Prepared(), profile=profile, window=10_000, reserve=10)
    assert wide.report.limit == 4_000


async def test_a_window_beyond_the_models_is_the_models() -> None:
    run = await assemble(Prepared(), profile=SMALL, window=9_000)
    assert run.report.window == 2_000


async def test_an_estimate_is_flagged_and_an_unknown_model_is_spoken_of() -> None:
    unknown = ModelProfiles.load().find("nobody-knows")
    run = await assemble(Prepared(messages=talk(1)), profile=unknown, window=4_096)
    assert run.report.estimated
    assert run.ledger.estimated
    assert not run.report.known_model
    assert run.report.after == run.total


async def fill(ctx: Context, call_next: CallNext) -> None:
    for message in await ctx.fetch_messages():
        ctx.turn_messages.add(message)
    await call_next()


async def test_in_a_turn_the_dispatch_sees_what_is_left_and_storage_keeps_everything() -> None:
    storage = MemoryStorage(messages=talk(20))
    seen: list[int] = []

    async def executor(ctx: DispatchContext, helpers: Helpers) -> None:
        seen.append(len(ctx.turn_messages))
        ctx.ack()

    run = await ran(executor, storage=storage, turn_input_pipeline=[fill, Thrift(SMALL)])
    (ledger,) = run.of("budget")
    assert (ledger.dispatch_id, ledger.iteration) == (None, None)
    assert seen == [len(run.turn.turn_messages)]
    assert 1 < seen[0] < 41
    assert run.turn.stash.get(REPORT_PATH).shed == ledger.shed
    assert len(await storage.fetch_messages(run.turn)) == 41


async def test_in_a_dispatch_every_iteration_is_made_to_fit() -> None:
    script = [[Call("look", {"at": number})] for number in range(9)]
    run = await ran(
        ScriptedModel([*script, [Say("Done.")]]),
        tools=[look],
        dispatch_input_pipeline=[Thrift(SMALL)],
        storage=MemoryStorage(),
    )
    ledgers = run.of("budget")
    assert [ledger.iteration for ledger in ledgers] == list(range(10))
    assert all(ledger.free >= 0 for ledger in ledgers)
    assert "tool_results" in ledgers[-1].shed
    assert run.of("dispatch_end")[0].status == "ack"


async def test_in_a_turn_a_refusal_is_raised_before_any_model_is_asked() -> None:
    storage = MemoryStorage(messages=[question(1, "word " * 5_000)])
    asked: list[str] = []

    async def executor(ctx: DispatchContext, helpers: Helpers) -> None:
        asked.append(ctx.id)
        ctx.ack()

    run = Ran(executor, storage=storage, turn_input_pipeline=[fill, Thrift(SMALL)])
    await run.runner.run(TURN)
    (error,) = run.errors
    assert isinstance(error, InputPipelineError)
    assert isinstance(error.__cause__, ModelContextOverflow)
    assert error.__cause__.per_bucket["timeline"] > 5_000
    assert asked == []
    assert run.of("budget")[0].refused


async def test_in_a_dispatch_a_refusal_is_a_nack() -> None:
    run = await assemble(Prepared(messages=talk(1)), window=10, on_refusal="stop")
    assert isinstance(run.error, ModelContextOverflow)
    assert run.error.total == run.report.after
    assert run.error.limit == 10
    assert run.error.encoding == "cl100k_base"


async def test_a_dispatch_that_was_signalled_before_is_not_signalled_again() -> None:
    async def give_up(ctx: DispatchContext, call_next: CallNext) -> None:
        ctx.ack()
        await call_next()

    tiny = Thrift(SMALL, window=1)
    run = await ran(dispatch_input_pipeline=[give_up, tiny])
    assert run.errors == []


async def test_a_refusal_can_be_left_to_the_executor() -> None:
    run = await assemble(Prepared(messages=talk(1)), window=10, on_refusal="report")
    assert run.report.refused
    assert run.error is None
    assert [log.kind for log in run.logs] == ["prompt-does-not-fit"]
    assert "10 are allowed" in run.logs[0].message


async def test_a_model_that_nobody_knows_is_logged_once_per_dispatch() -> None:
    unknown = ModelProfile(name="nobody", window=4_096, known=False)
    run = await ran(
        ScriptedModel([[Call("look", {"at": 1})], [Say("Done.")]]),
        tools=[look],
        turn_input_pipeline=[Thrift(unknown)],
        dispatch_input_pipeline=[Thrift(unknown)],
        storage=MemoryStorage(),
    )
    (entry,) = run.of("log")
    assert (entry.level, entry.kind) == ("warn", "unknown-model")
    assert "'nobody'" in entry.message
    assert [ledger.known_model for ledger in run.of("budget")] == [False] * 3  # in the turn too


@pytest.mark.parametrize(
    ("settings", "path"),
    [
        ({"window": 0}, "window"),
        ({"window": -1}, "window"),
        ({"window": float("nan")}, "window"),
        ({"window": True}, "window"),
        ({"reserve": -1}, "reserve"),
        ({"reserve": float("nan")}, "reserve"),
        ({"carries": True}, "carries"),
        ({"on_refusal": "shrug"}, "on_refusal"),
    ],
)
def test_settings_that_are_no_budget_are_refused(settings: dict[str, Any], path: str) -> None:
    with pytest.raises(InvalidBudget) as caught:
        Thrift(MODEL, **settings)
    assert [problem.path for problem in caught.value.problems] == [path]


def test_a_profile_is_needed() -> None:
    wrong: Any = "gpt-4o"
    with pytest.raises(InvalidBudget, match="profile"):
        Thrift(wrong)


async def test_one_token_is_refused_as_a_value() -> None:
    run = await assemble(Prepared(messages=(question(1),)), window=1, reserve=None)
    assert run.report.refused
    assert run.kept == {"q1"}


async def test_results_that_wait_in_an_artifact_are_read_and_counted() -> None:
    prepared = Prepared(tool_calls=(call(1, "word " * 700),))
    assert (await assemble(prepared)).tokens["timeline"] > 700


async def test_a_text_that_comes_out_empty_is_neither_counted_nor_shed() -> None:
    silent = Message(
        id="silent",
        role="user",
        content=Tokenizable(lambda ctx: ""),
        created_at=at(0),
    )
    run = await assemble(Prepared(messages=(silent, question(1))), window=1)
    assert run.kept == {"silent", "q1"}


class Unreadable:
    """A reader whose bytes are gone, and which may know how many there were."""

    def stream(self) -> AsyncIterator[bytes]:
        raise OSError("the asset is gone")


class Measured(Unreadable):
    def __init__(self, size: int) -> None:
        self._size = size

    def byte_length(self) -> int:
        return self._size


class Failing(Unreadable):
    def byte_length(self) -> int:
        raise OSError("the asset is gone")


def asset(kind: Any, reader: Any, transcript: str = "") -> Media:
    return Media(
        kind=kind,
        mime_type="a/b",
        filename="f",
        reader=reader,
        trust_tier="first-party",
        modality_hazard="inert",
        stash={"text:transcript": {"value": transcript, "trust_tier": "first-party"}},
    )


async def timeline_with(media: Media, policy: Any, **settings: Any) -> int:
    """Return the cost of an attachment, and of the same asset as a result."""
    shown = Message(id="q1", role="user", attachments=[media], created_at=at(1))
    made = ToolCall(id="c", tool="look", args={}, results=[media], created_at=at(2))

    async def fill_in(ctx: Context, call_next: CallNext) -> None:
        ctx.turn_messages.add(shown)
        ctx.turn_tool_calls.add(made)
        await call_next()

    thrift = Thrift(MODEL, renderer=Renderer(unsupported_media=policy), **settings)
    run = await ran(turn_input_pipeline=[fill_in, thrift])
    assert run.errors == []
    tokens: int = run.turn.stash.get(REPORT_PATH).per_bucket["timeline"]
    return tokens


async def test_media_are_rated_without_reading_them() -> None:
    picture = asset("image", Unreadable())
    assert 3_200 < await timeline_with(picture, "throw") < 4_000
    assert 3_200 < await timeline_with(picture, "synthetic-description") < 4_000
    described = await timeline_with(picture, "synthetic-description", carries=lambda media: False)
    assert 0 < described < 1_200
    carried = await timeline_with(picture, "throw", carries=lambda media: True)
    assert 3_200 < carried < 4_000


@pytest.mark.parametrize(
    ("reader", "least", "most"),
    [
        (Measured(250 * 10_000), 20_000, 21_000),
        (Unreadable(), 3_200, 4_000),  # nobody knows how many: as much as an image
        (Failing(), 3_200, 4_000),
    ],
)
async def test_the_size_of_a_sound_is_asked_for_and_may_fail(
    reader: Any, least: int, most: int
) -> None:
    assert least < await timeline_with(asset("audio", reader), "throw") < most


async def test_what_stands_for_an_asset_is_counted_where_it_is_dearer() -> None:
    clip = asset("video", Measured(1_000), "spoken word " * 3_000)
    assert await timeline_with(clip, "fallback-stash") > 12_000
    assert await timeline_with(clip, "throw") < 1_200


async def test_a_plain_value_where_the_report_would_lie_is_left_alone() -> None:
    async def occupy(ctx: Context, call_next: CallNext) -> None:
        ctx.stash.set("tether", "mine")
        await call_next()

    run = await ran(turn_input_pipeline=[occupy, Thrift(MODEL)])
    assert run.errors == []
    assert run.turn.stash.get("tether") == "mine"
    assert len(run.of("budget")) == 1


async def test_no_more_is_reserved_than_the_model_can_say() -> None:
    profile = ModelProfile(name="terse", window=100_000, max_output=4_096, encoding="claude")
    assert (await assemble(Prepared(), profile=profile, reserve=None)).report.reserve == 4_096
