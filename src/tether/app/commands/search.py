"""`tether search`: the passages that answer a question, and how they were found."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

import click

from tether.app.cli import EXIT_REFUSED
from tether.app.display import shown
from tether.app.document_files import DocumentFiles, Locator
from tether.app.index_sync import opened_search
from tether.app.offline import offline_where_set
from tether.app.options import COUNT, as_json, docs, index_place, judge, settings_under
from tether.app.question_words import QuestionCommand, joined
from tether.app.search import known_sources
from tether.app.settings.values import JudgeChoice
from tether.app.terminal.screen import Screen, notify
from tether.retrieval.lexical.spelling import repaired
from tether.retrieval.query import Query

if TYPE_CHECKING:
    from tether.retrieval.hit import Findings, Hit, Refusal, Verdict

EXCERPT = 300


@click.command("search", cls=QuestionCommand)
@click.argument("question", nargs=-1, required=True)
@index_place
@docs
@judge
@as_json
@click.option(
    "--limit", type=COUNT, default=5, show_default=True, help="How many passages to print."
)
@click.option("--explain", is_flag=True, help="Show each lane's rank and score.")
@click.option("--wait", is_flag=True, help="Wait for the vectors of a new index.")
def command(
    *,
    question: tuple[str, ...],
    index: str | None,
    docs: tuple[str, ...],
    judge: JudgeChoice,
    as_json: bool,
    limit: int,
    explain: bool,
    wait: bool,
) -> None:
    """Print the passages that answer QUESTION best.

    Exits with 3 if the index is calibrated and no passage is likely to answer.
    """
    settings = settings_under(
        "index", index=index, docs=docs or None, judge=judge, wait=wait or None
    )
    with offline_where_set(settings), opened_search(settings) as search:
        spelled = repaired(search.snapshot, joined(question))
        findings = search.retriever().search(Query(question=spelled.text), limit=limit)
        locator = Locator(DocumentFiles.of(known_sources(settings.index)), search.snapshot)
        form = locator.findings_form(findings) if as_json else {}
    for note in spelled.notes:
        notify(f"Note: {note}.")
    screen = Screen.of(sys.stdout, os.environ)
    text = screen.wrapped(_text(findings, explain=explain))
    click.echo(json.dumps(form) if as_json else text)
    if not findings.sufficient:
        raise SystemExit(EXIT_REFUSED)


def _text(findings: Findings, *, explain: bool) -> str:
    parts = [_hit_text(hit, explain=explain) for hit in findings.hits]
    if findings.refusal is not None:
        parts.insert(0, _refusal_text(findings.refusal))
    if explain:
        parts += [f"left out: {left.part}: {left.reason}" for left in findings.left_out]
        parts.append(f"floor: {_floor_text(findings.verdict)}")
    return shown("\n\n".join(parts))


def _floor_text(verdict: Verdict | None) -> str:
    if verdict is None:
        return "none, so nothing that was found is refused"
    return f"{verdict.probability:.2f}, and {verdict.threshold:.2f} is needed"


def _refusal_text(refusal: Refusal) -> str:
    lines = ["The documents do not cover this."]
    if refusal.nearest:
        lines.append("The nearest pages:")
        lines += [f"- {page.title} ({page.url})" for page in refusal.nearest]
    return "\n".join(lines)


def _hit_text(hit: Hit, *, explain: bool) -> str:
    heading = hit.chunk.heading_path[-1] if hit.chunk.heading_path else ""
    body = " ".join(hit.chunk.plain.removeprefix(heading).split())
    lines = [f"[{hit.rank}] {hit.chunk.heading}", f"    {hit.chunk.link}"]
    if explain:
        votes = ", ".join(f"{vote.lane} #{vote.rank} ({vote.score:.3f})" for vote in hit.votes)
        judged = "" if hit.judge is None else f", judge {hit.judge:.2f}"
        lines.append(f"    {votes}; boost {hit.boost:.2f}{judged}; score {hit.score:.3f}")
    lines.append(f"    {_excerpt(body)}")
    return "\n".join(lines)


def _excerpt(body: str) -> str:
    """Return the first words of a text."""
    return body if len(body) <= EXCERPT else f"{body[: EXCERPT + 1].rpartition(' ')[0]} ..."
