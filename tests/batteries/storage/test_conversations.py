"""Threads of exchanges: begun, listed, continued, deleted, each for its owner alone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from support.stores import context, open_sqlite
from support.turns import WHEN, message, tool_call
from tether import BytesReader, Media, Message
from tether.batteries.storage.errors import RecordMissing
from tether.batteries.storage.port import Store
from tether.batteries.storage.postgres import PostgresStore
from tether.batteries.storage.records import Exchange
from tether.batteries.storage.sql.database import Arguments, Row
from tether.batteries.storage.sql.store import SqlStore
from tether.batteries.storage.sqlite import SqliteDatabase, SqliteStore
from tether.core.errors import InputRefused
from tether.runtime.clock import SystemClock


def exchange(turn: str, conversation: str, **fields: Any) -> Exchange:
    return Exchange(
        turn=turn,
        conversation=conversation,
        question=message("q", f"question of {turn}", role="user"),
        answer=message("a", f"answer of {turn}"),
        **fields,
    )


async def test_a_conversation_is_begun_once(store: Store) -> None:
    made = await store.begin(owner="o", title="Boats", id="c")
    again = await store.begin(owner="o", title="Ships", id="c")
    assert (made.id, made.owner, made.title, made.exchanges) == ("c", "o", "Boats", 0)
    assert again == made
    assert await store.conversation("c", owner="o") == made
    assert made.created_at == made.updated_at
    assert abs(datetime.now(UTC) - made.created_at) < timedelta(hours=1)


async def test_ids_are_made_where_none_is_given(store: SqlStore) -> None:
    assert (await store.begin()).id != (await store.begin()).id


async def test_a_title_is_one_line_of_bounded_length(store: SqlStore) -> None:
    made = await store.begin(title="a\n\tb\0\ud800 " + "x" * 1000)
    assert made.title.startswith("a b\ufffd xxx")
    assert len(made.title) == 200


async def test_exchanges_come_back_as_they_were(store: SqlStore) -> None:
    await store.begin(id="c")
    details = {"text": "naïve \u2028 \0 \U0001f600", "citations": [{"n": 1.5, "none": None}]}
    first = exchange("1", "c", details=details, prompt="the\nprompt \U0001f600")
    second = exchange("2", "c")
    await store.store_exchange(first)
    await store.store_exchange(second)
    assert await store.exchanges("c") == [first, second]
    assert await store.exchanges("c", last=1) == [second]
    assert await store.exchanges("c", last=9) == [first, second]
    assert await store.exchange("1") == first
    assert await store.exchange("") == second
    assert (await store.conversation("c")).exchanges == 2


async def test_lone_surrogates_do_not_come_back(store: SqlStore) -> None:
    await store.begin(id="c")
    await store.store_exchange(exchange("1", "c", details={"\ud800": "\udfff"}, prompt="\udc00\0!"))
    kept = await store.exchange("1")
    assert (kept.details, kept.prompt) == ({"\ufffd": "\ufffd"}, "\ufffd!")


async def test_the_same_turn_again_is_no_change(store: SqlStore) -> None:
    await store.begin(id="c")
    await store.begin(id="later")
    first = exchange("1", "c")
    await store.store_exchange(first)
    before = await store.conversations()
    await store.store_exchange(exchange("1", "c", prompt="other"))
    await store.store_exchange(exchange("1", "later"))
    assert await store.exchanges("c") == [first]
    assert await store.exchanges("later") == []
    assert await store.conversations() == before


async def test_the_last_used_come_first_page_by_page(store: SqlStore) -> None:
    for id in "abcd":
        await store.begin(id=id)
    await store.store_exchange(exchange("1", "b"))
    await store.begin(id="a")
    listed = [found.id for found in await store.conversations()]
    assert listed == ["b", "d", "c", "a"]
    page = await store.conversations(limit=2)
    rest = await store.conversations(limit=2, before=page[-1].id)
    assert [found.id for found in [*page, *rest]] == listed
    assert await store.conversations(limit=-1) == []
    with pytest.raises(RecordMissing):
        await store.conversations(before="never")


class Jumping(SystemClock):
    """A clock that is set back with every look at it."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 5, 1, tzinfo=UTC)

    def now(self) -> datetime:
        self.moment -= timedelta(days=400)
        return self.moment


async def test_case_122_the_order_is_that_of_writing_whatever_the_clock_says() -> None:
    store = await SqliteStore.open(clock=Jumping())
    for id in "abc":
        await store.begin(id=id)
        await store.store_exchange(exchange(f"1{id}", id))
    await store.store_exchange(exchange("2", "a"))
    assert [found.id for found in await store.conversations()] == ["a", "c", "b"]
    assert [found.turn for found in await store.exchanges("a")] == ["1a", "2"]
    assert (await store.exchange("")).turn == "2"
    await store.aclose()


async def test_among_many_nothing_is_searched_or_sorted_row_by_row() -> None:
    asked: list[tuple[str, Arguments]] = []

    class Watched(SqliteDatabase):
        async def query(self, sql: str, arguments: Arguments = ()) -> list[Row]:
            asked.append((sql, arguments))
            return await super().query(sql, arguments)

    store = SqlStore(await Watched.open(None), key=b"k" * 32)
    await store.begin(id="c")
    await store.store_exchange(exchange("t", "c"))
    await store.exchange("")
    await store.exchange("t")
    await store.exchanges("c", last=3)
    await store.conversations(before="c")
    await store.conversations()
    await store.gates()
    assert len(asked) > 6
    for sql, arguments in tuple(asked):
        plan = await store.database.query(f"EXPLAIN QUERY PLAN {sql}", arguments)
        steps = [row["detail"] for row in plan]
        assert not [step for step in steps if step.startswith(("SCAN ", "USE TEMP"))], sql
    await store.aclose()


async def test_what_belongs_to_others_is_as_missing_as_what_never_was(store: SqlStore) -> None:
    await store.begin(owner="a", id="c")
    await store.store_exchange(exchange("1", "c"), owner="a")
    for owner, id, turn in (("b", "c", "1"), ("a", "never", "never")):
        with pytest.raises(RecordMissing) as caught:
            await store.conversation(id, owner=owner)
        assert "no such conversation" in str(caught.value)
        with pytest.raises(RecordMissing):
            await store.delete_conversation(id, owner=owner)
        with pytest.raises(RecordMissing):
            await store.exchanges(id, owner=owner)
        with pytest.raises(RecordMissing):
            await store.exchange(turn, owner=owner)
        with pytest.raises(RecordMissing):
            await store.store_exchange(exchange("9", id), owner=owner)
        assert owner == "a" or await store.conversations(owner=owner) == []
    with pytest.raises(RecordMissing):
        await store.exchange("", owner="b")
    own = await store.begin(owner="b", id="c", title="mine")
    assert own.title == "mine"
    await store.delete_conversation("c", owner="b")
    assert [found.turn for found in await store.exchanges("c", owner="a")] == ["1"]


async def test_deleting_takes_everything_in_it_and_nothing_else(store: SqlStore) -> None:
    media = Media.user_attachment(
        kind="image", mime_type="image/png", filename="x", reader=BytesReader(b"png")
    )
    for id in ("c", "d"):
        await store.begin(id=id)
        ctx = await context(id)
        with_media = Message(id="m", role="user", attachments=[media], created_at=WHEN)
        await store.store_message(ctx, with_media)
        await store.store_tool_call(ctx, tool_call("t"))
        asked = Exchange(turn=id, conversation=id, question=with_media, answer=message("a"))
        await store.store_exchange(asked)
    await store.delete_conversation("c")
    gone, kept = await context("c"), await context("d")
    assert await store.fetch_messages(gone) == []
    assert await store.fetch_tool_calls(gone) == []
    with pytest.raises(RecordMissing):
        await store.exchange("c")
    assert len(await store.fetch_messages(kept)) == 1
    assert await (await store.exchange("d")).question.attachments[0].as_bytes() == b"png"
    await store.delete_conversation("d")
    assert await store.database.query("SELECT id FROM blobs") == []
    await store.begin(id="c")
    assert await store.exchanges("c") == []


async def test_an_exchange_that_cannot_be_kept_leaves_nothing(store: SqlStore) -> None:
    await store.begin(id="c")
    with pytest.raises(InputRefused, match="JSON"):
        await store.store_exchange(exchange("1", "c", details={"when": datetime.now(UTC)}))
    with pytest.raises(InputRefused, match="NUL"):
        await store.store_exchange(exchange("1\0", "c"))
    assert await store.exchanges("c") == []
    assert (await store.conversation("c")).exchanges == 0


@pytest.fixture(params=["file", "postgres"])
async def lasting(
    request: pytest.FixtureRequest, tmp_path: Path
) -> AsyncIterator[tuple[SqlStore, SqlStore]]:
    """The same store, opened twice."""
    if request.param == "file":
        both: tuple[SqlStore, SqlStore] = (await open_sqlite(tmp_path), await open_sqlite(tmp_path))
    else:
        url = request.getfixturevalue("emptied_url")
        both = (await PostgresStore.open(url), await PostgresStore.open(url))
    yield both
    for store in both:
        await store.aclose()


async def test_two_openings_of_a_store_see_the_same(lasting: tuple[SqlStore, SqlStore]) -> None:
    here, there = lasting
    await here.begin(id="c")
    await there.store_exchange(exchange("1", "c"))
    await here.store_exchange(exchange("2", "c"))
    assert await here.exchanges("c") == await there.exchanges("c")
    await here.delete_conversation("c")
    assert await there.conversations() == []


async def test_a_conversation_begins_with_its_first_exchange_or_not_at_all(store: Store) -> None:
    await store.store_exchange(exchange("1", "c"), begins="The first question")
    await store.store_exchange(exchange("2", "c"), begins="Another title")
    (begun,) = await store.conversations()
    assert (begun.id, begun.title, begun.exchanges) == ("c", "The first question", 2)

    await store.store_exchange(exchange("1", "d"), begins="The same turn again")
    with pytest.raises(RecordMissing):
        await store.conversation("d")
    with pytest.raises(InputRefused):
        await store.store_exchange(exchange("3\0", "e"), begins="Cut short")
    with pytest.raises(RecordMissing):
        await store.conversation("e")


async def test_a_conversation_gets_another_title(store: Store) -> None:
    await store.begin(owner="o", title="Boats", id="c")
    renamed = await store.rename_conversation("c", "Ships\n and more", owner="o")
    assert renamed.title == "Ships and more"
    assert (await store.conversation("c", owner="o")).title == "Ships and more"
    with pytest.raises(RecordMissing):
        await store.rename_conversation("c", "Theirs", owner="somebody else")
    assert (await store.conversation("c", owner="o")).title == "Ships and more"


async def test_turns_of_all_conversations_come_newest_first_and_in_pages(store: Store) -> None:
    for id in ("a", "b"):
        await store.begin(owner="o", id=id)
    for turn, conversation in (("1", "a"), ("2", "b"), ("3", "a")):
        await store.store_exchange(exchange(turn, conversation), owner="o")
    assert [it.turn for it in await store.turns(owner="o")] == ["3", "2", "1"]
    assert [it.turn for it in await store.turns(owner="o", limit=2)] == ["3", "2"]
    assert [it.turn for it in await store.turns(owner="o", before="2")] == ["1"]
    assert await store.turns(owner="o", before="1") == []
    assert await store.turns(owner="somebody else") == []
    with pytest.raises(RecordMissing):
        await store.turns(owner="somebody else", before="2")


async def test_ids_are_found_by_their_beginning_and_owner(store: Store) -> None:
    for owner, id in (("o", "abc"), ("o", "abd"), ("o", "x%"), ("p", "abe")):
        await store.begin(owner=owner, id=id)
    await store.store_exchange(exchange("turn-1", "abc"), owner="o")
    assert await store.matching_ids("conversation", "ab", owner="o") == ["abc", "abd"]
    assert await store.matching_ids("conversation", "ab", owner="o", limit=1) == ["abc"]
    assert await store.matching_ids("conversation", "ab", owner=None) == ["abc", "abd", "abe"]
    assert await store.matching_ids("conversation", "x%", owner="o") == ["x%"]
    assert await store.matching_ids("conversation", "%", owner="o") == []
    assert await store.matching_ids("turn", "turn", owner="o") == ["turn-1"]
    assert await store.matching_ids("turn", "turn", owner="p") == []
    assert await store.matching_ids("gate", "g", owner=None) == []
