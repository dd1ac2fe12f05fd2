"""`tether chat`: a conversation about documents."""

from __future__ import annotations

import os
from contextlib import AsyncExitStack

import click

from tether.app.asking_options import asking_options, settings_from
from tether.app.building import opened_agent, opened_store
from tether.app.running import EXIT_INTERRUPTED, Running
from tether.app.settings import Settings
from tether.app.terminal.asking import Output, latest_conversation
from tether.app.terminal.chat import Chat
from tether.app.terminal.typist import history_file, typist
from tether.ask.agent import AskAgent
from tether.batteries.storage.port import Store


@click.command("chat")
@asking_options
@click.option("--conversation", metavar="ID", default="", help="Go on with this conversation.")
@click.option("--continue", "latest", is_flag=True, help="Go on with the latest conversation.")
@click.option("--verbose", is_flag=True, help="Tell the steps where there is no terminal, too.")
@click.pass_context
def command(context: click.Context, *, conversation: str, latest: bool, verbose: bool) -> None:
    """Ask one question after the other; follow-ups know what was said before.

    Ctrl-C stops a turn and keeps the session, Ctrl-D ends it. Without a terminal every line of
    standard input is a question.
    """
    settings = settings_from(context).settings
    try:
        with Running() as running:
            if latest and not conversation:
                conversation = running.run(latest_conversation(settings))
            _session(running, settings, conversation=conversation, verbose=verbose)
    except KeyboardInterrupt:
        click.echo("Interrupted.", err=True)
        raise SystemExit(EXIT_INTERRUPTED) from None


def _session(running: Running, settings: Settings, *, conversation: str, verbose: bool) -> None:
    stack = AsyncExitStack()
    try:
        agent, store = running.run(_entered(stack, settings))
        with typist(history_file(os.environ)) as lines:
            Chat(
                running=running,
                agent=agent,
                store=store,
                owner=settings.owner,
                typist=lines,
                output=Output.of_process(settings.index),
                verbose=verbose,
                conversation=conversation,
            ).run()
    finally:
        running.run(stack.aclose())


async def _entered(stack: AsyncExitStack, settings: Settings) -> tuple[AskAgent, Store]:
    agent = await stack.enter_async_context(opened_agent(settings))
    return agent, await stack.enter_async_context(opened_store(settings))
