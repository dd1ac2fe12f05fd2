"""What a question leaves behind when it is stopped: as the index and the store say, not a guess."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from tether.app.search import current_generation
from tether.batteries.storage.errors import RecordMissing, StoreFailed
from tether.batteries.storage.port import Store
from tether.batteries.storage.records import GateState
from tether.text.numbers import counted

MOST = 100_000
"""The gates that are looked through for those of a turn."""


@dataclass(slots=True)
class Remains:
    """Follows one question, so that a message after Ctrl-C is true.

    `index` is the folder of the index, None where it is not brought in step; `generation` is the
    one that answered before. `turn` is "" until the question is asked.
    """

    index: Path | None = None
    generation: int | None = None
    turn: str = ""
    is_stored: bool = False
    decisions: int = 0
    memories: int = 0

    @classmethod
    def of(cls, index: Path) -> Remains:
        """Return the state before a question whose index may be brought in step first."""
        return cls(index=index, generation=current_generation(index))

    async def look(self, store: Store, owner: str) -> None:
        """Find out what the store has of the turn; what cannot be read counts as not stored.

        A transaction that was under way when the turn was stopped has ended by now.
        """
        try:
            await store.exchange(self.turn, owner=owner)
            self.is_stored = True
        except (RecordMissing, StoreFailed):
            self.is_stored = False
        try:
            gates = await store.gates(owner=owner, states=get_args(GateState), limit=MOST)
            self.decisions = sum(row.run == self.turn for row in gates)
            kept = await store.memories(owner=owner, state=None)
            self.memories = sum(record.turn == self.turn for record in kept)
        except StoreFailed:
            return

    @property
    def text(self) -> str:
        """What a person has to know after an interruption."""
        if self.is_stored:
            told = [f"The answer is stored: `tether logs show {self.turn}` prints it."]
        elif self.turn:
            told = ["The turn was stopped: neither the question nor an answer was stored."]
        else:
            told = ["The question was not asked."]
        if self.decisions:
            calls = counted(self.decisions, "decision")
            told.append(f"Kept of it: {calls} about calls, see `tether gates list --state all`.")
        if self.memories:
            told.append(f"{counted(self.memories, 'fact')} remembered: see `tether memory list`.")
        if self._is_index_new:
            told.append("The index was brought in step with the documents.")
        return " ".join(told)

    @property
    def _is_index_new(self) -> bool:
        return self.index is not None and current_generation(self.index) != self.generation
