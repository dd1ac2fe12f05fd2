"""Gates as rows: a single statement settles, claims or finishes each one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, fields
from datetime import datetime, timedelta
from typing import Any, cast

from tether.batteries.storage.errors import GateSettled, RecordMissing
from tether.batteries.storage.records import GateRow, GateState
from tether.batteries.storage.sql.database import (
    Row,
    SqlPart,
    Transaction,
    next_seq,
    text_time,
    time_text,
)
from tether.core.clean_text import clean_text
from tether.core.errors import InputRefused, LimitExceeded
from tether.core.plain_data import parse_json_object, tool_checksum

GATES_PER_MINUTE = 20
"""Per run. People who are asked more often approve without reading."""

GATES_PER_RUN = 500
MOST_DENIALS = 2
"""After so many denials of a tool in a run, it is refused without asking anybody."""

_COLUMNS = tuple(field.name for field in fields(GateRow))
_INSERT = (
    f"INSERT INTO gates ({', '.join(_COLUMNS)}, seq) "  # noqa: S608  # names of fields
    f"VALUES ({', '.join('?' for _ in _COLUMNS)}, ?)"
)
_AT_STEP = "SELECT * FROM gates WHERE run = ? AND step = ?"
_DUE = "SELECT id FROM gates WHERE state = 'open' AND expires_at <= ? LIMIT 1"
_EXPIRE = (
    "UPDATE gates SET state = 'expired', decided_at = expires_at "
    "WHERE state = 'open' AND expires_at <= ?"
)


class SqlGates(SqlPart):
    """The gates of a store. The database decides which decision was first and which came late.

    A row is bound to its tool and arguments by their checksum, which is computed from the row again
    when it is settled or claimed: a row that was changed in between never runs.
    """

    async def open_gate(self, row: GateRow) -> GateRow:
        """Store a gate before anybody sees it; return the existing row if the step has one.

        Raises `GateSettled` if that row is bound to other arguments or another owner,
        `LimitExceeded` if the run opens too many gates, and `InputRefused` if its tool was denied
        too often.
        """
        if not _is_bound(row) or row.state != "open":
            raise InputRefused("a gate needs the checksum of its own tool and arguments")
        known = await self._database.query(_AT_STEP, (row.run, row.step))
        if not known:
            async with self._database.writing() as transaction:
                known = await transaction.query(_AT_STEP, (row.run, row.step))
                if not known:
                    await _refuse_too_many(transaction, row)
                    await transaction.execute(_INSERT, (*_values(row), await next_seq(transaction)))
                    return row
        found = _gate(known[0])
        if (found.checksum, found.owner) != (row.checksum, row.owner):
            raise GateSettled(f"step {row.step} of the run {row.run!r} is bound to another call")
        return await self.gate(found.id)

    async def gate(self, id: str, *, owner: str | None = None) -> GateRow:
        """Return a gate, as `expired` if it is past its time; raises `RecordMissing`."""
        row = await self._row(id, owner)
        if row.state != "open" or row.expires_at > self._clock.now():
            return row
        await self._expire(self._clock.now())
        return await self._row(id, owner)

    async def gates(
        self, *, owner: str | None = None, states: Sequence[GateState] = ("open",), limit: int = 100
    ) -> Sequence[GateRow]:
        """Return gates, oldest first; those past their time are `expired`."""
        if not states:
            return []
        now = self._clock.now()
        if await self._database.query(_DUE, (time_text(now),)):
            await self._expire(now)
        marks = ", ".join("?" for _ in states)
        rows = await self._database.query(
            f"SELECT * FROM gates WHERE state IN ({marks}) "  # noqa: S608  # question marks
            "AND (? = 1 OR owner = ?) ORDER BY seq LIMIT ?",
            (*states, int(owner is None), owner or "", max(0, limit)),
        )
        return [_gate(row) for row in rows]

    async def settle_gate(
        self,
        id: str,
        *,
        approved: bool,
        by: str,
        checksum: str,
        note: str = "",
        owner: str | None = None,
        now: datetime | None = None,
    ) -> GateRow:
        """Approve or deny once. Raises `GateSettled` for a second, late or altered decision.

        `by` names the person and must not be empty (`InputRefused`). `now` counts only if it is
        later than the store's clock: nobody approves in the past.
        """
        who = clean_text(by).strip()
        if not who:
            raise InputRefused("a decision needs the name of the person who decided: pass by=…")
        moment = max(self._clock.now(), now or self._clock.now())
        await self._row(id, owner)
        async with self._database.writing() as transaction:
            settled = await transaction.query(
                "UPDATE gates SET state = ?, decided_by = ?, decided_at = ?, note = ? "
                "WHERE id = ? AND checksum = ? AND state = 'open' AND expires_at > ? RETURNING *",
                (
                    "approved" if approved else "denied",
                    who,
                    time_text(moment),
                    clean_text(note),
                    id,
                    checksum,
                    time_text(moment),
                ),
            )
            if settled:
                return _unaltered(_gate(settled[0]))
            await transaction.execute(f"{_EXPIRE} AND id = ?", (time_text(moment), id))
        raise _too_late(await self._row(id, owner), checksum)

    async def claim_gate(self, id: str, *, checksum: str) -> GateRow | None:
        """Claim an approved gate to run its step (`running`); None if it is already claimed.

        Raises `GateSettled` if the row or the call differs from the approved one, and
        `RecordMissing`.
        """
        async with self._database.writing() as transaction:
            claimed = await transaction.query(
                "UPDATE gates SET state = 'running' "
                "WHERE id = ? AND checksum = ? AND state = 'approved' RETURNING *",
                (id, checksum),
            )
            if claimed:
                return _unaltered(_gate(claimed[0]))
        row = await self._row(id, None)
        if row.checksum != checksum:
            raise GateSettled(f"the gate {id} was opened for other arguments")
        return None

    async def finish_gate(self, id: str, *, result: str | None, failed: bool = False) -> GateRow:
        """Store the result of the step; the gate is `done` or `failed`.

        An `unknown` step may still finish. Raises `GateSettled` if the step is not running, and
        `RecordMissing`.
        """
        async with self._database.writing() as transaction:
            finished = await transaction.query(
                "UPDATE gates SET state = ?, result = ? "
                "WHERE id = ? AND state IN ('running', 'unknown') RETURNING *",
                ("failed" if failed else "done", result, id),
            )
        if finished:
            return _gate(finished[0])
        row = await self._row(id, None)
        raise GateSettled(f"the gate {id} is {row.state}: it has no step to finish")

    async def abandon_gates(self, run: str) -> int:
        """Mark steps that were `running` when the process of the run died as `unknown`."""
        async with self._database.writing() as transaction:
            return await transaction.execute(
                "UPDATE gates SET state = 'unknown' WHERE run = ? AND state = 'running'", (run,)
            )

    async def _row(self, id: str, owner: str | None) -> GateRow:
        rows = await self._database.query("SELECT * FROM gates WHERE id = ?", (clean_text(id),))
        if not rows or owner not in (None, rows[0]["owner"]):
            raise RecordMissing(f"there is no gate {id!r}; `tether gates list` shows those waiting")
        return _gate(rows[0])

    async def _expire(self, now: datetime) -> None:
        async with self._database.writing() as transaction:
            await transaction.execute(_EXPIRE, (time_text(now),))


async def _refuse_too_many(transaction: Transaction, row: GateRow) -> None:
    """Raise if a run opens too many gates: in total, per minute, or for a denied tool.

    Rows from the future count as recent: setting the clock back does not allow more.
    """
    recent = time_text(row.created_at - timedelta(minutes=1))
    (counted,) = await transaction.query(
        "SELECT COUNT(*) AS whole, COUNT(CASE WHEN created_at > ? THEN 1 END) AS recent, "
        "COUNT(CASE WHEN tool = ? AND (state IN ('denied', 'expired') "
        "OR (state = 'open' AND expires_at <= ?)) THEN 1 END) AS denials "
        "FROM gates WHERE run = ?",
        (recent, row.tool, time_text(row.created_at), row.run),
    )
    if counted["denials"] >= MOST_DENIALS:
        raise InputRefused(
            f"{row.tool} was denied {counted['denials']} times in this run, so nobody is asked "
            "again: continue without it, and say so"
        )
    if counted["recent"] >= GATES_PER_MINUTE or counted["whole"] >= GATES_PER_RUN:
        raise LimitExceeded(
            f"this run asked a person {counted['recent']} times within a minute and "
            f"{counted['whole']} times in all; at most {GATES_PER_MINUTE} and {GATES_PER_RUN} are "
            "allowed: stop here and list the open decisions"
        )


def _is_bound(row: GateRow) -> bool:
    """Return whether the checksum is that of the tool and the arguments in the row."""
    try:
        return tool_checksum(row.tool, parse_json_object(row.arguments)) == row.checksum
    except ValueError:
        return False


def _unaltered(row: GateRow) -> GateRow:
    """Return the row; if it was altered, raise `GateSettled` to roll the change back."""
    if not _is_bound(row):
        raise GateSettled(f"the gate {row.id} was altered in the store after it was opened")
    return row


def _too_late(row: GateRow, checksum: str) -> GateSettled:
    if row.checksum != checksum:
        return GateSettled(f"the gate {row.id} is about another call: look at it again")
    if row.state == "expired":
        return GateSettled(
            f"the gate {row.id} expired at {row.expires_at}, which counts as a denial"
        )
    return GateSettled(
        f"the gate {row.id} is already decided: it is {row.state} (by {row.decided_by!r})"
    )


def _values(row: GateRow) -> list[str | int | None]:
    found = cast("tuple[str | int | datetime | None, ...]", astuple(row))
    return [time_text(value) if isinstance(value, datetime) else value for value in found]


def _gate(row: Row) -> GateRow:
    values: dict[str, Any] = {name: row[name] for name in _COLUMNS}
    for name in ("created_at", "expires_at", "decided_at"):
        values[name] = None if values[name] is None else text_time(values[name])
    return GateRow(**values)
