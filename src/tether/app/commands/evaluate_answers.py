"""`tether eval answers`: measure whole answers on recorded questions."""

from __future__ import annotations

import json
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from tether.app.cli import EXIT_FAILED
from tether.app.display import aligned, shown
from tether.app.event_loop import run_async
from tether.app.index_sync import opened_search
from tether.app.models import opened_model
from tether.app.options import COUNT, agent_options, as_json
from tether.app.progress import progress_of_questions
from tether.app.store import opened_store
from tether.app.verifier import verifier_of
from tether.ask.agent import AskAgent
from tether.ask.evaluation.grades import Result, summarise
from tether.ask.evaluation.questions import QuestionSet, load_questions
from tether.ask.evaluation.trial import HidingLibrary, Leashed, Naked, ask_all

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tether.app.settings.layers import Loaded
    from tether.app.settings.values import Settings
    from tether.ask.evaluation.grades import Grade, Summary
    from tether.ask.evaluation.trial import Answering
    from tether.ask.library import Library

HEADER = (
    *("kind", "n", "answered", "verdict", "right", "partly", "wrong"),
    *("links", "quotes", "own", "retries", "ms", "p95"),
)
EXCERPT = 120


@click.command("answers")
@click.argument("questions", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@agent_options
@click.option("--naked", is_flag=True, help="Ask the model alone, with the same passages.")
@click.option(
    "--every", type=COUNT, default=1, show_default=True, help="Use only every n-th question."
)
@click.option("--kind", "kinds", multiple=True, help="Only questions of this kind; repeatable.")
@click.option("--strict", is_flag=True, help="Exit with 1 if an answer is not as expected.")
@as_json
def answers(
    *,
    questions: Path,
    loaded: Loaded,
    naked: bool,
    every: int,
    kinds: tuple[str, ...],
    strict: bool,
    as_json: bool,
) -> None:
    """Ask the recorded QUESTIONS (a TOML file) and grade every answer.

    The documents are those of the flags, or those of the file. Links outside the retrieved pages
    and quotes that are not in their document are always counted; one of them makes the command exit
    with 1.
    """
    asked = load_questions(questions)
    chosen = [one for one in asked.questions if not kinds or one.kind in kinds][::every]
    results = run_async(_ask(loaded.settings, replace(asked, questions=tuple(chosen)), naked=naked))
    click.echo(json.dumps(_object(asked.name, results)) if as_json else _text(results))
    absolute = all(result.grade.links and result.grade.quotes for result in results)
    if not (naked or absolute) or (strict and not all(one.grade.right for one in results)):
        raise SystemExit(EXIT_FAILED)


async def _ask(settings: Settings, asked: QuestionSet, *, naked: bool) -> list[Result]:
    async with AsyncExitStack() as stack:
        settings = _measured(settings, asked, Path(stack.enter_context(TemporaryDirectory())))
        model = await stack.enter_async_context(opened_model(settings))
        store = await stack.enter_async_context(opened_store(settings))
        search = stack.enter_context(opened_search(settings))
        retriever, verifier = search.answering(model.style), verifier_of(settings.verifier)

        def answering(library: Library) -> Answering:
            if naked:
                return Naked(model, library, settings.ask.most_passages)
            agent = AskAgent(
                library=library,
                model=model,
                store=store,
                settings=settings.ask,
                judge=search.unit_judge,
                verifier=verifier,
            )
            return Leashed(agent)

        def library(hide: tuple[str, ...]) -> Library:
            return HidingLibrary(search.snapshot, retriever, hide)

        results: list[Result] = []
        with progress_of_questions("Asking") as progress:
            async for result in ask_all(asked.questions, library, answering):
                results.append(result)
                progress(len(results), len(asked.questions))
        return results


def _measured(settings: Settings, asked: QuestionSet, scratch: Path) -> Settings:
    """Return the settings for measuring: a temporary store, and the documents of the set.

    Memories and conversations of the user do not affect the answers.
    """
    measured = replace(settings, store=str(scratch / "store.db"), wait=True)
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


def answer_table(summaries: Sequence[Summary]) -> str:
    """Return the counts of each kind of question; `links` and `quotes` should equal `n`.

    `partly` has the right page and lacks words; `own` are the statements in the model's own words.
    """
    rows: list[list[str]] = [[*HEADER]]
    for one in summaries:
        counts = (one.asked, one.answered, one.verdicts, one.right, one.partly, one.wrong)
        sound = (one.links, one.quotes, one.own, one.retries)
        times = (f"{one.median_ms:.0f}", f"{one.p95_ms:.0f}")
        rows.append([one.kind, *map(str, (*counts, *sound)), *times])
    return aligned(rows)


def wrong_lines(results: Sequence[Result]) -> list[str]:
    """Return a line with the reasons for every answer that is not as expected."""
    return [
        f"{result.id} ({result.kind}): {', '.join(_reasons(result.grade))}: {_excerpt(result)}"
        for result in results
        if not (result.grade.right and result.grade.links and result.grade.quotes)
    ]


def _reasons(grade: Grade) -> list[str]:
    looked_at = {
        "other verdict": grade.verdict,
        "other page": grade.page,
        "text missing": grade.says,
        "wrong yes or no": grade.yes_no,
        "forbidden text": grade.clean,
        "link outside": grade.links,
        "quote not found": grade.quotes,
    }
    return [reason for reason, holds in looked_at.items() if holds is False]


def _excerpt(result: Result) -> str:
    text = " ".join((result.problem or f"{result.verdict}: {result.text}").split())
    return text if len(text) <= EXCERPT else f"{text[: EXCERPT - 1]}…"
