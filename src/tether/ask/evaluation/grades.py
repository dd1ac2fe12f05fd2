"""Grades of answers, against the expectation and against the documents, and their sums."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import median, quantiles
from typing import TYPE_CHECKING, Any

from tether.ask.citations.projections import markdown, plain
from tether.ask.evaluation.questions import Expectation
from tether.text.markdown.marks import ESCAPE
from tether.text.sentences import sentences_of

if TYPE_CHECKING:
    from tether.ask.answer import Answer, Citation
    from tether.ask.evaluation.questions import RecordedQuestion
    from tether.ask.library import Library

_TARGET = re.compile(r"\]\(\s*<?([^)>\s]*)")
"""Everything that a Markdown reader could take for the target of a link, and more."""

_DENIES = re.compile(r"\b(?:not|no|never|cannot|none|only|neither)\b|n['\u2019]t\b", re.IGNORECASE)

_YES = re.compile(r"\W*(yes|no)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """The grade of one answer, point by point; None where a point does not apply.

    `verdict` compares answered or abstained with the expectation. `page` and `says` look at an
    answer that was expected, `yes_no` at whether it affirms or denies as it should, `cited` at
    whether an answer links to a retrieved page at all. `clean` holds where nothing forbidden is
    in it. `links` and `quotes` are absolute: every link leads to a retrieved page, and every quote
    stands in its document with its lead-in, at the places that are named.
    """

    verdict: bool
    page: bool | None
    says: bool | None
    yes_no: bool | None
    cited: bool | None
    clean: bool
    links: bool
    quotes: bool

    @property
    def right(self) -> bool:
        """Whether it meets the expectation."""
        return self.verdict and self.clean and False not in (self.page, self.says, self.yes_no)

    @property
    def partly(self) -> bool:
        """Whether only words are missing: the page is right, and nothing is false."""
        sound = self.verdict and self.clean and self.page is True and self.yes_no is not False
        return sound and self.says is False


def grade(
    question: RecordedQuestion, answer: Answer, library: Library, rendered: str | None = None
) -> Grade:
    """Grade an answer; the library is the one that it was written from.

    `rendered` is the Markdown that a person would be shown; the answer's own unless it is given.
    """
    text = markdown(answer) if rendered is None else rendered
    answered = answer.verdict == "answered"
    looked_at = answered and question.expect == "answered"
    quoted = [text for one in answer.citations for text in (one.quote, one.reading)]
    shown = "\n".join((plain(answer), *quoted))
    targets = {ESCAPE.sub(r"\1", target) for target in _TARGET.findall(text)}
    allowed = {item.link for item in answer.consulted}
    allowed |= {citation.link for citation in answer.citations}
    return Grade(
        verdict=question.expect in ("either", answer.verdict),
        page=_page(question, targets) if looked_at and question.pages else None,
        says=_says(question, shown) if looked_at and question.says else None,
        yes_no=says_yes_or_no(plain(answer)) == question.answer
        if looked_at and question.answer
        else None,
        cited=bool(targets & allowed) if answered else None,
        clean=not any(forbidden in text for forbidden in question.never),
        links=targets <= allowed | {page.url for page in answer.nearest},
        quotes=all(_stands(citation, library) for citation in answer.citations),
    )


def says_yes_or_no(text: str) -> str:
    """Return the yes or the no that a text begins with.

    Where it begins otherwise, its first sentence denies or affirms; "" for an empty text.
    """
    found = _YES.match(text)
    if found is not None:
        return found[1].lower()
    first = next(iter(sentences_of(text)), "")
    return "" if not first.strip() else "no" if _DENIES.search(first) else "yes"


def is_page(document: str, page: str) -> bool:
    """Return whether a document's key names a page of a question set, from any folder on."""
    return f"/{document}".endswith(f"/{page}") or f"/{page}".endswith(f"/{document}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One question with its expectation, its answer, and the cost.

    `prompt_tokens` and `answer_tokens` are those of the last attempt, as counted for the model;
    `attempts` is 0 where the model was not called. `own` and `quoted` count the statements in the
    model's own words and in those of a document. `cpu_ms` is the time of this process alone.
    """

    id: str
    kind: str
    expect: Expectation
    verdict: str
    reason: str
    text: str
    grade: Grade
    attempts: int
    milliseconds: float
    prompt_tokens: int
    answer_tokens: int
    own: int = 0
    quoted: int = 0
    cpu_ms: float = 0.0
    problem: str = ""

    @property
    def wrong(self) -> bool:
        """Whether something was shown as an answer that is not even a part of the expected one."""
        return self.verdict == "answered" and not (self.grade.right or self.grade.partly)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        grades = {"right": self.grade.right, "partly": self.grade.partly, "wrong": self.wrong}
        return asdict(self) | grades


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The counts of some results."""

    kind: str
    asked: int
    verdicts: int
    right: int
    partly: int
    wrong: int
    answered: int
    links: int
    quotes: int
    own: int
    quoted: int
    retries: int
    median_ms: float
    p95_ms: float
    cpu_ms: float
    tokens: int

    @classmethod
    def of(cls, kind: str, results: Sequence[Result]) -> Summary:
        """Count results, of which there is one at least."""
        times = [result.milliseconds for result in results]
        return cls(
            kind=kind,
            asked=len(results),
            verdicts=sum(result.grade.verdict for result in results),
            right=sum(result.grade.right for result in results),
            partly=sum(result.grade.partly for result in results),
            wrong=sum(result.wrong for result in results),
            answered=sum(result.verdict == "answered" for result in results),
            links=sum(result.grade.links for result in results),
            quotes=sum(result.grade.quotes for result in results),
            own=sum(result.own for result in results),
            quoted=sum(result.quoted for result in results),
            retries=sum(max(result.attempts - 1, 0) for result in results),
            median_ms=median(times),
            p95_ms=quantiles(times, n=20)[-1] if len(times) > 1 else times[0],
            cpu_ms=sum(result.cpu_ms for result in results),
            tokens=sum(result.prompt_tokens + result.answer_tokens for result in results),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return asdict(self)


def summarise(results: Sequence[Result]) -> list[Summary]:
    """Return the counts of each kind, in order of appearance, and of all together last."""
    kinds = dict.fromkeys(result.kind for result in results)
    by_kind = [
        Summary.of(kind, [result for result in results if result.kind == kind]) for kind in kinds
    ]
    return [*by_kind, Summary.of("all", results)] if results else []


def _page(question: RecordedQuestion, targets: set[str]) -> bool:
    linked = {target.partition("#")[0] for target in targets}
    return any(is_page(document, page) for document in linked for page in question.pages)


def _says(question: RecordedQuestion, shown: str) -> bool:
    shown = shown.casefold()
    found = [any(one in shown for one in text.casefold().split("|")) for text in question.says]
    return any(found) if question.any else all(found)


def _stands(citation: Citation, library: Library) -> bool:
    text = library.text(citation.document)
    if text is None:
        return False
    lead = text[citation.lead_start : citation.lead_end] if citation.lead else ""
    return text[citation.start : citation.end] == citation.quote != "" and lead == citation.lead
