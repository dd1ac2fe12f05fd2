"""One turn at a terminal: steps on standard error while it runs, the answer when it stands."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from tether.app.parts import known_sources, open_index
from tether.app.terminal.answers import answer_lines
from tether.app.terminal.explaining import explained, step_form
from tether.app.terminal.places import Places
from tether.app.terminal.screen import Screen
from tether.ask.answer import Answer
from tether.ask.events import Step
from tether.ask.library import IndexLibrary
from tether.batteries.storage.port import Store
from tether.retrieval.search.retriever import Retriever


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A turn that is over: its answer and the steps that led there."""

    answer: Answer
    steps: tuple[Step, ...]

    def to_json(self, *, explain: bool) -> dict[str, Any]:
        """Return the answer's JSON form, with the steps where they are wanted."""
        form = self.answer.to_json()
        return {**form, "steps": [step_form(step) for step in self.steps]} if explain else form

    def reviews(self) -> list[dict[str, Any]]:
        """Return what the checks said of each attempt."""
        return [step_form(step) for step in self.steps if step.kind == "verify"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """Standard output, and where a click on a source leads there."""

    out: Screen
    places: Places

    @classmethod
    def of_process(cls, index: Path) -> Output:
        """Return the output of this process, with the places of an index where clicks work."""
        out = Screen.of(sys.stdout, os.environ)
        places = Places.of(known_sources(index)) if out.coloured else Places()
        return cls(out=out, places=places)

    def lines(self, asked: Asked, *, explain: bool) -> Iterator[str]:
        """Yield what is printed of a turn."""
        yield from answer_lines(asked.answer, self.out, self.places)
        if explain:
            yield ""
            yield from explained(asked.steps, asked.answer.ledger)

    def show(self, asked: Asked, *, explain: bool = False) -> None:
        """Print a turn; that of a failed one goes to standard error."""
        failed = asked.answer.verdict == "failed"
        click.echo("\n".join(self.lines(asked, explain=explain)), err=failed)


async def latest_conversation(store: Store, owner: str) -> str:
    """Return the id of the conversation that was used last; "" where there is none yet."""
    found = await store.conversations(owner=owner, limit=1)
    return found[0].id if found else ""


@contextmanager
def looking_up(index: Path) -> Generator[IndexLibrary]:
    """Yield the documents of an index as they are; nothing is brought in step or embedded."""
    with open_index(index).snapshot() as snapshot:
        yield IndexLibrary(snapshot, Retriever(index=snapshot))
