"""`tether chat`: a conversation about documents."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import AsyncExitStack
from dataclasses import dataclass

import click

from tether.app.agent import Agents, opened_agents
from tether.app.display import error_line, one_line
from tether.app.event_loop import EventLoop
from tether.app.options import agent_options, conversation_options
from tether.app.settings import Loaded
from tether.app.terminal.answers import consulted_lines, source_lines
from tether.app.terminal.decisions import Decisions
from tether.app.terminal.remains import Remains
from tether.app.terminal.screen import notify
from tether.app.terminal.turn import Asked, Output, Question, chosen_conversation, run_turn
from tether.app.terminal.typist import Typist, history_file, typist
from tether.ask.agent import AskAgent
from tether.core.errors import TetherError

PROMPT = "> "
GOES_ON = "The conversation goes on."
WELCOME = "Ask about the documents. /help lists the commands, Ctrl-D ends the session."
NOTHING_YET = "There is no answer yet."

HELP = {
    "/sources": "the sources of the last answer, and the other passages read",
    "/explain": "the steps of the last answer",
    "/history": "the questions of this conversation",
    "/memory": "memories and instructions",
    "/new": "start a new conversation",
    "/help": "this list",
    "/quit": "end the session",
}


@click.command("chat")
@agent_options
@conversation_options
def command(*, loaded: Loaded, conversation: str, latest: bool, verbose: bool) -> None:
    """Ask one question after the other; follow-ups know the earlier questions and answers.

    Ctrl-C stops a turn and keeps the session, Ctrl-D ends it. Without a terminal every line of
    standard input is a question.
    """
    settings = loaded.settings
    with EventLoop() as loop:
        stack = AsyncExitStack()
        try:
            agents = loop.run(stack.enter_async_context(opened_agents(settings)))
            agent = agents.agent()
            conversation = loop.run(
                chosen_conversation(agent.store, settings.owner, conversation, latest=latest)
            )
            with typist(history_file(os.environ)) as lines:
                Chat(
                    loop=loop,
                    agent=agent,
                    agents=agents,
                    owner=settings.owner,
                    typist=lines,
                    output=Output.of_process(settings),
                    verbose=verbose,
                    conversation=conversation,
                ).run()
        finally:
            loop.run(stack.aclose())


@dataclass(slots=True, kw_only=True)
class Chat:
    """One session. Ctrl-C stops a turn, or clears the line at the prompt; Ctrl-D ends the session.
    Without a person, Ctrl-C between two turns ends it, too.

    `conversation` is that of the next question, "" for a new one.
    """

    loop: EventLoop
    agent: AskAgent
    agents: Agents
    owner: str
    typist: Typist
    output: Output
    verbose: bool
    conversation: str = ""
    last: Asked | None = None

    def run(self) -> None:
        """Read and handle lines until they end."""
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
        """Handle a line; an error is printed, and the session goes on."""
        remains = Remains()
        try:
            if line.startswith("/"):
                self._command(line)
            else:
                self._ask(line, remains)
        except KeyboardInterrupt:
            notify(f"Stopped. {remains.text} {GOES_ON}" if remains.turn else "Stopped.")
        except TetherError as error:
            click.echo(error_line(error), err=True)

    def _ask(self, question: str, remains: Remains) -> None:
        self.agent = self.loop.run(self.agents.current())
        decisions = Decisions(store=self.agent.store, owner=self.owner, typist=self.typist)
        asked = self.loop.run(
            run_turn(
                self.agent,
                Question(text=question, conversation=self.conversation),
                decisions=decisions,
                verbose=self.verbose,
                remains=remains,
            )
        )
        self.last = asked
        if asked.answer.verdict != "failed":
            self.conversation = asked.answer.conversation
        self.output.show(asked)
        click.echo("")
        decisions.about_instructions(asked.steps, self.loop)

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
        cited = list(source_lines(answer, self.output.out, self.output.files))
        _print_lines(cited or ["Nothing was cited."])
        read = list(consulted_lines(answer))
        if read:
            _print_lines(["Read but not cited:", *read])

    def _explain(self) -> None:
        _print_lines([NOTHING_YET] if self.last is None else self.last.explained())

    def _history(self) -> None:
        _print_lines(self.loop.run(self._history_lines()))

    async def _history_lines(self) -> list[str]:
        if not self.conversation:
            return ["This conversation has no questions yet."]
        found = await self.agent.store.exchanges(self.conversation, owner=self.owner)
        return [
            f"{one_line(each.turn)}  {each.details.get('verdict', '')}  "
            f"{one_line(str(each.details.get('question', '')))}"
            for each in found
        ]

    def _memory(self) -> None:
        _print_lines(self.loop.run(self._memory_lines()))

    async def _memory_lines(self) -> list[str]:
        memories = await self.agent.store.memories(owner=self.owner, state=None)
        standing = await self.agent.store.instructions(owner=self.owner, state=None)
        lines = [f"{one_line(each.text)}  (instruction, {each.state})" for each in standing]
        for record in memories:
            changed = "" if record.intact else ", changed outside the store"
            text = one_line(str(record.memory.content))
            lines.append(f"{text}  ({record.origin}, {record.state}{changed})")
        return lines or ["Nothing is remembered."]

    def _new(self) -> None:
        self.conversation = ""
        click.echo("The next question starts a new conversation.")

    def _help(self) -> None:
        _print_lines(f"{name:10}{text}" for name, text in HELP.items())


def _print_lines(lines: Iterable[str]) -> None:
    click.echo("\n".join(lines))
