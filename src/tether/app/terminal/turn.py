"""One turn at a terminal: its steps while it runs, and its answer, as text or JSON."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import click

from tether.app.display import one_line
from tether.app.document_files import DocumentFiles, opened_locator
from tether.app.ids import whole_id
from tether.app.kept_keys import found_key
from tether.app.model_list import advice_about
from tether.app.search import known_sources
from tether.app.settings import Settings
from tether.app.terminal.answers import answer_lines
from tether.app.terminal.decisions import Decisions
from tether.app.terminal.remains import Remains
from tether.app.terminal.screen import Screen, notify
from tether.app.terminal.steps import steps_on
from tether.ask.agent import AskAgent
from tether.ask.answer import Answer
from tether.ask.citations.projections import statement_forms
from tether.ask.events import Step
from tether.batteries.storage.port import Store

INDENT = "    "
MOST_DEPTH = 6
OF_ENDPOINTS = ("_HTTP_ERROR", "_STREAM_ERROR", "_REQUEST_TIMEOUT")
"""How the codes of errors end that an endpoint, or its absence, is the cause of."""

LONGEST = 400
"""Values are cut to this length; the store and `--json` have them in full."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A finished turn: its answer and its steps."""

    answer: Answer
    steps: tuple[Step, ...]

    def to_json(self, index: Path, *, explain: bool) -> dict[str, Any]:
        """Return the answer as JSON, with the places in its files, and the steps if `explain`."""
        with opened_locator(index) as locator:
            form = locator.answer_form(self.answer)
        return {**form, "steps": [step_form(step) for step in self.steps]} if explain else form

    def explained(self) -> Iterator[str]:
        """Yield the lines of all steps, of the budget, and of the statements of the answer."""
        yield from explained(self.steps, self.answer.ledger)
        forms = statement_forms(self.answer)
        if forms:
            yield "statements of the answer:"
        for form in forms:
            yield from _statement_lines(form, 1)

    def reviews(self) -> list[dict[str, Any]]:
        """Return the results of the checks of each attempt."""
        return [step_form(step) for step in self.steps if step.kind == "verify"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """Standard output, and the files that its sources are in."""

    out: Screen
    files: DocumentFiles
    settings: Settings

    @classmethod
    def of_process(cls, settings: Settings) -> Output:
        """Return the output of this process, with the files of the documents of the index."""
        files = DocumentFiles.of(known_sources(settings.index))
        return cls(out=Screen.of(sys.stdout, os.environ), files=files, settings=settings)

    @classmethod
    def of_past(cls, settings: Settings) -> Output:
        """Return the output for stored turns, which may be about the documents of any index."""
        screen = Screen.of(sys.stdout, os.environ)
        return cls(out=screen, files=DocumentFiles(), settings=settings)

    def answer_lines(self, answer: Answer) -> Iterator[str]:
        """Yield the lines of an answer."""
        yield from answer_lines(answer, self.out, self.files)

    def lines(self, asked: Asked, *, explain: bool) -> Iterator[str]:
        """Yield the lines of a turn."""
        yield from self.answer_lines(asked.answer)
        if explain:
            yield ""
            yield from (self.out.wrapped(line, INDENT) for line in asked.explained())

    def show(self, asked: Asked, *, explain: bool = False) -> None:
        """Print a turn, a failed one to standard error."""
        failed = asked.answer.verdict == "failed"
        click.echo("\n".join(self.lines(asked, explain=explain)), err=failed)
        self.advise(asked)

    def show_json(self, asked: Asked, *, explain: bool) -> None:
        """Print a turn as JSON."""
        click.echo(json.dumps(asked.to_json(self.settings.index, explain=explain)))
        self.advise(asked)

    def advise(self, asked: Asked) -> None:
        """Say on standard error what to do about a turn that failed because of its endpoint."""
        code, _ = asked.answer.error or ("", "")
        if not self.settings.is_endpoint or not code.endswith(OF_ENDPOINTS):
            return
        key = found_key(self.settings.api_key_env, os.environ)
        advice = advice_about(self.settings, key, os.environ)
        if advice:
            notify(advice)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question with its conversation, "" for a new one, and the text that accompanies it."""

    text: str
    conversation: str = ""
    context: str = ""


async def run_turn(
    agent: AskAgent, question: Question, *, decisions: Decisions, verbose: bool, remains: Remains
) -> Asked:
    """Ask, with the steps on standard error and every gate put to the person.

    Where the turn is stopped, `remains` says what is left of it.
    """

    def ask(turn: str) -> Coroutine[Any, Any, Answer]:
        remains.turn = turn
        return agent.ask(
            question.text,
            context=question.context,
            conversation=question.conversation,
            owner=decisions.owner,
            turn=turn,
            listener=steps.hear,
        )

    try:
        with steps_on(Screen.of(sys.stderr, os.environ), verbose=verbose) as steps:
            answer = await decisions.during(ask, steps)
    except asyncio.CancelledError:
        await remains.look(agent.store, decisions.owner)
        raise
    remains.is_stored = answer.verdict != "failed"
    return Asked(answer=answer, steps=tuple(steps.steps))


async def chosen_conversation(store: Store, owner: str, given: str, *, latest: bool) -> str:
    """Return the id of a conversation by its beginning, or of the one that was used last.

    It is "" if none is given and wanted, or there is none yet.
    """
    if given or not latest:
        return await whole_id(store, "conversation", given, owner=owner)
    found = await store.conversations(owner=owner, limit=1)
    return found[0].id if found else ""


def explained(steps: Sequence[Step], ledger: Mapping[str, int] | None) -> Iterator[str]:
    """Yield the lines of all steps in order, and the use of the tokens of the window."""
    for step in steps:
        state = "" if step.state == "done" else f", {step.state}"
        yield f"{step.kind}: {_line(step.label)} ({step.elapsed_ms:.0f} ms{state})"
        yield from _detail_lines(step.detail, 1)
    if ledger:
        yield f"budget in tokens: {_scalar(ledger)}"


def step_form(step: Step) -> dict[str, Any]:
    """Return the JSON form of a step."""
    return {**step._asdict(), "detail": dict(step.detail), "elapsed_ms": round(step.elapsed_ms, 3)}


def _detail_lines(value: Mapping[str, Any], depth: int) -> Iterator[str]:
    for name, inner in value.items():
        yield from _entry(f"{_line(name)}: ", inner, depth)


def _entry(head: str, value: object, depth: int) -> Iterator[str]:
    before = INDENT * depth
    if depth < MOST_DEPTH and isinstance(value, Mapping) and value:
        yield f"{before}{head}".rstrip()
        yield from _detail_lines(cast("Mapping[str, Any]", value), depth + 1)
    elif depth < MOST_DEPTH and _is_list(value):
        yield f"{before}{head}".rstrip()
        for inner in cast("Sequence[object]", value):
            yield from _item(inner, depth + 1)
    else:
        yield f"{before}{head}{_scalar(value)}"


def _item(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, Mapping) and "text" in value and "quote" in value:
        yield from _statement_lines(cast("Mapping[str, object]", value), depth)
    elif isinstance(value, Mapping):
        pairs = cast("Mapping[str, object]", value).items()
        text = ", ".join(f"{_line(name)} {_scalar(inner)}" for name, inner in pairs)
        yield f"{INDENT * depth}- {text}"
    else:
        yield from _entry("- ", value, depth)


def _statement_lines(form: Mapping[str, object], depth: int) -> Iterator[str]:
    """Yield a statement, then everything that was found out about it, then its quote."""
    before = INDENT * depth
    told = [
        f"{_line(name)} {_scalar(value)}"
        for name, value in form.items()
        if name not in ("text", "quote") and value != ""
    ]
    yield f'{before}- "{_line(str(form["text"]))}"'
    yield f"{before}{INDENT}{', '.join(told)}"
    if form["quote"]:
        yield f'{before}{INDENT}quote: "{_line(str(form["quote"]))}"'


def _is_list(value: object) -> bool:
    return isinstance(value, (list, tuple)) and bool(cast("Sequence[object]", value))


def _scalar(value: object) -> str:
    if value is None or value in ("", [], (), {}):
        return "none"
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, Mapping):
        pairs = cast("Mapping[str, object]", value).items()
        return " ".join(f"{_line(name)} {_scalar(inner)}" for name, inner in pairs)
    return _line(str(value))


def _line(text: str) -> str:
    flat = one_line(text)
    return flat if len(flat) <= LONGEST else f"{flat[:LONGEST]}..."
