"""The memory tools act through the storage of the turn."""

from __future__ import annotations

from typing import Any

import pytest

from tether import InvalidInput, Memory, NoopStorage
from tether.batteries.storage.memory import MemoryStorage
from tether.batteries.testing import FakeClock, run_tool
from tether.batteries.tools.memory import (
    delete_memory,
    list_memories,
    store_memory,
    update_memory,
)
from tether.core.errors import InputRefused
from tether.runtime.errors import InvalidToolArgs, ToolDownstreamError

FACT: dict[str, Any] = {"content": "Drinks tea.", "confidence": 0.9, "importance": 0.5}


def remembering(*contents: str) -> MemoryStorage:
    storage = MemoryStorage()
    for position, content in enumerate(contents):
        storage.session().memories.add(
            Memory(
                id=f"m-{position}",
                content=content,
                confidence=0.5,
                importance=0.25,
                created_at=position * 1_000,
            )
        )
    return storage


async def refusal(tool: Any, args: dict[str, Any], storage: MemoryStorage) -> str:
    with pytest.raises(ToolDownstreamError) as caught:
        await run_tool(tool, args, storage=storage)
    assert isinstance(caught.value.__cause__, InputRefused)
    return caught.value.message


async def test_what_is_stored_is_found_in_storage_and_listed_with_its_id() -> None:
    storage, clock = MemoryStorage(), FakeClock()
    stored = await run_tool(store_memory, FACT, storage=storage, clock=clock)
    (kept,) = storage.session().memories
    assert (kept.id, str(kept.content), kept.confidence, kept.importance) == (
        stored["id"],
        "Drinks tea.",
        0.9,
        0.5,
    )
    assert kept.created_at == clock.now()
    assert await run_tool(list_memories, storage=storage) == [stored]


async def test_the_list_is_newest_first_can_be_searched_and_is_bounded() -> None:
    storage = remembering("Drinks tea.", "Lives in Oslo.", "Buys TEA in bulk.")
    listed = await run_tool(list_memories, storage=storage)
    assert [memory["id"] for memory in listed] == ["m-2", "m-1", "m-0"]
    about_tea = await run_tool(list_memories, {"contains": "tea"}, storage=storage)
    assert [memory["id"] for memory in about_tea] == ["m-2", "m-0"]
    assert len(await run_tool(list_memories, {"limit": 1}, storage=storage)) == 1


async def test_an_update_changes_what_is_given_and_keeps_the_rest() -> None:
    storage, clock = remembering("Drinks tea."), FakeClock()
    args = {"id": "m-0", "content": "Drinks coffee."}
    await run_tool(update_memory, args, storage=storage, clock=clock)
    (kept,) = storage.session().memories
    assert (kept.id, str(kept.content), kept.confidence, kept.importance) == (
        "m-0",
        "Drinks coffee.",
        0.5,
        0.25,
    )
    assert kept.created_at.timestamp() == 0
    assert kept.updated_at == clock.now()
    scores = {"id": "m-0", "confidence": 1, "importance": 0}
    await run_tool(update_memory, scores, storage=storage)
    (kept,) = storage.session().memories
    assert (str(kept.content), kept.confidence, kept.importance) == ("Drinks coffee.", 1, 0)


async def test_a_deleted_memory_is_gone() -> None:
    storage = remembering("Drinks tea.", "Lives in Oslo.")
    assert "m-0" in await run_tool(delete_memory, {"id": "m-0"}, storage=storage)
    assert [memory.id for memory in storage.session().memories] == ["m-1"]


@pytest.mark.parametrize("tool", [update_memory, delete_memory])
@pytest.mark.parametrize("id", ["m-9", "../../x", "'; drop table memories", "a\x00b"])  # case 33
async def test_an_unknown_id_is_refused_and_nothing_changes(tool: Any, id: str) -> None:
    storage = remembering("Drinks tea.")
    assert "list_memories" in await refusal(tool, {"id": id}, storage)
    assert [str(memory.content) for memory in storage.session().memories] == ["Drinks tea."]


@pytest.mark.parametrize(
    ("tool", "args", "argument"),
    [
        (store_memory, {**FACT, "content": ""}, "content"),
        (store_memory, {**FACT, "content": "x" * 10_001}, "content"),
        (store_memory, {**FACT, "confidence": 1.1}, "confidence"),
        (store_memory, {**FACT, "importance": -0.1}, "importance"),
        (store_memory, {"content": "x"}, "confidence"),
        (store_memory, {**FACT, "trusted": True}, "trusted"),
        (update_memory, {"content": "x"}, "id"),
        (delete_memory, {"id": ""}, "id"),
        (list_memories, {"limit": 0}, "limit"),
    ],
)
async def test_unfit_arguments_are_named(tool: Any, args: dict[str, Any], argument: str) -> None:
    with pytest.raises(InvalidToolArgs, match=argument):
        await run_tool(tool, args, storage=NoopStorage())


@pytest.mark.parametrize("blank", [" ", "\n\t"])
async def test_blank_text_is_no_memory(blank: str) -> None:
    storage = remembering("Drinks tea.")
    assert "content" in await refusal(store_memory, {**FACT, "content": blank}, storage)
    assert "content" in await refusal(update_memory, {"id": "m-0", "content": blank}, storage)


async def test_a_memory_that_the_kit_refuses_is_an_error_and_not_a_record() -> None:
    with pytest.raises(ToolDownstreamError) as caught:
        await run_tool(store_memory, {**FACT, "content": "\x00"}, storage=MemoryStorage())
    assert isinstance(caught.value.__cause__, (InputRefused, InvalidInput))
