"""A conversation at the terminal: questions, commands that begin with a slash, and decisions."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import click

from tether.app.printing import told
from tether.app.running import Running
from tether.app.terminal.answers import consulted_lines, one_line, source_lines
from tether.app.terminal.asking import Asked, Output
from tether.app.terminal.deciding import Decisions
from tether.app.terminal.explaining import explained
from tether.app.terminal.screen import Screen
from tether.app.terminal.steps import steps_on
from tether.app.terminal.typist import Typist
from tether.ask.agent import AskAgent
from tether.batteries.storage.port import Store
from tether.core.errors import TetherError

PROMPT = "> "
STOPPED = "Stopped: nothing of this turn was stored. The conversation goes on."
WELCOME = "Ask about the documents. /help lists the commands, Ctrl-D ends."
NOTHING_YET = "There is no answer yet."

HELP = {
    "/sources": "the sources of the last answer, and what else was read",
    "/explain": "how the last answer came about",
    "/history": "the questions of this conversation",
    "/memory": "what is remembered",
    "/new": "begin a new conversation",
    "/help": "this list",
    "/quit": "end",
}


@dataclass(slots=True, kw_only=True)
class Chat:
    """One session. Ctrl-C stops a turn, at the prompt it clears the line; Ctrl-D ends it. Where
    nobody types, Ctrl-C between two turns ends it, too.

    `conversation` is the one that the next question belongs to, "" where it begins a new one.
    """

    running: Running
    agent: AskAgent
    store: Store
    owner: str
    typist: Typist
    output: Output
    verbose: bool
    conversation: str = ""
    last: Asked | None = None

    def run(self) -> None:
        """Take lines until they end."""
        if self.typist.is_person:
            click.echo(WELCOME, err=True)
        while True:
            try:
                line = self.typist.line(PROMPT).strip()
            except EOFError:
                return
            except KeyboardInterrupt:
                if not self.typist.is_person:
                    raise
                click.echo("", err=True)
                continue
            if line == "/quit":
                return
            if line:
                self._take(line)

    def _take(self, line: str) -> None:
        """Do what a line says; what goes wrong is told, and the session goes on."""
        try:
            if line.startswith("/"):
                self._command(line)
            else:
                self._ask(line)
        except KeyboardInterrupt:
            click.echo(STOPPED, err=True)
        except TetherError as error:
            click.echo(told(error), err=True)

    def _ask(self, question: str) -> None:
        asked = self.running.run(self._turn(question))
        self.last = asked
        if asked.answer.verdict != "failed":
            self.conversation = asked.answer.conversation
        self.output.show(asked)
        click.echo("")
        self._decisions().about_instructions(asked.steps, self.running)

    async def _turn(self, question: str) -> Asked:
        with steps_on(Screen.of(sys.stderr, os.environ), verbose=self.verbose) as heard:
            answer = await self._decisions().during(
                lambda turn: self.agent.ask(
                    question,
                    conversation=self.conversation,
                    owner=self.owner,
                    turn=turn,
                    listener=heard.hear,
                ),
                heard,
            )
        return Asked(answer=answer, steps=tuple(heard.steps))

    def _decisions(self) -> Decisions:
        return Decisions(store=self.store, owner=self.owner, typist=self.typist)

    def _command(self, line: str) -> None:
        commands: dict[str, Callable[[], None]] = {
            "/sources": self._sources,
            "/explain": self._explain,
            "/history": self._history,
            "/memory": self._memory,
            "/new": self._new,
            "/help": self._help,
        }
        command = commands.get(line.split(maxsplit=1)[0])
        if command is None:
            click.echo(
                f"There is no {one_line(line.split(maxsplit=1)[0])}. /help lists the commands."
            )
        else:
            command()

    def _sources(self) -> None:
        if self.last is None:
            click.echo(NOTHING_YET)
            return
        answer = self.last.answer
        cited = list(source_lines(answer, self.output.out, self.output.places))
        _print(cited or ["Nothing was cited."])
        read = list(consulted_lines(answer))
        if read:
            _print(["Read and not cited:", *read])

    def _explain(self) -> None:
        last = self.last
        _print([NOTHING_YET] if last is None else explained(last.steps, last.answer.ledger))

    def _history(self) -> None:
        _print(self.running.run(self._history_lines()))

    async def _history_lines(self) -> list[str]:
        if not self.conversation:
            return ["This conversation has no questions yet."]
        found = await self.store.exchanges(self.conversation, owner=self.owner)
        return [
            f"{one_line(each.turn)}  {each.details.get('verdict', '')}  "
            f"{one_line(str(each.details.get('question', '')))}"
            for each in found
        ]

    def _memory(self) -> None:
        _print(self.running.run(self._memory_lines()))

    async def _memory_lines(self) -> list[str]:
        memories = await self.store.memories(owner=self.owner, state=None)
        standing = await self.store.instructions(owner=self.owner, state=None)
        lines = [f"{one_line(each.text)}  (instruction, {each.state})" for each in standing]
        for record in memories:
            changed = "" if record.intact else ", changed outside of the store"
            text = one_line(str(record.memory.content))
            lines.append(f"{text}  ({record.origin}, {record.state}{changed})")
        return lines or ["Nothing is remembered."]

    def _new(self) -> None:
        self.conversation = ""
        click.echo("A new conversation begins with the next question.")

    def _help(self) -> None:
        _print(f"{name:10}{text}" for name, text in HELP.items())


def _print(lines: Iterable[str]) -> None:
    click.echo("\n".join(lines))
