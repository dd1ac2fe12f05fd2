"""Decisions that a turn needs of a person: open gates, and proposed standing instructions."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import click

from tether.app.display import error_line, one_line
from tether.app.event_loop import EventLoop
from tether.app.terminal.steps import StepLines
from tether.app.terminal.typist import Typist
from tether.ask.answer import Answer
from tether.ask.events import Step
from tether.batteries.storage.errors import GateSettled
from tether.batteries.storage.port import Store
from tether.batteries.storage.records import GateRow, Instruction
from tether.batteries.tools.durable_steps import shown_gate

LOOK_SECONDS = 0.25
"""The interval for checking the gates of a running turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decisions:
    """Asks the person at the terminal. Without one it only prints what waits, and how to decide."""

    store: Store
    owner: str
    typist: Typist

    @property
    def _person(self) -> str:
        """The name that a decision is noted under."""
        return self.owner or "chat"

    async def during(
        self, ask: Callable[[str], Coroutine[Any, Any, Answer]], steps: StepLines
    ) -> Answer:
        """Return the answer of a turn, with every gate that it opens put to the person."""
        turn = uuid4().hex
        asking = asyncio.ensure_future(ask(turn))
        shown: set[str] = set()
        try:
            while not (await asyncio.wait({asking}, timeout=LOOK_SECONDS))[0]:
                for row in await self._opened(turn, shown):
                    shown.add(row.id)
                    with steps.paused():
                        await self._decide(row)
            return asking.result()
        finally:
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)

    def about_instructions(self, steps: Sequence[Step], loop: EventLoop) -> None:
        """Ask about each instruction that a turn proposed: a yes confirms it, a no drops it."""
        if not self.typist.is_person:
            loop.run(self.tell_instructions(steps))
            return
        for each in loop.run(self._proposed(steps)):
            yes = self.typist.agrees(f'Keep as a standing instruction: "{one_line(each.text)}"?')
            loop.run(self._settle_instruction(each.id, yes=yes))

    async def tell_instructions(self, steps: Sequence[Step]) -> None:
        """Print the instructions that a turn proposed, and how a person confirms one."""
        for each in await self._proposed(steps):
            click.echo(f'Proposed as a standing instruction: "{one_line(each.text)}"', err=True)
            click.echo(f"Keep it with `tether memory instructions confirm {each.id}`.", err=True)

    async def _proposed(self, steps: Sequence[Step]) -> list[Instruction]:
        """Return the proposed instructions; one that was confirmed before is not among them."""
        ids = {str(step.detail.get("id", "")) for step in steps if step.kind == "propose"}
        if not ids:
            return []
        waiting = await self.store.instructions(owner=self.owner, state="proposed")
        return [each for each in waiting if each.id in ids]

    async def _opened(self, turn: str, shown: set[str]) -> list[GateRow]:
        rows = await self.store.gates(owner=self.owner, states=("open",))
        return [row for row in rows if row.run == turn and row.id not in shown]

    async def _decide(self, row: GateRow) -> None:
        for line in gate_lines(row):
            click.echo(line, err=True)
        if not self.typist.is_person:
            click.echo(f"It waits: `tether gates approve {row.id}` in another terminal.", err=True)
            return
        try:
            with _python_interrupts():
                yes = self.typist.agrees("Allow it?")
        except KeyboardInterrupt:
            await self._settle_gate(row, yes=False)
            signal.raise_signal(signal.SIGINT)  # now it reaches the loop, which stops the turn
        else:
            await self._settle_gate(row, yes=yes)

    async def _settle_gate(self, row: GateRow, *, yes: bool) -> None:
        """Settle the gate; it may have been settled elsewhere, or have expired."""
        by, checksum = self._person, row.checksum
        try:
            await self.store.settle_gate(
                row.id, approved=yes, by=by, checksum=checksum, owner=self.owner
            )
        except GateSettled as error:
            click.echo(error_line(error), err=True)

    async def _settle_instruction(self, id: str, *, yes: bool) -> None:
        if yes:
            await self.store.confirm_instruction(id, owner=self.owner, by=self._person)
        else:
            await self.store.drop_instruction(id, owner=self.owner)


def gate_lines(row: GateRow) -> list[str]:
    """Return the lines about a gate: the whole call, as it will be made."""
    form = shown_gate(row)
    hidden = f", {form['hidden']} hidden ones shown as escapes" if form["hidden"] else ""
    lines = [
        f"A call waits for a decision (gate {row.id}):",
        f"    {one_line(row.tool)} {form['arguments']}",
        f"    {form['characters']} characters{hidden}; expires {form['expires_at']}",
    ]
    return [*lines, f"    {form['warning']}"] if form["warning"] else lines


@contextmanager
def _python_interrupts() -> Generator[None]:
    """Let Ctrl-C raise while a line is typed inside the loop, whose handler would only cancel."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
