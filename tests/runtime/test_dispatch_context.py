"""CONTRACT group C: what a dispatch context keeps, counts and signals."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from support.turns import message, ran, tool_call
from tether import (
    Context,
    DispatchContext,
    DispatchRunner,
    Helpers,
    InvalidInput,
    Memory,
    NoopStorage,
    RawDispatch,
    RecordSet,
    Retrievable,
    SpooledArtifact,
    Thought,
    Tokenizable,
)
from tether.runtime.errors import LlmExecutionAlreadySignalled


async def inside(work: Callable[[DispatchContext], Awaitable[None]], **raw: Any) -> None:
    """Run `work` in the executor of a standalone dispatch; what it raises fails the test."""
    failures: list[BaseException] = []

    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        try:
            await work(ctx)
        except BaseException as error:
            failures.append(error)
            raise
        if not ctx.is_signalled:
            ctx.ack()

    raw.setdefault("storage", NoopStorage())
    try:
        await DispatchRunner.dispatch(raw=RawDispatch(system_prompt="", **raw), executor=execute)
    finally:
        for failure in failures:
            raise failure


async def test_on_ack_handlers_run_on_ack_in_order_of_registration() -> None:  # 39
    notes: list[str] = []

    async def work(ctx: DispatchContext) -> None:
        ctx.on_ack(lambda: notes.append("a"))
        ctx.on_ack(lambda: notes.append("b"))
        ctx.ack()
        notes.append("after")

    await inside(work)
    assert notes == ["a", "b", "after"]


async def test_on_ack_handlers_do_not_run_on_nack() -> None:  # 39
    notes: list[str] = []

    async def work(ctx: DispatchContext) -> None:
        ctx.on_ack(lambda: notes.append("a"))
        ctx.nack(ValueError("no"))

    with pytest.raises(ValueError, match="no"):
        await inside(work)
    assert notes == []


async def test_unsubscribing_one_on_ack_handler_does_not_affect_the_others() -> None:  # 39
    notes: list[str] = []

    async def work(ctx: DispatchContext) -> None:
        unsubscribe = ctx.on_ack(lambda: notes.append("a"))
        ctx.on_ack(lambda: notes.append("b"))
        unsubscribe()
        unsubscribe()

    await inside(work)
    assert notes == ["b"]


async def test_a_failing_on_ack_handler_does_not_keep_the_others_from_running() -> None:
    notes: list[str] = []

    async def work(ctx: DispatchContext) -> None:
        ctx.on_ack(lambda: 1 / 0)
        ctx.on_ack(lambda: notes.append("b"))
        ctx.ack()
        assert ctx.is_acked

    await inside(work)
    assert notes == ["b"]


class ByteNotes:
    """A byte store that notes what passes."""

    def __init__(self) -> None:
        self.calls: list[tuple[Context, str, bytes]] = []

    async def store_artifact_bytes(self, ctx: Context, id: str, content: bytes) -> Any:
        self.calls.append((ctx, id, content))
        return "artifact reader"

    async def store_media_bytes(self, ctx: Context, id: str, content: bytes) -> Any:
        self.calls.append((ctx, id, content))
        return "media reader"


async def test_byte_conduits_pass_everything_through_return_readers_and_change_no_set() -> None:
    notes = ByteNotes()  # 40

    async def work(ctx: DispatchContext) -> None:
        readers: list[object] = [
            await ctx.store_artifact_bytes("a", b"one"),
            await ctx.store_media_bytes("m", b"two"),
        ]
        assert readers == ["artifact reader", "media reader"]
        assert notes.calls == [(ctx, "a", b"one"), (ctx, "m", b"two")]
        assert sum(len(held) for held in collections(ctx)) == 0

    await inside(work, byte_store=notes)


async def test_without_a_byte_store_bytes_stay_in_memory() -> None:
    async def work(ctx: DispatchContext) -> None:
        spool = SpooledArtifact(await ctx.store_artifact_bytes("a", b"x\ny"))
        assert await spool.line_count() == 2
        reader = await ctx.store_media_bytes("m", b"pixels")
        assert [piece async for piece in reader.stream()] == [b"pixels"]

    await inside(work)


def collections(ctx: Context) -> list[RecordSet[Any]]:
    return [
        ctx.turn_messages,
        ctx.turn_memories,
        ctx.turn_retrievables,
        ctx.turn_thoughts,
        ctx.turn_tool_calls,
    ]


def memory(id: str, text: str) -> Memory:
    return Memory(id=id, content=text, confidence=0.5, importance=0.5, created_at=0)


def retrievable(id: str, text: str) -> Retrievable:
    return Retrievable(id=id, content=text, trust_tier="first-party", created_at=0)


def thought(id: str, text: str) -> Thought:
    return Thought(id=id, content=text, created_at=0)


def call(id: str, text: str) -> Any:
    return tool_call(id, results=text)


KINDS: dict[str, tuple[Callable[[str, str], Any], str, str]] = {
    "message": (message, "turn_messages", "messages"),
    "memory": (memory, "turn_memories", "memories"),
    "retrievable": (retrievable, "turn_retrievables", "retrievables"),
    "thought": (thought, "turn_thoughts", "thoughts"),
    "tool_call": (call, "turn_tool_calls", "tool_calls"),
}


@pytest.mark.parametrize("kind", KINDS)
async def test_mutate_replaces_the_record_drops_stale_duplicates_and_keeps_the_position(
    kind: str,
) -> None:  # 41
    make, attribute, seed = KINDS[kind]
    first, stale, other = make("x", "one"), make("x", "two"), make("y", "other")
    changed = make("x", "three")

    async def work(ctx: DispatchContext) -> None:
        held = getattr(ctx, attribute)
        await getattr(ctx, f"mutate_{kind}")(changed)
        assert list(held) == [changed, other]
        assert next(iter(held)) is changed
        await getattr(ctx, f"mutate_{kind}")(make("z", "new"))
        assert [record.id for record in held] == ["x", "y", "z"]
        await getattr(ctx, f"delete_{kind}")("x")
        await getattr(ctx, f"delete_{kind}")("nobody")
        assert [record.id for record in held] == ["y", "z"]

    await inside(work, **{seed: [first, stale, other]})


async def test_mutating_a_tool_call_moves_the_repeat_counter_to_the_new_checksum() -> None:  # 42
    old, new = tool_call("c1", args={"a": 1}), tool_call("c1", args={"a": 2})

    async def work(ctx: DispatchContext) -> None:
        await ctx.store_tool_call(old)
        assert (ctx.tool_call_count(old.checksum), ctx.tool_call_count(new.checksum)) == (1, 0)
        await ctx.mutate_tool_call(new)
        assert (ctx.tool_call_count(old.checksum), ctx.tool_call_count(new.checksum)) == (0, 1)
        await ctx.delete_tool_call("c1")
        assert ctx.tool_call_count(new.checksum) == 0

    await inside(work)


async def test_the_counter_is_seeded_and_counts_equal_calls_and_no_object_twice() -> None:
    seeded, again = tool_call("c1"), tool_call("c2")

    async def work(ctx: DispatchContext) -> None:
        await ctx.store_tool_call(again)
        await ctx.store_tool_call(again)
        assert ctx.tool_call_count(seeded.checksum) == 2
        assert ctx.tool_call_count("unknown") == 0

    await inside(work, tool_calls=[seeded])


@pytest.mark.parametrize("first", ["ack", "nack"])
@pytest.mark.parametrize("second", ["ack", "nack"])
async def test_a_second_ack_or_nack_raises_already_signalled(first: str, second: str) -> None:  # 43
    async def work(ctx: DispatchContext) -> None:
        assert not ctx.is_signalled
        getattr(ctx, first)()
        assert ctx.is_signalled
        assert ctx.is_acked == (first == "ack")
        assert (ctx.nack_error is None) == (first == "ack")
        with pytest.raises(LlmExecutionAlreadySignalled):
            getattr(ctx, second)()

    if first == "ack":
        await inside(work)
    else:
        with pytest.raises(Exception, match="nacked"):
            await inside(work)


async def test_a_failing_store_keeps_the_local_change_and_queues_no_delta() -> None:
    async def refuse(ctx: Context, record: object) -> None:
        raise OSError("disk full")

    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        with pytest.raises(OSError, match="disk full"):
            await ctx.store_message(message("lost"))
        assert [record.id for record in ctx.turn_messages] == ["lost"]
        await ctx.store_thought(thought("kept", "hm"))
        ctx.ack()

    run = await ran(execute, store_message=refuse)
    assert run.errors == []
    assert len(run.turn.turn_messages) == 0
    assert [record.id for record in run.turn.turn_thoughts] == ["kept"]


async def test_standing_instructions_are_added_and_deleted_by_identity_or_text() -> None:
    first, twin = Tokenizable("Be brief."), Tokenizable("Be brief.")

    async def work(ctx: DispatchContext) -> None:
        await ctx.store_standing_instruction(first)
        await ctx.store_standing_instruction(twin)
        await ctx.mutate_standing_instruction("Be kind.")
        await ctx.delete_standing_instruction(twin)
        assert [str(text) for text in ctx.standing_instructions] == ["Be brief.", "Be kind."]
        assert first in ctx.standing_instructions
        await ctx.delete_standing_instruction("Be kind.")
        await ctx.delete_standing_instruction("never said")
        assert list(ctx.standing_instructions) == [first]

    await inside(work)


@pytest.mark.parametrize("kind", [*KINDS, "standing_instruction"])
@pytest.mark.parametrize("verb", ["store", "mutate"])
async def test_a_record_of_the_wrong_type_is_refused_and_changes_nothing(
    verb: str, kind: str
) -> None:
    async def work(ctx: DispatchContext) -> None:
        with pytest.raises(InvalidInput) as caught:
            await getattr(ctx, f"{verb}_{kind}")(42)
        assert "42" in caught.value.message
        assert caught.value.code == f"E_INVALID_INITIAL_{kind.upper()}_VALUE"
        assert sum(len(held) for held in collections(ctx)) == 0

    await inside(work)


async def test_every_read_goes_to_storage_with_the_live_context() -> None:
    seen: list[Any] = []

    class Noting(NoopStorage):
        def __getattribute__(self, name: str) -> Any:
            seen.append(name)
            return super().__getattribute__(name)

    async def work(ctx: DispatchContext) -> None:
        seen.clear()
        assert await ctx.fetch_messages() == ()
        assert await ctx.fetch_memories() == ()
        assert await ctx.fetch_thoughts() == ()
        assert await ctx.fetch_tool_calls() == ()
        assert await ctx.fetch_retrievables() == ()
        assert await ctx.fetch_tools() == ()
        assert await ctx.refresh_standing_instructions() == ()

    await inside(work, storage=Noting())
    assert seen == [
        "fetch_messages",
        "fetch_memories",
        "fetch_thoughts",
        "fetch_tool_calls",
        "fetch_retrievables",
        "fetch_tools",
        "refresh_standing_instructions",
    ]


@pytest.mark.parametrize("kind", KINDS)
async def test_a_record_in_the_place_of_its_id_is_refused(kind: str) -> None:
    make, _, _ = KINDS[kind]

    async def work(ctx: DispatchContext) -> None:
        with pytest.raises(InvalidInput, match="the id, as text"):
            await getattr(ctx, f"delete_{kind}")(make("x", "text"))

    await inside(work)


async def test_calls_added_to_the_collection_directly_count_as_well() -> None:
    call = tool_call("c1")

    async def work(ctx: DispatchContext) -> None:
        ctx.turn_tool_calls.add(call)
        assert ctx.tool_call_count(call.checksum) == 1
        await ctx.delete_tool_call("c1")
        assert ctx.tool_call_count(call.checksum) == 0

    await inside(work)
