"""Messages, thoughts, tool calls and retrievables: the same behaviour in every storage."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from support.stores import context, open_sqlite
from support.turns import WHEN, add, message, ran, tool_call
from tether import (
    BytesReader,
    Context,
    Media,
    Message,
    Retrievable,
    SpooledArtifact,
    Thought,
    Tokenizable,
)
from tether.batteries.artifacts import SpooledCsvArtifact
from tether.batteries.storage.errors import StoreDamaged
from tether.batteries.storage.memory import MemoryStorage
from tether.batteries.storage.port import CONVERSATION, OWNER
from tether.batteries.storage.postgres import PostgresStore
from tether.batteries.storage.sql.store import SqlStore
from tether.batteries.storage.sqlite import SqliteStore
from tether.core.errors import InputRefused, LimitExceeded
from tether.core.spool import BytesSpool, TextSpool
from tether.runtime.storage import Storage

MAKE: dict[str, Any] = {
    "message": message,
    "thought": lambda id, text: Thought(id=id, content=text, created_at=WHEN),
    "tool_call": lambda id, text: tool_call(id, results=text),
    "retrievable": lambda id, text: Retrievable(
        id=id, content=text, trust_tier="first-party", created_at=WHEN
    ),
}


KINDS = sorted(MAKE)
EVERYWHERE = [
    *[("turn", kind) for kind in KINDS],
    *[("memory", kind) for kind in KINDS],
    ("file", "message"),
    ("postgres", "message"),
    ("postgres", "tool_call"),
]
"""The kinds share their code in a database, so not every pair has to be tried."""


@asynccontextmanager
async def opened(
    name: str, request: pytest.FixtureRequest, folder: Path
) -> AsyncGenerator[Storage, None]:
    if name == "turn":
        yield MemoryStorage(tools=[add], session_of=lambda ctx: repr(scope(ctx)))
        return
    if name == "postgres":
        url = request.getfixturevalue("emptied_url")
        store: SqlStore = await PostgresStore.open(url, tools=[add])
    elif name == "file":
        store = await open_sqlite(folder, tools=[add])
    else:
        store = await SqliteStore.open(tools=[add])
    yield store
    await store.aclose()


@pytest.fixture(params=["turn", "memory", "file", "postgres"])
async def storage(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Storage]:
    async with opened(request.param, request, tmp_path) as made:
        yield made


def scope(ctx: Context) -> tuple[Any, Any]:
    return ctx.stash.get("tether.owner"), ctx.stash.get("tether.conversation")


class Records:
    """The four operations on one kind of record."""

    def __init__(self, storage: Any, kind: str, ctx: Context) -> None:
        self._storage, self._kind, self._ctx = storage, kind, ctx

    def make(self, id: str, text: str) -> Any:
        return MAKE[self._kind](id, text)

    async def held(self) -> list[Any]:
        return list(await getattr(self._storage, f"fetch_{self._kind}s")(self._ctx))

    async def store(self, record: Any) -> None:
        await getattr(self._storage, f"store_{self._kind}")(self._ctx, record)

    async def mutate(self, record: Any) -> None:
        await getattr(self._storage, f"mutate_{self._kind}")(self._ctx, record)

    async def delete(self, id: str) -> None:
        await getattr(self._storage, f"delete_{self._kind}")(self._ctx, id)


@pytest.fixture(params=EVERYWHERE, ids="-".join)
async def records(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Records]:
    name, kind = request.param
    async with opened(name, request, tmp_path) as made:
        yield Records(made, kind, await context("c"))


async def test_what_is_stored_comes_back_equal_and_in_order(records: Records) -> None:
    made = [records.make(id, f"text of {id}") for id in "bac"]
    for record in made:
        await records.store(record)
    assert await records.held() == made


async def test_the_same_record_stored_again_is_held_once(records: Records) -> None:
    record = records.make("x", "one")
    await records.store(record)
    await records.store(record)
    assert await records.held() == [record]


async def test_another_record_of_the_same_id_is_held_beside_the_first(records: Records) -> None:
    first, second = records.make("x", "one"), records.make("x", "two")
    await records.store(first)
    await records.store(second)
    assert await records.held() == [first, second]


async def test_mutate_replaces_the_first_in_its_place_and_drops_the_others(
    records: Records,
) -> None:
    changed, between = records.make("x", "three"), records.make("y", "between")
    for record in (records.make("x", "one"), between, records.make("x", "two")):
        await records.store(record)
    await records.mutate(changed)
    assert await records.held() == [changed, between]


async def test_mutate_of_what_is_missing_adds_it(records: Records) -> None:
    record = records.make("x", "one")
    await records.mutate(record)
    assert await records.held() == [record]


async def test_delete_removes_the_first_of_an_id_and_ignores_what_is_missing(
    records: Records,
) -> None:
    first, second = records.make("x", "one"), records.make("x", "two")
    await records.store(first)
    await records.store(second)
    await records.delete("x")
    await records.delete("y")
    assert await records.held() == [second]


@pytest.mark.parametrize(("conversation", "owner"), [("d", ""), ("c", "o"), ("", "")])
async def test_records_of_others_are_not_seen_or_changed(
    storage: Storage, conversation: str, owner: str
) -> None:
    mine = Records(storage, "message", await context("c"))
    theirs = Records(storage, "message", await context(conversation, owner))
    record = mine.make("x", "mine")
    await mine.store(record)
    await theirs.delete("x")
    await theirs.mutate(mine.make("x", "theirs"))
    assert await mine.held() == [record]
    assert [str(held.content) for held in await theirs.held()] == ["theirs"]


async def test_a_context_that_says_nothing_is_the_unnamed_one(store: SqlStore) -> None:
    ctx = (await ran()).turn
    await store.store_message(ctx, message("x"))
    assert [held.id for held in await store.fetch_messages(await context("", ""))] == ["x"]


async def test_no_owner_and_no_conversation_are_the_unnamed_ones(store: SqlStore) -> None:
    unnamed, ctx = await context(), await context()
    ctx.stash.set(OWNER, None)
    ctx.stash.set(CONVERSATION, None)
    await store.store_message(ctx, message("a"))
    assert [held.id for held in await store.fetch_messages(unnamed)] == ["a"]
    for key, name in ((OWNER, "\ud800"), (OWNER, 0), (CONVERSATION, 7)):  # not to be mixed up
        ctx = await context()
        ctx.stash.set(key, name)
        with pytest.raises(InputRefused, match=r"owner|conversation"):
            await store.fetch_messages(ctx)


async def test_tools_are_those_it_was_opened_with(storage: Storage) -> None:
    assert list(await storage.fetch_tools(await context())) == [add]


def picture(content: bytes, id: str = "p") -> Media:
    return Media(
        id=id,
        kind="image",
        mime_type="image/png",
        filename="p.png",
        reader=BytesReader(content),
        trust_tier="third-party-public",
        modality_hazard="opaque-perceptual",
        source="https://example.com/p.png",
        stash={"caption": {"value": "A boat.", "trust_tier": "third-party-public"}},
    )


async def test_attachments_come_back_with_their_bytes(store: SqlStore) -> None:
    content = bytes(range(256)) * 3000
    sent = picture(content)
    ctx = await context("c")
    await store.store_message(
        ctx, Message(id="m", role="user", attachments=[sent], created_at=WHEN)
    )
    [restored] = (await store.fetch_messages(ctx))[0].attachments
    assert restored.to_json() == sent.to_json()
    assert await restored.as_bytes() == content
    assert await restored.as_bytes() == content


async def test_results_of_every_form_come_back(store: SqlStore) -> None:
    ctx = await context("c")
    results: list[Any] = [
        "text",
        "",
        SpooledArtifact(TextSpool("a\nb")),
        [SpooledCsvArtifact(TextSpool("n;v\n1;2")), SpooledArtifact(BytesSpool(b"\xff\n\x00"))],
        picture(b"one"),
        [picture(b"one"), picture(b"", "q")],
    ]
    for number, result in enumerate(results):
        await store.store_tool_call(ctx, tool_call(str(number), results=result))
    held = [call.results for call in await store.fetch_tool_calls(ctx)]
    text, empty, artifact, artifacts, media, medias = held
    assert (text, empty) == (Tokenizable("text"), Tokenizable(""))
    assert isinstance(artifact, SpooledArtifact)
    assert await artifact.cat() == ["a", "b"]
    assert isinstance(artifacts, tuple)
    table, raw = artifacts
    assert isinstance(table, SpooledCsvArtifact)
    assert (await table.csv_rows())["rows"] == [{"n": "1", "v": "2"}]
    assert isinstance(raw, SpooledArtifact)
    assert [piece async for piece in raw.reader.stream()] == [b"\xff\n\x00"]  # type: ignore[attr-defined]
    assert isinstance(media, Media)
    assert await media.as_bytes() == b"one"
    assert isinstance(medias, tuple)
    assert [await item.as_bytes() for item in medias if isinstance(item, Media)] == [b"one", b""]


class Shouted(SpooledArtifact):
    """An artifact of a class that the store does not know, over a reader without bytes."""


class OwnReader:
    def byte_length(self) -> int:
        return 5

    def line_count(self) -> int:
        return 2

    def lines(self, start: int, end: int | None, *, longest: int = 0) -> list[str]:
        return ["HI", "HO"][start:end]

    def text(self) -> str:
        return "HI\nHO"


async def test_an_artifact_of_an_unknown_class_comes_back_as_lines(store: SqlStore) -> None:
    ctx = await context("c")
    kept = Retrievable(
        id="r",
        content=Shouted(OwnReader()),
        trust_tier="first-party",
        inline=False,
        score=0.25,
        kind="page",
        created_at=WHEN,
    )
    await store.store_retrievable(ctx, kept)
    [restored] = await store.fetch_retrievables(ctx)
    assert restored.to_json() == kept.to_json()
    assert type(restored.content) is SpooledArtifact
    assert await restored.read_text() == "HI\nHO"


async def blob_count(store: SqlStore) -> int:
    rows = await store.database.query("SELECT count(*) AS n FROM blobs")
    return int(rows[0]["n"])


async def test_bytes_are_kept_once_and_go_with_their_last_record(store: SqlStore) -> None:
    ctx = await context("c")
    for id in ("a", "b"):
        await store.store_message(
            ctx, Message(id=id, role="user", attachments=[picture(b"same", id)], created_at=WHEN)
        )
    assert await blob_count(store) == 1
    await store.delete_message(ctx, "a")
    [kept] = await store.fetch_messages(ctx)
    assert await kept.attachments[0].as_bytes() == b"same"
    await store.mutate_message(ctx, message("b", "without"))
    assert await blob_count(store) == 0
    with pytest.raises(InputRefused, match="changed while it was read"):
        await kept.attachments[0].as_bytes()


async def test_a_reader_that_never_ends_is_refused(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tether.batteries.storage.sql.blobs.LARGEST_BLOB", 100)
    closed: list[bool] = []

    class Endless:
        async def stream(self) -> AsyncIterator[bytes]:
            try:
                while True:
                    yield b"x" * 30
            finally:
                closed.append(True)

    media = Media.user_attachment(
        kind="image", mime_type="image/png", filename="x", reader=Endless()
    )
    record = Message(id="m", role="user", attachments=[media], created_at=WHEN)
    ctx = await context("c")
    with pytest.raises(LimitExceeded, match="more than 100 bytes"):
        await store.store_message(ctx, record)
    assert closed == [True]
    assert await store.fetch_messages(ctx) == []


class Plain:
    """A media reader whose stream is an iterator that cannot be closed."""

    def __init__(self) -> None:
        self.left = 3

    def stream(self) -> Plain:
        return Plain()

    def __aiter__(self) -> Plain:
        return self

    async def __anext__(self) -> bytes:
        if not self.left:
            raise StopAsyncIteration
        self.left -= 1
        return b"ab"


async def test_any_iterator_of_bytes_will_do(store: SqlStore) -> None:
    ctx = await context("c")
    media = Media.user_attachment(kind="audio", mime_type="audio/x", filename="x", reader=Plain())
    await store.store_message(
        ctx, Message(id="m", role="user", attachments=[media], created_at=WHEN)
    )
    [restored] = await store.fetch_messages(ctx)
    assert await restored.attachments[0].as_bytes() == b"ababab"


@pytest.mark.parametrize(
    "record",
    [
        Thought(id="t", payload={1, 2}, replay_compatibility="x", created_at=WHEN, content="a set"),
        Thought(id="t", content=Tokenizable(lambda ctx: "late"), created_at=WHEN),
    ],
)
async def test_what_could_not_be_read_again_is_refused(store: SqlStore, record: Thought) -> None:
    ctx = await context("c")
    with pytest.raises(InputRefused):
        await store.store_thought(ctx, record)
    assert await store.fetch_thoughts(ctx) == []


@pytest.mark.parametrize("body", ["", "[]", "{}", '{"id":"x"}', "[" * 100_000])
async def test_a_row_that_somebody_changed_is_called_damaged(store: SqlStore, body: str) -> None:
    ctx = await context("c")
    await store.store_message(ctx, message("x"))
    async with store.database.writing() as transaction:
        await transaction.execute("UPDATE messages SET body = ?", (body,))
    with pytest.raises(StoreDamaged, match="a row of the store is damaged"):
        await store.fetch_messages(ctx)


async def test_a_call_whose_arguments_were_changed_is_called_damaged(store: SqlStore) -> None:
    ctx = await context("c")
    await store.store_tool_call(ctx, tool_call("x", args={"amount": 1}))
    async with store.database.writing() as transaction:
        await transaction.execute(
            "UPDATE tool_calls SET body = replace(body, '\"amount\":1', '\"amount\":9')"
        )
    with pytest.raises(StoreDamaged, match="does not belong"):
        await store.fetch_tool_calls(ctx)


async def test_an_id_with_nul_is_refused_and_a_lone_surrogate_is_replaced(
    store: SqlStore,
) -> None:
    with pytest.raises(InputRefused, match="NUL"):
        await store.delete_message(await context("a\0b"), "x")
    ctx = await context("a\ud800")
    await store.store_message(ctx, message("x"))
    assert [held.id for held in await store.fetch_messages(await context("a\ufffd"))] == ["x"]
