"""`tether chat`: a conversation about documents."""

from __future__ import annotations

import os
from contextlib import AsyncExitStack

import click

from tether.app.asking_options import asking_options, settings_from
from tether.app.building import opened_agent
from tether.app.running import Running
from tether.app.terminal.asking import Output, latest_conversation
from tether.app.terminal.chat import Chat
from tether.app.terminal.typist import history_file, typist


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
    with Running() as running:
        stack = AsyncExitStack()
        try:
            agent = running.run(stack.enter_async_context(opened_agent(settings)))
            if latest and not conversation:
                conversation = running.run(latest_conversation(agent.store, settings.owner))
            with typist(history_file(os.environ)) as lines:
                Chat(
                    running=running,
                    agent=agent,
                    store=agent.store,
                    owner=settings.owner,
                    typist=lines,
                    output=Output.of_process(settings.index),
                    verbose=verbose,
                    conversation=conversation,
                ).run()
        finally:
            running.run(stack.aclose())
