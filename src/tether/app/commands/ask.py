"""`tether ask`: one question, one answer with its sources, or an honest refusal."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from tether.app.asking_options import asking_options, settings_from
from tether.app.building import opened_agent
from tether.app.cli import EXIT_FAILED, EXIT_REFUSED
from tether.app.options import as_json
from tether.app.running import run_async
from tether.app.settings import Settings
from tether.app.terminal.answers import one_line
from tether.app.terminal.asking import Asked, Output, latest_conversation
from tether.app.terminal.deciding import Decisions
from tether.app.terminal.screen import Screen
from tether.app.terminal.steps import steps_on
from tether.app.terminal.typist import Typist
from tether.ask.agent import AskAgent
from tether.ask.answer import Verdict
from tether.ask.receipt import receipt_of, write_receipt

MOST_CHARACTERS = 20_000
INTERRUPTED = "Interrupted: the turn was stopped, nothing of it was stored."

EXITS: dict[Verdict, int] = {"answered": 0, "abstained": EXIT_REFUSED, "failed": EXIT_FAILED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What was asked for on the command line, but for the settings."""

    question: str
    conversation: str
    latest: bool
    as_json: bool
    explain: bool
    receipt: Path | None
    verbose: bool


@click.command("ask")
@click.argument("question", required=False)
@asking_options
@as_json
@click.option("--explain", is_flag=True, help="Show the steps with everything they decided.")
@click.option(
    "--receipt",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the answer with its evidence to a file, for `tether verify`.",
)
@click.option("--conversation", metavar="ID", default="", help="Go on with this conversation.")
@click.option("--continue", "latest", is_flag=True, help="Go on with the latest conversation.")
@click.option("--verbose", is_flag=True, help="Tell the steps where there is no terminal, too.")
@click.pass_context
def command(
    context: click.Context,
    *,
    question: str | None,
    as_json: bool,
    explain: bool,
    receipt: Path | None,
    conversation: str,
    latest: bool,
    verbose: bool,
) -> None:
    """Answer QUESTION from documents, with sources.

    Without QUESTION, or with `-`, it is read from standard input. Exits with 0 where there is an
    answer, 3 where the documents do not have one, 1 where the turn failed, 2 where the words or
    settings are wrong, and 130 where it was interrupted.
    """
    settings = settings_from(context).settings
    wanted = Wanted(
        question=_question(question),
        conversation=conversation,
        latest=latest,
        as_json=as_json,
        explain=explain,
        receipt=receipt,
        verbose=verbose,
    )
    _refuse_receipt(receipt)
    asked, form = run_async(_asked(settings, wanted), interrupted=INTERRUPTED)
    if as_json:
        click.echo(json.dumps(asked.to_json(explain=explain)))
    else:
        Output.of_process(settings.index).show(asked, explain=explain)
    if receipt is not None:
        _keep_receipt(receipt, form)
    raise SystemExit(EXITS[asked.answer.verdict])


async def _asked(settings: Settings, wanted: Wanted) -> tuple[Asked, dict[str, Any] | None]:
    """Return the turn, and its receipt where one is wanted and it did not fail."""
    async with opened_agent(settings) as agent:
        conversation = wanted.conversation
        if wanted.latest and not conversation:
            conversation = await latest_conversation(agent.store, settings.owner)
        decisions = Decisions(store=agent.store, owner=settings.owner, typist=Typist.of_process())
        with steps_on(Screen.of(sys.stderr, os.environ), verbose=wanted.verbose) as heard:
            answer = await decisions.during(
                lambda turn: agent.ask(
                    wanted.question,
                    conversation=conversation,
                    owner=settings.owner,
                    turn=turn,
                    listener=heard.hear,
                ),
                heard,
            )
        asked = Asked(answer=answer, steps=tuple(heard.steps))
        await decisions.tell_instructions(asked.steps)
        needed = wanted.receipt is not None and answer.verdict != "failed"
        return asked, await _receipt(asked, agent, settings.owner) if needed else None


async def _receipt(asked: Asked, agent: AskAgent, owner: str) -> dict[str, Any]:
    """Return the receipt of a turn, made from the documents that it was answered from."""
    stored = await agent.store.exchange(asked.answer.id, owner=owner)
    return receipt_of(asked.answer, agent.library, prompt=stored.prompt, reviews=asked.reviews())


def _refuse_receipt(path: Path | None) -> None:
    """Say before the turn what would be a pity to find out behind it."""
    if path is not None and not os.access(path.absolute().parent, os.W_OK | os.X_OK):
        said = f"{one_line(str(path.parent))} is no folder that can be written to."
        raise click.BadParameter(said, param_hint="--receipt")


def _keep_receipt(path: Path, form: Mapping[str, Any] | None) -> None:
    """Write the receipt; a turn that failed has none."""
    if form is None:
        click.echo("No receipt was written: the turn failed.", err=True)
    else:
        write_receipt(path, form)


def _question(given: str | None) -> str:
    """Return the question from the words or from standard input; raises `click.UsageError`."""
    # Words of a command line that are no UTF-8 arrive as lone surrogates.
    text = given and os.fsencode(given).decode("utf-8", "replace")
    if given == "-" or (given is None and not sys.stdin.isatty()):
        text = sys.stdin.buffer.read(MOST_CHARACTERS * 4 + 1).decode("utf-8", "replace")
    if text is None or not text.strip():
        raise click.UsageError('There is no question. Try: tether ask "How do volumes grow?"')
    if len(text) > MOST_CHARACTERS:
        raise click.UsageError(f"The question is longer than {MOST_CHARACTERS} characters.")
    return text.strip()
