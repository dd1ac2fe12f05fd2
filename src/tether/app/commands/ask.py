"""`tether ask`: one question, and an answer with its sources or a refusal."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from tether.app.agent import opened_agent
from tether.app.cli import EXIT_FAILED, EXIT_REFUSED
from tether.app.display import one_line
from tether.app.event_loop import run_async
from tether.app.indexes import index_label
from tether.app.options import agent_options, as_json, conversation_options
from tether.app.piped import is_piped, piped_context, piped_question
from tether.app.question_words import QuestionCommand, joined
from tether.app.settings import Loaded, Settings
from tether.app.terminal.decisions import Decisions
from tether.app.terminal.remains import Remains
from tether.app.terminal.turn import Asked, Output, Question, chosen_conversation, run_turn
from tether.app.terminal.typist import Typist
from tether.app.verifier import fingerprint_of
from tether.ask.agent import LONGEST_QUESTION, AskAgent
from tether.ask.answer import Verdict
from tether.ask.receipt import receipt_of, write_receipt

EXITS: dict[Verdict, int] = {"answered": 0, "abstained": EXIT_REFUSED, "failed": EXIT_FAILED}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    """A question from the command line, with the options that affect its turn."""

    question: str
    context: str
    conversation: str
    latest: bool
    verbose: bool
    with_receipt: bool


@click.command("ask", cls=QuestionCommand)
@click.argument("words", nargs=-1, metavar="[QUESTION]...")
@agent_options
@as_json
@click.option("--explain", is_flag=True, help="Show the steps of the turn and every statement.")
@click.option(
    "--receipt",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the answer with its evidence to a file, for `tether verify`.",
)
@conversation_options
def command(
    *,
    words: tuple[str, ...],
    loaded: Loaded,
    as_json: bool,
    explain: bool,
    receipt: Path | None,
    conversation: str,
    latest: bool,
    verbose: bool,
) -> None:
    """Answer QUESTION from documents, with sources.

    Without QUESTION, or with `-`, it is read from standard input; otherwise text in standard input
    accompanies it: `cat error.log | tether ask "What does this mean?"`. Exits with 0 after an
    answer, 3 if the documents do not have one, 1 if the turn failed, 2 for wrong arguments or
    settings, and 130 after an interruption.
    """
    settings = loaded.settings
    question, context = _question(words)
    request = _Request(
        question=question,
        context=context,
        conversation=conversation,
        latest=latest,
        verbose=verbose,
        with_receipt=receipt is not None,
    )
    _refuse_receipt(receipt)
    remains = Remains.of(settings.index)
    asked, form = run_async(
        _asked(settings, request, remains), interrupted=lambda: f"Interrupted. {remains.text}"
    )
    output = Output.of_process(settings)
    (output.show_json if as_json else output.show)(asked, explain=explain)
    if receipt is not None:
        _keep_receipt(receipt, form)
    raise SystemExit(EXITS[asked.answer.verdict])


async def _asked(
    settings: Settings, request: _Request, remains: Remains
) -> tuple[Asked, dict[str, Any] | None]:
    """Return the turn, and its receipt if one is wanted and the turn did not fail."""
    async with opened_agent(settings) as agent:
        owner = settings.owner
        conversation = await chosen_conversation(
            agent.store, owner, request.conversation, latest=request.latest
        )
        decisions = Decisions(store=agent.store, owner=owner, typist=Typist.of_process())
        asked = await run_turn(
            agent,
            Question(text=request.question, conversation=conversation, context=request.context),
            decisions=decisions,
            verbose=request.verbose,
            remains=remains,
        )
        await decisions.tell_instructions(asked.steps)
        needed = request.with_receipt and asked.answer.verdict != "failed"
        return asked, await _receipt(asked, agent, settings) if needed else None


async def _receipt(asked: Asked, agent: AskAgent, settings: Settings) -> dict[str, Any]:
    """Return the receipt of a turn, with the documents of its answer."""
    stored = await agent.store.exchange(asked.answer.id, owner=settings.owner)
    return receipt_of(
        asked.answer,
        agent.library,
        prompt=stored.prompt,
        reviews=asked.reviews(),
        verifier=fingerprint_of(agent.verifier),
        place=index_label(settings),
    )


def _refuse_receipt(path: Path | None) -> None:
    """Refuse a folder that cannot be written to, before the turn starts."""
    if path is not None and not os.access(path.absolute().parent, os.W_OK | os.X_OK):
        problem = f"the folder {one_line(str(path.parent))} cannot be written to."
        raise click.BadParameter(problem, param_hint="--receipt")


def _keep_receipt(path: Path, form: Mapping[str, Any] | None) -> None:
    """Write the receipt; a failed turn has none."""
    if form is None:
        click.echo("No receipt was written: the turn failed.", err=True)
    else:
        write_receipt(path, form)


def _question(words: Sequence[str]) -> tuple[str, str]:
    """Return the question, from the words or standard input, and the text that accompanies it.

    Raises `click.UsageError`.
    """
    is_given = bool(words) and tuple(words) != ("-",)
    text = joined(words) if is_given else piped_question() if words or is_piped() else ""
    if not text.strip():
        raise click.UsageError('There is no question. Try: tether ask "How do volumes grow?"')
    if len(text) > LONGEST_QUESTION:
        raise click.UsageError(f"The question is longer than {LONGEST_QUESTION} characters.")
    return text.strip(), piped_context() if is_given else ""
