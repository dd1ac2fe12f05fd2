"""Standing instructions in SQL: proposed by first-party text, active when a person confirms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tether.batteries.storage.confirmation import take_confirmation
from tether.batteries.storage.errors import MemoryRefused, RecordMissing
from tether.batteries.storage.records import Instruction, RecordState
from tether.batteries.storage.sql.database import Row, SqlPart, Transaction, next_seq, time_text
from tether.batteries.storage.sql.forms import object_in, text_in, time_in
from tether.batteries.storage.sql.keys import is_tagged, tag
from tether.batteries.storage.sql.provenance import checked_owner, owner_of, provenance_of
from tether.core.clean_text import clean_text
from tether.core.errors import InputRefused
from tether.core.ids import new_id
from tether.core.plain_data import canonical_json
from tether.core.tiers import TrustTier
from tether.core.tokenizable import TextInput, Tokenizable
from tether.runtime.context import Context

LONGEST_INSTRUCTION = 2_000
MOST_INSTRUCTIONS = 200

_ALL = "SELECT * FROM instructions WHERE owner = ? ORDER BY seq"
_MISSING = "there is no such instruction; `tether memory instructions list` shows yours"


class SqlInstructions(SqlPart):
    """An instruction is active if it has a confirmation signed with the store's key.

    The column `confirmed_by` contains the confirmation as JSON: who agreed, and the tag over owner,
    id, text and time. A row that was made active or changed outside the store counts as `proposed`.
    """

    async def propose_instruction(
        self, text: str, *, owner: str = "", tier: TrustTier = "first-party"
    ) -> Instruction:
        """Keep an instruction as `proposed`; return the existing one of equal text, if any.

        Raises `MemoryRefused` for text below first-party, and for too many instructions;
        `InputRefused` for an empty or very long one.
        """
        if tier != "first-party":
            raise MemoryRefused(
                "text from elsewhere cannot become a standing instruction; write it in your own "
                "words with `tether memory instructions add`"
            )
        async with self._database.writing() as transaction:
            return await self._propose(transaction, checked_owner(owner), _checked(text))

    async def instructions(
        self, *, owner: str = "", state: RecordState | None = "active"
    ) -> Sequence[Instruction]:
        """Return instructions in order."""
        rows = await self._database.query(_ALL, (checked_owner(owner),))
        found = (_instruction(row, self._key) for row in rows)
        return [one for one in found if state in (None, one.state)]

    async def confirm_instruction(self, id: str, *, owner: str = "", by: str) -> Instruction:
        """Make an instruction active; raises `RecordMissing`."""
        owner, by = checked_owner(owner), checked_person(by)
        async with self._database.writing() as transaction:
            rows = await transaction.query(
                "SELECT * FROM instructions WHERE owner = ? AND id = ?", (owner, id)
            )
            if not rows:
                raise RecordMissing(_MISSING)
            return await self._confirm(transaction, rows[0], by)

    async def drop_instruction(self, id: str, *, owner: str = "") -> None:
        """Delete an instruction; raises `RecordMissing`."""
        owner = checked_owner(owner)
        async with self._database.writing() as transaction:
            statement = "DELETE FROM instructions WHERE owner = ? AND id = ?"
            dropped = await transaction.execute(statement, (owner, id))
        if not dropped:
            raise RecordMissing(_MISSING)
        await self._scrub()

    async def refresh_standing_instructions(self, ctx: Context) -> Sequence[TextInput]:
        """Return the active instructions of the owner of the turn."""
        return [one.text for one in await self.instructions(owner=owner_of(ctx))]

    async def store_standing_instruction(self, ctx: Context, instruction: Tokenizable) -> None:
        """Keep an instruction: active after `confirm(ctx, text, by=…)`, else as `proposed`.

        Raises `MemoryRefused` if the conversation has read text below first-party, even with
        consent: otherwise text from elsewhere could become a rule.
        """
        text = str(instruction)
        provenance = await provenance_of(self._database, ctx)
        by = take_confirmation(ctx, text)
        found = await self.propose_instruction(text, owner=owner_of(ctx), tier=provenance.tier)
        if by:
            await self.confirm_instruction(found.id, owner=found.owner, by=by)

    async def mutate_standing_instruction(self, ctx: Context, instruction: Tokenizable) -> None:
        """Keep a changed instruction in addition to the others."""
        await self.store_standing_instruction(ctx, instruction)

    async def delete_standing_instruction(self, ctx: Context, instruction: TextInput) -> None:
        """Delete the instruction of equal text, if any."""
        owner, text = owner_of(ctx), clean_text(str(instruction)).strip()
        async with self._database.writing() as transaction:
            statement = "DELETE FROM instructions WHERE owner = ? AND text = ?"
            await transaction.execute(statement, (owner, text))
        await self._scrub()

    async def _propose(self, transaction: Transaction, owner: str, text: str) -> Instruction:
        held = [_instruction(row, self._key) for row in await transaction.query(_ALL, (owner,))]
        same = next((one for one in held if one.text == text), None)
        if same is not None:
            return same
        if len(held) >= MOST_INSTRUCTIONS:
            raise MemoryRefused(
                f"there are {len(held)} instructions; drop some with `tether memory instructions`"
            )
        now = self._clock.now()
        made = Instruction(id=new_id(), owner=owner, text=text, state="proposed", created_at=now)
        columns = (owner, made.id, text, "proposed", time_text(now), "")
        await transaction.execute(
            "INSERT INTO instructions (owner, id, text, state, created_at, confirmed_by, seq) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (*columns, await next_seq(transaction)),
        )
        return made

    async def _confirm(self, transaction: Transaction, row: Row, by: str) -> Instruction:
        held = _instruction(row, self._key)
        if held.state == "active":
            return held
        signed = canonical_json({"by": by, "tag": tag(self._key, "instruction", _columns(row, by))})
        await transaction.execute(
            "UPDATE instructions SET state = 'active', confirmed_by = ? WHERE owner = ? AND id = ?",
            (signed, row["owner"], row["id"]),
        )
        return replace(held, state="active", confirmed_by=by)


def checked_person(by: str) -> str:
    """Return the name of the person who confirms; raises `InputRefused` for an empty one."""
    name = clean_text(by).strip()
    if not name:
        raise InputRefused("a confirmation needs a name: pass by=…")
    return name


def _checked(text: str) -> str:
    cleaned = clean_text(text).strip()
    if not cleaned or len(cleaned) > LONGEST_INSTRUCTION:
        raise InputRefused(f"an instruction is a text of 1 to {LONGEST_INSTRUCTION} characters")
    return cleaned


def _columns(row: Row, by: str) -> list[str]:
    return [text_in(row[name]) for name in ("owner", "id", "text", "created_at")] + [by]


def _instruction(row: Row, key: bytes) -> Instruction:
    form = object_in(row["confirmed_by"])
    by = text_in(form.get("by"))
    signed = is_tagged(key, "instruction", _columns(row, by), form.get("tag"))
    return Instruction(
        id=row["id"],
        owner=row["owner"],
        text=row["text"],
        state="active" if signed and row["state"] == "active" else "proposed",
        created_at=time_in(row["created_at"]),
        confirmed_by=by if signed else "",
    )
