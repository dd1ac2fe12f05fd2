"""The records of turns, except memories and instructions, in a SQL database."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

from tether.batteries.storage.sql.blobs import Drained, drop_blobs, keep_blobs
from tether.batteries.storage.sql.database import SqlPart, Transaction, next_seq
from tether.batteries.storage.sql.forms import Forms, json_text, refuse_unreadable, restored
from tether.batteries.storage.sql.provenance import conversation_of, owner_of
from tether.core.message import Message
from tether.core.retrievable import Retrievable
from tether.core.thought import Thought
from tether.core.tool_call import ToolCall
from tether.runtime.context import Context
from tether.runtime.tool import Tool

Record = TypeVar("Record", bound=Message | Thought | ToolCall | Retrievable)


class _Kind(NamedTuple, Generic[Record]):
    """The table of one class of records, and their conversion."""

    table: str
    form: Callable[[Forms, Record, Drained], Awaitable[dict[str, Any]]]
    restore: Callable[[Forms, Mapping[str, Any]], Record]


_MESSAGES = _Kind[Message]("messages", Forms.message_form, Forms.message)
_THOUGHTS = _Kind[Thought]("thoughts", Forms.thought_form, Forms.thought)
_TOOL_CALLS = _Kind[ToolCall]("tool_calls", Forms.tool_call_form, Forms.tool_call)
_RETRIEVABLES = _Kind[Retrievable]("retrievables", Forms.retrievable_form, Forms.retrievable)

RECORD_TABLES = ("messages", "thoughts", "tool_calls", "retrievables")


class _Place(NamedTuple):
    """The owner, conversation and id of a record."""

    owner: str
    conversation: str
    id: str


class _Row(NamedTuple):
    """A row as its table has it."""

    owner: str
    conversation: str
    id: str
    seq: int
    body: str


class SqlRecords(SqlPart):
    """Messages, thoughts, tool calls and retrievables of turns, in the order they were stored.

    The stash of the turn names owner and conversation (`tether.owner`, `tether.conversation`). As
    in a turn, several records may have one id: `store` adds a record unless an identical one
    exists; `mutate` puts it in place of the first with its id and drops the others, or adds it;
    `delete` removes the first, if any. Attachments and artifacts are stored with their record:
    raises `LimitExceeded` for a large one, `InputRefused` for a record without a JSON form.
    """

    _tools: tuple[Tool, ...]

    async def fetch_messages(self, ctx: Context) -> Sequence[Message]:
        """Return the conversation's messages in the order they were stored."""
        return await self._fetched_records(_MESSAGES, ctx)

    async def fetch_thoughts(self, ctx: Context) -> Sequence[Thought]:
        """Return the conversation's thoughts."""
        return await self._fetched_records(_THOUGHTS, ctx)

    async def fetch_tool_calls(self, ctx: Context) -> Sequence[ToolCall]:
        """Return the conversation's tool calls."""
        return await self._fetched_records(_TOOL_CALLS, ctx)

    async def fetch_retrievables(self, ctx: Context) -> Sequence[Retrievable]:
        """Return the conversation's retrievables."""
        return await self._fetched_records(_RETRIEVABLES, ctx)

    async def fetch_tools(self, ctx: Context) -> Sequence[Tool]:
        """Return the tools given to `open`: functions are not stored."""
        return self._tools

    async def store_message(self, ctx: Context, message: Message) -> None:
        """Keep a message."""
        await self._store_record(_MESSAGES, ctx, message)

    async def mutate_message(self, ctx: Context, message: Message) -> None:
        """Replace the message of that id."""
        await self._mutate_record(_MESSAGES, ctx, message)

    async def delete_message(self, ctx: Context, id: str) -> None:
        """Forget the message of that id."""
        await self._delete_record("messages", ctx, id)

    async def store_thought(self, ctx: Context, thought: Thought) -> None:
        """Keep a thought."""
        await self._store_record(_THOUGHTS, ctx, thought)

    async def mutate_thought(self, ctx: Context, thought: Thought) -> None:
        """Replace the thought of that id."""
        await self._mutate_record(_THOUGHTS, ctx, thought)

    async def delete_thought(self, ctx: Context, id: str) -> None:
        """Forget the thought of that id."""
        await self._delete_record("thoughts", ctx, id)

    async def store_tool_call(self, ctx: Context, tool_call: ToolCall) -> None:
        """Keep a tool call."""
        await self._store_record(_TOOL_CALLS, ctx, tool_call)

    async def mutate_tool_call(self, ctx: Context, tool_call: ToolCall) -> None:
        """Replace the tool call of that id."""
        await self._mutate_record(_TOOL_CALLS, ctx, tool_call)

    async def delete_tool_call(self, ctx: Context, id: str) -> None:
        """Forget the tool call of that id."""
        await self._delete_record("tool_calls", ctx, id)

    async def store_retrievable(self, ctx: Context, retrievable: Retrievable) -> None:
        """Keep a retrievable."""
        await self._store_record(_RETRIEVABLES, ctx, retrievable)

    async def mutate_retrievable(self, ctx: Context, retrievable: Retrievable) -> None:
        """Replace the retrievable of that id."""
        await self._mutate_record(_RETRIEVABLES, ctx, retrievable)

    async def delete_retrievable(self, ctx: Context, id: str) -> None:
        """Forget the retrievable of that id."""
        await self._delete_record("retrievables", ctx, id)

    async def _fetched_records(self, kind: _Kind[Record], ctx: Context) -> list[Record]:
        owner, conversation, _ = _place(ctx, "")
        rows = await self._database.query(
            f"SELECT body FROM {kind.table} WHERE owner = ? AND conversation = ? ORDER BY seq",  # noqa: S608
            (owner, conversation),
        )
        forms = Forms(self._database)
        return [restored(partial(kind.restore, forms), row["body"]) for row in rows]

    async def _store_record(self, kind: _Kind[Record], ctx: Context, record: Record) -> None:
        place = _place(ctx, record.id)
        body, drained = await self._written_record(kind, record)
        async with self._database.writing() as transaction:
            rows = await transaction.query(
                f"SELECT seq FROM {kind.table} "  # noqa: S608  # the tables above
                "WHERE owner = ? AND conversation = ? AND id = ? AND body = ?",
                (*place, body),
            )
            if not rows:
                seq = await next_seq(transaction)
                await _insert(transaction, kind.table, _row(place, seq, body), drained)

    async def _mutate_record(self, kind: _Kind[Record], ctx: Context, record: Record) -> None:
        place = _place(ctx, record.id)
        body, drained = await self._written_record(kind, record)
        async with self._database.writing() as transaction:
            places = await _places(transaction, kind.table, place)
            if places:
                await _remove(transaction, kind.table, places)
            seq = places[0] if places else await next_seq(transaction)
            await _insert(transaction, kind.table, _row(place, seq, body), drained)

    async def _delete_record(self, table: str, ctx: Context, id: str) -> None:
        place = _place(ctx, id)
        async with self._database.writing() as transaction:
            await _remove(transaction, table, (await _places(transaction, table, place))[:1])

    async def _written_record(self, kind: _Kind[Record], record: Record) -> tuple[str, Drained]:
        """Return a record's text and bytes; refuse a record that could not be read again."""
        drained, forms = Drained(), Forms(self._database)
        body = json_text(await kind.form(forms, record, drained))
        refuse_unreadable(partial(kind.restore, forms), body)
        return body, drained


def _place(ctx: Context, id: str) -> _Place:
    return _Place(owner_of(ctx), conversation_of(ctx), id)


def _row(place: _Place, seq: int, body: str) -> _Row:
    return _Row(place.owner, place.conversation, place.id, seq, body)


async def _places(transaction: Transaction, table: str, place: _Place) -> list[int]:
    rows = await transaction.query(
        f"SELECT seq FROM {table} WHERE owner = ? AND conversation = ? AND id = ? ORDER BY seq",  # noqa: S608
        place,
    )
    return [int(row["seq"]) for row in rows]


async def _insert(transaction: Transaction, table: str, row: _Row, drained: Drained) -> None:
    await transaction.execute(
        f"INSERT INTO {table} (owner, conversation, id, seq, body) VALUES (?, ?, ?, ?, ?)",  # noqa: S608
        row,
    )
    await keep_blobs(transaction, row.seq, drained.contents)


async def _remove(transaction: Transaction, table: str, places: Sequence[int]) -> None:
    for seq in places:
        await transaction.execute(f"DELETE FROM {table} WHERE seq = ?", (seq,))  # noqa: S608
    await drop_blobs(transaction, places)
