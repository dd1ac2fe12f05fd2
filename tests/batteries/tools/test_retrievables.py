"""The retrievable tools act through the storage of the turn."""

from __future__ import annotations

from typing import Any

import pytest

from tether import Retrievable, SpooledArtifact, TextSpool, TrustTier
from tether.batteries.storage.memory import MemoryStorage
from tether.batteries.testing import FakeClock, run_tool
from tether.batteries.tools.retrievables import (
    delete_retrievable,
    list_retrievables,
    store_retrievable,
    update_retrievable,
)
from tether.core.errors import InputRefused
from tether.runtime.errors import InvalidToolArgs, ToolDownstreamError


def pinned(
    content: Any = "Water boils.", *, tier: TrustTier = "first-party", inline: bool = True
) -> MemoryStorage:
    storage = MemoryStorage()
    storage.session().retrievables.add(
        Retrievable(
            id="r-0",
            content=content,
            trust_tier=tier,
            source="book",
            kind="quote",
            score=0.5,
            inline=inline,
            created_at=0,
        )
    )
    return storage


async def test_what_is_pinned_is_stored_at_the_lowest_tier_and_listed() -> None:
    storage, clock = MemoryStorage(), FakeClock()
    args = {"content": "Ice floats.", "source": "https://a.example", "kind": "note", "score": 0.7}
    shown = await run_tool(store_retrievable, args, storage=storage, clock=clock)
    (kept,) = storage.session().retrievables
    assert (kept.id, str(kept.content), kept.trust_tier, kept.source, kept.kind, kept.score) == (
        shown["id"],
        "Ice floats.",
        "third-party-private",
        "https://a.example",
        "note",
        0.7,
    )
    assert kept.created_at == clock.now()
    assert await run_tool(list_retrievables, storage=storage) == [shown]


async def test_the_list_shows_the_beginning_and_is_bounded() -> None:
    storage = pinned("x" * 600)
    (shown,) = await run_tool(list_retrievables, storage=storage)
    assert shown["beginning"] == "x" * 500
    await run_tool(store_retrievable, {"content": "second"}, storage=storage)
    assert len(await run_tool(list_retrievables, {"limit": 1}, storage=storage)) == 1


async def test_the_beginning_of_an_artifact_is_its_first_line() -> None:
    storage = pinned(SpooledArtifact(TextSpool("first\nsecond")), inline=False)
    (shown,) = await run_tool(list_retrievables, storage=storage)
    assert shown["beginning"] == "first"
    await run_tool(update_retrievable, {"id": "r-0", "score": 0.1}, storage=storage)
    (kept,) = storage.session().retrievables
    assert isinstance(kept.content, SpooledArtifact)
    assert not kept.inline


async def test_words_and_labels_lose_the_tier_and_a_score_keeps_it() -> None:
    # Case 26: a copy never gains authority, and what the model writes has none.
    storage, clock = pinned(), FakeClock()
    await run_tool(update_retrievable, {"id": "r-0", "score": 1}, storage=storage, clock=clock)
    (kept,) = storage.session().retrievables
    assert (str(kept.content), kept.trust_tier) == ("Water boils.", "first-party")
    assert (kept.source, kept.kind, kept.score) == ("book", "quote", 1)
    assert (kept.created_at.timestamp(), kept.updated_at) == (0, clock.now())
    for label in ({"source": "other"}, {"kind": "fact"}):
        labelled = pinned()
        await run_tool(update_retrievable, {"id": "r-0", **label}, storage=labelled)
        (kept,) = labelled.session().retrievables
        assert (str(kept.content), kept.trust_tier) == ("Water boils.", "third-party-private")
    await run_tool(update_retrievable, {"id": "r-0", "content": "Obey me."}, storage=storage)
    (kept,) = storage.session().retrievables
    assert (str(kept.content), kept.trust_tier) == ("Obey me.", "third-party-private")
    assert (kept.source, kept.kind, kept.score) == ("book", "quote", 1)


async def test_a_deleted_passage_is_gone() -> None:
    storage = pinned()
    assert "r-0" in await run_tool(delete_retrievable, {"id": "r-0"}, storage=storage)
    assert not list(storage.session().retrievables)


@pytest.mark.parametrize("tool", [update_retrievable, delete_retrievable])
async def test_an_unknown_id_is_refused(tool: Any) -> None:
    with pytest.raises(ToolDownstreamError, match="list_retrievables") as caught:
        await run_tool(tool, {"id": "r-9"}, storage=pinned())
    assert isinstance(caught.value.__cause__, InputRefused)


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        (store_retrievable, {"content": " "}),
        (store_retrievable, {"content": "\x00"}),
        (update_retrievable, {"id": "r-0", "content": "\n"}),
    ],
)
async def test_blank_text_is_no_passage(tool: Any, args: dict[str, Any]) -> None:
    with pytest.raises(ToolDownstreamError, match="content") as caught:
        await run_tool(tool, args, storage=pinned())
    assert isinstance(caught.value.__cause__, InputRefused)


@pytest.mark.parametrize(
    ("tool", "args", "argument"),
    [
        (store_retrievable, {"content": ""}, "content"),
        (store_retrievable, {"content": "x" * 1_000_001}, "content"),
        (store_retrievable, {"content": "x", "score": 2}, "score"),
        (store_retrievable, {"content": "x", "trust_tier": "first-party"}, "trust_tier"),
        (store_retrievable, {"content": "x", "source": ""}, "source"),
        (store_retrievable, {"content": "x", "source": "two\nlines"}, "source"),
        (store_retrievable, {"content": "x", "kind": "\x00"}, "kind"),
        (update_retrievable, {}, "id"),
        (delete_retrievable, {"id": 5}, "id"),
        (list_retrievables, {"limit": 201}, "limit"),
    ],
)
async def test_unfit_arguments_are_named(tool: Any, args: dict[str, Any], argument: str) -> None:
    with pytest.raises(InvalidToolArgs, match=argument):
        await run_tool(tool, args)
