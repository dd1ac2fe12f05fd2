"""Reading what a prompt shows."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import AsyncIterator
from typing import Any

import pytest

from support.prompts import WHEN, artifact, asset, in_dispatch, loaded_with
from tether import (
    DispatchContext,
    Identity,
    Media,
    Memory,
    Message,
    Retrievable,
    SpooledArtifact,
    Thought,
    Tokenizable,
    ToolCall,
    TurnInput,
    forge_tools,
)
from tether.core.byte_sources import BytesReader, StreamReader
from tether.core.errors import TokenizableEvaluatorInvalid
from tether.core.media import MediaStash, MediaStashEntry
from tether.trust.loader import load_records
from tether.trust.records import Handle, LoadedMedia, PromptRecords


def turn_says(ctx: Any) -> str:
    return f"turn {ctx.turn_id}"


def nothing(ctx: Any) -> str:
    return ""


def dynamic(make: Any = turn_says) -> Tokenizable:
    return Tokenizable(make, fallback="fallback")


class CountingReader:
    """Bytes that count how often they are read, and know their size without that."""

    def __init__(self, content: bytes, size: Any = None) -> None:
        self.content = content
        self.size = size
        self.opened = 0

    async def stream(self) -> AsyncIterator[bytes]:
        self.opened += 1
        yield self.content

    def byte_length(self) -> int:
        if isinstance(self.size, Exception):
            raise self.size
        return len(self.content)


def media(reader: Any, **changes: Any) -> Media:
    return asset("a1", reader=reader, **changes).media


def message(content: Any = "text", **changes: Any) -> Message:
    return Message(id="m1", role="user", content=content, created_at=WHEN, **changes)


def tool_call(results: Any, **changes: Any) -> ToolCall:
    return ToolCall(id="c1", tool="search", args={}, results=results, created_at=WHEN, **changes)


def passage(content: Any, **changes: Any) -> Retrievable:
    return Retrievable(
        id="r1", content=content, trust_tier="first-party", created_at=WHEN, **changes
    )


async def test_records_that_depend_on_nothing_are_handed_over_as_they_are() -> None:
    given = message()
    records = await loaded_with(messages=[given])
    assert records.messages[0].record is given
    assert records.system_prompt == "You are under test."


async def test_texts_are_made_for_the_context() -> None:
    # CONTRACT 62, 155
    found: list[tuple[PromptRecords, str]] = []

    async def work(ctx: DispatchContext) -> None:
        ctx.turn_memories.add(
            Memory(id="e1", content=dynamic(), confidence=1, importance=1, created_at=WHEN)
        )
        ctx.turn_retrievables.add(passage(dynamic()))
        identity = Identity(identifier="u", representation=dynamic())
        ctx.turn_messages.add(message(dynamic(), identity=identity))
        ctx.turn_thoughts.add(
            Thought(id="t1", content=dynamic(), identity=identity, created_at=WHEN)
        )
        ctx.turn_tool_calls.add(tool_call(dynamic()))
        found.append((await load_records(ctx, carries=bool), f"turn {ctx.turn_id}"))

    turn = TurnInput(system_prompt=dynamic(), standing_instructions=[dynamic(), "Be kind."])
    await in_dispatch(work, turn)
    records, said = found[0]
    assert records.system_prompt == said
    assert records.standing_instructions == (said, "Be kind.")
    assert str(records.memories[0].content) == said
    assert records.retrievables[0].content == said
    assert str(records.messages[0].record.content) == said
    assert str(records.messages[0].record.identity.representation) == said
    assert str(records.thoughts[0].content) == said
    assert str(records.thoughts[0].identity.representation) == said
    assert records.calls[0].results == said


async def test_a_record_without_text_is_left_out_unless_it_shows_something_else() -> None:
    found: list[PromptRecords] = []
    empty = dynamic(nothing)

    async def work(ctx: DispatchContext) -> None:
        ctx.turn_memories.add(
            Memory(id="e1", content=empty, confidence=1, importance=1, created_at=WHEN)
        )
        ctx.turn_retrievables.add(passage(empty))
        ctx.turn_messages.add(message(empty))
        ctx.turn_messages.add(message(empty, attachments=[media(BytesReader(b"x"))]))
        ctx.turn_thoughts.add(Thought(id="t1", content=empty, created_at=WHEN))
        ctx.turn_thoughts.add(
            Thought(id="t2", content=empty, created_at=WHEN, payload=1, replay_compatibility="w")
        )
        ctx.turn_tool_calls.add(tool_call(empty))
        found.append(await load_records(ctx, carries=lambda media: True))

    await in_dispatch(work)
    (records,) = found
    assert records.memories == ()
    assert records.retrievables == ()
    assert [len(loaded.media) for loaded in records.messages] == [1]
    assert [thought.id for thought in records.thoughts] == ["t2"]
    assert [call.results for call in records.calls] == [""]


async def test_a_text_that_cannot_be_made_is_an_error() -> None:
    def fails(ctx: Any) -> str:
        raise KeyError("no such name")

    with pytest.raises(TokenizableEvaluatorInvalid):
        await loaded_with(messages=[message(dynamic(fails))])


async def test_an_inline_artifact_is_read_and_another_is_offered() -> None:
    # CONTRACT 103, 132
    records = await loaded_with(retrievables=[passage(artifact("one\n"))])
    assert records.retrievables[0].content == "one\n"
    records = await loaded_with(
        retrievables=[passage(artifact("one\n"), inline=False)], encoding="claude"
    )
    handle = records.retrievables[0].content
    assert isinstance(handle, Handle)
    assert (handle.call_id, handle.byte_length, handle.line_count) == ("r1", 4, 2)
    assert handle.tokens is not None
    assert handle.tokens.encoding == "claude"


async def test_a_handle_names_the_artifact_as_the_forged_tools_do() -> None:
    # CONTRACT 99, 103, 132
    calls = [tool_call(artifact(), inline=False)]
    retrievables = [passage(artifact(), inline=False)]
    known: list[Any] = []

    async def work(ctx: DispatchContext) -> None:
        ctx.turn_tool_calls.update(calls)
        ctx.turn_retrievables.update(retrievables)
        records = await load_records(ctx, carries=bool)
        handles = [records.calls[0].results, records.retrievables[0].content]
        forged = forge_tools(ctx)
        first = forged.all()[0].describe()["input_schema"]["properties"]
        for handle in handles:
            assert isinstance(handle, Handle)
            assert handle.call_id in first["call_id"]["enum"]
            assert [tool.name for tool in handle.tools] == [tool.name for tool in forged]
        known.extend(handles)

    await in_dispatch(work)
    assert len(known) == 2


@pytest.mark.parametrize("inline", [True, False])
async def test_what_the_forged_tools_do_not_know_is_never_offered(inline: bool) -> None:
    # CONTRACT 102
    given = tool_call(artifact("one\n"), inline=inline, from_artifact_tool=True)
    records = await loaded_with(calls=[given])
    assert records.calls[0].results == "one\n"


async def test_an_artifact_that_is_to_be_shown_and_cannot_be_read_is_an_error() -> None:
    class BrokenSpool:
        def byte_length(self) -> int:
            return 1

        def line_count(self) -> int:
            return 1

        def lines(self, start: int, end: int | None, *, longest: int = 0) -> list[str]:
            return []

        def text(self) -> str:
            raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        await loaded_with(calls=[tool_call(SpooledArtifact(BrokenSpool()))])


async def test_bytes_are_read_only_where_the_wire_carries_them() -> None:
    reader = CountingReader(b"\x00\xff" * 10)
    given = media(reader)
    places: list[dict[str, Any]] = [
        {"messages": [message(attachments=[given])]},
        {"calls": [tool_call(given)]},
    ]
    for where in places:
        reader.opened = 0
        records = await loaded_with(**where)
        assert reader.opened == 0
        assert assets(records) == [LoadedMedia(given, None, 20)]
        records = await loaded_with(**where, carries=lambda media: media is given)
        assert reader.opened == 1
        data = b64encode(reader.content).decode()
        assert assets(records) == [LoadedMedia(given, data, 20)]


def assets(records: PromptRecords) -> list[LoadedMedia]:
    found = [asset for loaded in records.messages for asset in loaded.media]
    for call in records.calls:
        assert isinstance(call.results, tuple)
        found += [asset for asset in call.results if isinstance(asset, LoadedMedia)]
    return found


async def test_several_media_of_one_call_are_loaded_in_order() -> None:
    given = [media(BytesReader(b"x"), filename=name) for name in ("one", "two")]
    records = await loaded_with(calls=[tool_call(given)], carries=lambda media: True)
    assert [loaded.media.filename for loaded in assets(records)] == ["one", "two"]


async def test_a_size_that_nobody_knows_is_not_guessed() -> None:
    failing = CountingReader(b"x", OSError("the disk is gone"))
    unmeasured = StreamReader(lambda: BytesReader(b"x").stream())
    given = message(attachments=[media(unmeasured), media(failing)])
    records = await loaded_with(messages=[given])
    assert [loaded.size for loaded in assets(records)] == [None, None]


async def test_the_texts_of_a_stash_are_made_and_keep_their_tier() -> None:
    stash = MediaStash({"text:caption": MediaStashEntry(value=dynamic(), trust_tier="first-party")})
    given = media(BytesReader(b"x"), stash=stash, trust_tier="third-party-private")
    records = await loaded_with(messages=[message(attachments=[given])])
    entry = assets(records)[0].media.stash.get("text:caption")
    assert entry is not None
    assert str(entry.value).startswith("turn ")
    assert entry.trust_tier == "third-party-private"


async def test_a_tools_flag_is_found_by_its_name() -> None:
    # CONTRACT 131: what there is no tool for is not known to be trusted
    (unknown,) = (await loaded_with(calls=[tool_call("x")])).calls
    assert unknown.trusted is None
    (forged,) = (await loaded_with(calls=[tool_call("x", from_artifact_tool=True)])).calls
    assert forged.trusted is False
