"""`tether eval answers`: measure whole answers on recorded questions."""

from __future__ import annotations

import json
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from tether.app.answer_tables import answer_table, wrong_lines
from tether.app.asking_options import asking_options, settings_from
from tether.app.building import opened_searching, opened_store
from tether.app.cli import EXIT_FAILED
from tether.app.models import opened_model
from tether.app.options import a_count, as_json
from tether.app.printing import shown
from tether.app.progress import progress_of_questions
from tether.app.running import run_async
from tether.ask.agent import AskAgent
from tether.ask.evaluation.asking import Leashed, ask_all
from tether.ask.evaluation.hiding import HidingLibrary
from tether.ask.evaluation.naked import Naked
from tether.ask.evaluation.questions import QuestionSet, load_questions
from tether.ask.evaluation.results import Result, summarise

if TYPE_CHECKING:
    from tether.app.settings.values import Settings
    from tether.ask.evaluation.asking import Answering
    from tether.ask.library import Library


@click.command("answers")
@click.argument("questions", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@asking_options
@click.option("--naked", is_flag=True, help="Ask the model alone, with the same passages.")
@click.option("--every", type=a_count(), default=1, show_default=True, help="Every n-th question.")
@click.option("--kind", "kinds", multiple=True, help="Only questions of this kind; repeatable.")
@click.option("--strict", is_flag=True, help="Exit with 1 where an answer is not as expected.")
@as_json
@click.pass_context
def answers(
    ctx: click.Context,
    *,
    questions: Path,
    naked: bool,
    every: int,
    kinds: tuple[str, ...],
    strict: bool,
    as_json: bool,
) -> None:
    """Ask the recorded QUESTIONS (a TOML file) and grade every answer.

    The documents are those of the flags, or those that the file names. Links outside of the
    retrieved pages and quotes that are not in their document are counted whatever was expected;
    one of them makes the command exit with 1.
    """
    asked = load_questions(questions)
    chosen = [one for one in asked.questions if not kinds or one.kind in kinds][::every]
    settings = settings_from(ctx).settings
    results = run_async(_ask(settings, replace(asked, questions=tuple(chosen)), naked=naked))
    click.echo(json.dumps(_object(asked.name, results)) if as_json else _text(results))
    absolute = all(result.grade.links and result.grade.quotes for result in results)
    if not (naked or absolute) or (strict and not all(one.grade.right for one in results)):
        raise SystemExit(EXIT_FAILED)


async def _ask(settings: Settings, asked: QuestionSet, *, naked: bool) -> list[Result]:
    async with AsyncExitStack() as stack:
        settings = _measured(settings, asked, Path(stack.enter_context(TemporaryDirectory())))
        model = await stack.enter_async_context(opened_model(settings))
        store = await stack.enter_async_context(opened_store(settings))
        searching = stack.enter_context(opened_searching(settings))
        retriever = searching.retriever()

        def answering(library: Library) -> Answering:
            if naked:
                return Naked(model, library, settings.ask.passages)
            agent = AskAgent(
                library=library,
                model=model,
                store=store,
                settings=settings.ask,
                judge=searching.judge,
            )
            return Leashed(agent)

        def library(hide: tuple[str, ...]) -> Library:
            return HidingLibrary(searching.snapshot, retriever, hide)

        results: list[Result] = []
        with progress_of_questions("Asking") as progress:
            async for result in ask_all(asked.questions, library, answering):
                results.append(result)
                progress(len(results), len(asked.questions))
        return results


def _measured(settings: Settings, asked: QuestionSet, scratch: Path) -> Settings:
    """Return the settings for measuring: a store of its own, and the documents of the set.

    Memories and earlier conversations of the person at this machine have no say.
    """
    measured = replace(settings, store=str(scratch / "store.db"))
    if not settings.docs and asked.docs is not None:
        measured = replace(measured, docs=(str(asked.docs),), index=scratch / "index")
    return measured


def _object(name: str, results: list[Result]) -> dict[str, Any]:
    return {
        "set": name,
        "summary": [summary.to_json() for summary in summarise(results)],
        "results": [result.to_json() for result in results],
    }


def _text(results: list[Result]) -> str:
    parts = [answer_table(summarise(results)), "\n".join(wrong_lines(results))]
    return shown("\n\n".join(filter(None, parts)))
