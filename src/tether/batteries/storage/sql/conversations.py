"""Threads of accepted exchanges in a SQL database."""

from __future__ import annotations

from collections.abc import Sequence

from tether.batteries.storage.errors import RecordMissing
from tether.batteries.storage.records import Conversation, Exchange
from tether.batteries.storage.sql.blobs import Drained, drop_blobs, keep_blobs
from tether.batteries.storage.sql.database import (
    Row,
    SqlPart,
    Transaction,
    next_seq,
    text_time,
    time_text,
)
from tether.batteries.storage.sql.forms import Forms, details_text, restored
from tether.batteries.storage.sql.turn_records import RECORD_TABLES
from tether.core.clean_text import clean_text
from tether.core.ids import new_id

LONGEST_TITLE = 200

_SELECT = (
    "SELECT id, owner, title, created_at, updated_at, (SELECT count(*) FROM exchanges "
    "WHERE exchanges.owner = conversations.owner AND exchanges.conversation = conversations.id) "
    "AS exchanges FROM conversations WHERE owner = ?"
)
_NEEDED = " UNION ALL ".join(
    f"SELECT seq FROM {table} WHERE owner = ? AND conversation = ?"  # noqa: S608
    for table in ("exchanges", *RECORD_TABLES)
)


class SqlConversations(SqlPart):
    """The conversations of a store; those of other owners do not exist for a caller."""

    async def begin(self, *, owner: str = "", title: str = "", id: str = "") -> Conversation:
        """Start a conversation, or return the owner's conversation of that id."""
        id = id or new_id()
        now = time_text(self._clock.now())
        async with self._database.writing() as transaction:
            await _begin(transaction, owner, id, title, now)
            rows = await transaction.query(f"{_SELECT} AND id = ?", (owner, id))
        return _conversation(rows[0])

    async def conversations(
        self, *, owner: str = "", limit: int = 50, before: str = ""
    ) -> Sequence[Conversation]:
        """Return conversations, the most recent first; with `before`, those older than that id.

        Raises `RecordMissing` for an unknown id.
        """
        arguments: tuple[str, ...] = (owner,)
        earlier = ""
        if before:
            await self.conversation(before, owner=owner)
            arguments = (owner, owner, before)
            earlier = " AND seq < (SELECT seq FROM conversations WHERE owner = ? AND id = ?)"
        rows = await self._database.query(
            f"{_SELECT}{earlier} ORDER BY seq DESC LIMIT ?", (*arguments, max(0, limit))
        )
        return [_conversation(row) for row in rows]

    async def conversation(self, id: str, *, owner: str = "") -> Conversation:
        """Return one; raises `RecordMissing`."""
        rows = await self._database.query(f"{_SELECT} AND id = ?", (owner, id))
        if not rows:
            raise _missing()
        return _conversation(rows[0])

    async def rename_conversation(self, id: str, title: str, *, owner: str = "") -> Conversation:
        """Give it another title and return it; raises `RecordMissing`."""
        async with self._database.writing() as transaction:
            changed = await transaction.execute(
                "UPDATE conversations SET title = ? WHERE owner = ? AND id = ?",
                (_title(title), owner, id),
            )
            _require(changed)
        return await self.conversation(id, owner=owner)

    async def delete_conversation(self, id: str, *, owner: str = "") -> None:
        """Delete it with everything in it; raises `RecordMissing`."""
        async with self._database.writing() as transaction:
            await _delete_contents(transaction, owner, id)
            deleted = await transaction.execute(
                "DELETE FROM conversations WHERE owner = ? AND id = ?", (owner, id)
            )
            _require(deleted)
        await self._scrub()

    async def store_exchange(
        self, exchange: Exchange, *, owner: str = "", begins: str | None = None
    ) -> None:
        """Store question and answer in one transaction; a second call for a turn does nothing.

        With `begins`, the conversation is created with that title in the same transaction. Raises
        `RecordMissing` if the owner has no such conversation.
        """
        drained, forms = Drained(), Forms(self._database)
        question = await forms.message_text(exchange.question, drained)
        answer = await forms.message_text(exchange.answer, drained)
        details = details_text(exchange.details)
        texts = (question, answer, details, clean_text(exchange.prompt))
        async with self._database.writing() as transaction:
            known = await transaction.query(
                "SELECT 1 FROM exchanges WHERE owner = ? AND turn = ?", (owner, exchange.turn)
            )
            if known:
                return
            now = time_text(self._clock.now())
            if begins is not None:
                await _begin(transaction, owner, exchange.conversation, begins, now)
            seq = await next_seq(transaction)
            touched = await transaction.execute(
                "UPDATE conversations SET updated_at = ?, seq = ? WHERE owner = ? AND id = ?",
                (now, seq, owner, exchange.conversation),
            )
            _require(touched)
            await transaction.execute(
                "INSERT INTO exchanges (owner, turn, conversation, seq, question, answer, details, "
                "prompt) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (owner, exchange.turn, exchange.conversation, seq, *texts),
            )
            await keep_blobs(transaction, seq, drained.contents)

    async def exchanges(
        self, conversation: str, *, owner: str = "", last: int = 0
    ) -> Sequence[Exchange]:
        """Return the exchanges in order, or only the `last` ones; raises `RecordMissing`."""
        await self.conversation(conversation, owner=owner)
        limit, arguments = (" LIMIT ?", (last,)) if last > 0 else ("", ())
        rows = await self._database.query(
            "SELECT * FROM exchanges WHERE owner = ? AND conversation = ? "  # noqa: S608
            f"ORDER BY seq DESC{limit}",
            (owner, conversation, *arguments),
        )
        return [self._exchange_of(row) for row in reversed(rows)]

    async def exchange(self, turn: str, *, owner: str = "") -> Exchange:
        """Return the exchange of a turn ("": the latest of all); raises `RecordMissing`."""
        one, arguments = (" AND turn = ?", (turn,)) if turn else ("", ())
        rows = await self._database.query(
            f"SELECT * FROM exchanges WHERE owner = ?{one} ORDER BY seq DESC LIMIT 1",  # noqa: S608
            (owner, *arguments),
        )
        if not rows:
            raise _missing("exchange")
        return self._exchange_of(rows[0])

    async def turns(
        self, *, owner: str = "", limit: int = 50, before: str = ""
    ) -> Sequence[Exchange]:
        """Return the exchanges of all conversations, the most recent first.

        With `before`, those older than that turn; raises `RecordMissing` for an unknown one.
        """
        arguments: tuple[str, ...] = (owner,)
        earlier = ""
        if before:
            await self.exchange(before, owner=owner)
            arguments = (owner, owner, before)
            earlier = " AND seq < (SELECT seq FROM exchanges WHERE owner = ? AND turn = ?)"
        rows = await self._database.query(
            f"SELECT * FROM exchanges WHERE owner = ?{earlier} ORDER BY seq DESC LIMIT ?",  # noqa: S608
            (*arguments, max(0, limit)),
        )
        return [self._exchange_of(row) for row in rows]

    def _exchange_of(self, row: Row) -> Exchange:
        message = Forms(self._database).message
        return Exchange(
            turn=row["turn"],
            conversation=row["conversation"],
            question=restored(message, row["question"]),
            answer=restored(message, row["answer"]),
            details=restored(dict, row["details"]),
            prompt=row["prompt"],
        )


async def _begin(transaction: Transaction, owner: str, id: str, title: str, now: str) -> None:
    """Insert a conversation, unless the owner has it."""
    known = await transaction.query(
        "SELECT 1 FROM conversations WHERE owner = ? AND id = ?", (owner, id)
    )
    if not known:
        await transaction.execute(
            "INSERT INTO conversations (owner, id, title, created_at, updated_at, seq) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            (owner, id, _title(title), now, now, await next_seq(transaction)),
        )


async def _delete_contents(transaction: Transaction, owner: str, id: str) -> None:
    tables = ("exchanges", *RECORD_TABLES)
    rows = await transaction.query(
        f"SELECT DISTINCT record FROM blob_uses WHERE record IN ({_NEEDED})",  # noqa: S608
        (owner, id) * len(tables),
    )
    await drop_blobs(transaction, [row["record"] for row in rows])
    for table in tables:
        await transaction.execute(
            f"DELETE FROM {table} WHERE owner = ? AND conversation = ?",  # noqa: S608
            (owner, id),
        )


def _conversation(row: Row) -> Conversation:
    return Conversation(
        id=row["id"],
        owner=row["owner"],
        title=row["title"],
        created_at=text_time(row["created_at"]),
        updated_at=text_time(row["updated_at"]),
        exchanges=int(row["exchanges"]),
    )


def _title(title: str) -> str:
    return " ".join(clean_text(title).split())[:LONGEST_TITLE]


def _require(changed: int) -> None:
    """Roll back, by raising an error, if the conversation is missing."""
    if not changed:
        raise _missing()


def _missing(what: str = "conversation") -> RecordMissing:
    return RecordMissing(f"there is no such {what}: `tether ask --json` shows the ids")
