"""Recorded questions, each with the expectation by which its answer is graded."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal, cast, get_args

from tether.ask.errors import InvalidSettings
from tether.core.checks import Checks
from tether.core.errors import InputRefused, Problem
from tether.retrieval.evaluation.dataset import read_rows

Expectation = Literal["answered", "abstained", "either"]
YesNo = Literal["yes", "no", ""]
HIDDEN = "-hidden"
"""Ends the kind and the id of a question that is asked again without its pages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedQuestion:
    """A question, and how an answer to it is graded.

    `after` are questions asked before it in the same conversation. `pages` are documents of which
    one has to be cited; the answer or its quotes have to contain the texts `says`, all or, with
    `any`, one of them, and none of `never`. A bar in a text of `says` separates alternatives.
    `answer` is the yes or no of a yes/no question. `hide` are documents that the search must not
    find. With `also_hidden` the question is asked a second time with its `pages` hidden, and has to
    be refused then.
    """

    id: str
    ask: str
    kind: str = "answerable"
    expect: Expectation = "answered"
    after: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    any: bool = False
    never: tuple[str, ...] = ()
    answer: YesNo = ""
    hide: tuple[str, ...] = ()
    also_hidden: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionSet:
    """Questions on one folder of documents; `docs` is None where the set does not name it."""

    name: str
    docs: Path | None
    questions: tuple[RecordedQuestion, ...]


def load_questions(path: Path) -> QuestionSet:
    """Read a TOML file of questions, or JSON lines; raises `InvalidSettings` that names faults."""
    if path.name.endswith((".jsonl", ".jsonl.gz")):
        return QuestionSet(name=path.name.partition(".")[0], docs=None, questions=_lines(path))
    try:
        form = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidSettings([Problem(str(path), f"cannot be read: {error}")]) from error
    check = Checks()
    known = {"name", "docs", "question"}
    check.problems += [
        Problem(str(key), "is not a key of a question set") for key in form.keys() - known
    ]
    entries = form.get("question", [])
    if not isinstance(entries, list) or not entries:
        check.fail("question", "must be a list of tables [[question]]")
        entries = []
    made = [_question(check, f"question[{at}]", entry) for at, entry in enumerate(entries)]
    _refuse_repeated(check, made)
    check.done(InvalidSettings)
    docs = form.get("docs")
    return QuestionSet(
        name=str(form.get("name", path.stem)),
        docs=None if docs is None else path.parent / str(docs),
        questions=tuple(one for question in made for one in _with_twin(question)),
    )


def _lines(path: Path) -> tuple[RecordedQuestion, ...]:
    """Read one question a line: `{id, class, question, history, pages, must}`."""
    try:
        return tuple(_recorded(form) for form in read_rows(path, "question"))
    except (OSError, InputRefused, KeyError, TypeError) as error:
        raise InvalidSettings([Problem(str(path), f"cannot be read: {error!r}")]) from error


def _recorded(form: dict[str, Any]) -> RecordedQuestion:
    history: Iterable[Any] = form.get("history") or ()
    return RecordedQuestion(
        id=form["id"],
        ask=form["question"],
        kind=form["class"],
        expect="answered" if form["class"] == "answerable" else "abstained",
        after=tuple(one if isinstance(one, str) else one["question"] for one in history),
        pages=tuple(form.get("pages") or ()),
        says=tuple(form.get("must") or ()),
    )


def _question(check: Checks, path: str, entry: Any) -> RecordedQuestion:
    form = cast("dict[str, Any]", entry) if isinstance(entry, dict) else {}
    given: dict[str, Any] = {"id": "", "ask": ""}
    kinds = {item.name: str(item.type) for item in fields(RecordedQuestion)}
    for key, value in form.items():
        wanted = kinds.get(key)
        if wanted is None:
            check.fail(f"{path}.{key}", "is not a key of a question")
        elif not _fits(wanted, value):
            check.fail(f"{path}.{key}", f"must be {_WANTED[wanted]}")
        else:
            given[key] = tuple(value) if isinstance(value, list) else value
    for key in ("id", "ask"):
        if not given[key]:
            check.fail(f"{path}.{key}", "is required")
    return RecordedQuestion(**given)


_WANTED = {
    "str": "text",
    "bool": "true or false",
    "tuple[str, ...]": "a list of texts",
    "Expectation": f"one of {', '.join(get_args(Expectation))}",
    "YesNo": "yes or no",
}


def _fits(wanted: str, value: object) -> bool:
    match wanted:
        case "bool":
            return isinstance(value, bool)
        case "tuple[str, ...]":
            return isinstance(value, list) and all(isinstance(text, str) for text in value)
        case "Expectation":
            return value in get_args(Expectation)
        case "YesNo":
            return value in ("yes", "no")
        case _:
            return isinstance(value, str) and bool(value.strip())


def _refuse_repeated(check: Checks, questions: list[RecordedQuestion]) -> None:
    ids = [question.id for question in questions]
    for id in sorted({id for id in ids if ids.count(id) > 1}):
        check.fail("question", f"the id {id!r} is given twice")


def _with_twin(question: RecordedQuestion) -> tuple[RecordedQuestion, ...]:
    """Return the question and, where it asks for one, its twin without the pages."""
    if not question.also_hidden:
        return (question,)
    twin = replace(
        question,
        id=question.id + HIDDEN,
        kind=question.kind + HIDDEN,
        expect="abstained",
        hide=(*question.hide, *question.pages),
        also_hidden=False,
    )
    return replace(question, also_hidden=False), twin
