"""The review of an answer before anybody sees it: the draft it becomes, or the failures to mend.

The model's text is read into statements, and every statement is judged against the passages of the
turn. The draft is composed from the statements that stand. Small talk, sentences that only point to
a page, lead-ins that no quote supports, and sentences that decline while others answer state
nothing, and are left out without a failure.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from tether.ask.citations.address import AddressCheck, addresses
from tether.ask.citations.draft import Draft, Stated, compose
from tether.ask.citations.judgement import Bench, Judged, after_question
from tether.ask.citations.passage import Window
from tether.ask.citations.phrases import (
    is_courtesy,
    leads_in,
    only_points,
    points_unlinked,
    without_preamble,
)
from tether.ask.citations.quotes import Quotes
from tether.ask.citations.resolver import Resolver
from tether.ask.citations.statements import Reading, Statement, read_answer
from tether.ask.declines.recognition import declines
from tether.ask.evidence import Evidence
from tether.ask.verification.port import Verifier
from tether.text.numbers import counted
from tether.trust.visible import visible_text

FailureKind = Literal["empty", "cut", "form", "code", "statement", "address"]
"""The faults of an answer, the most severe first; only answers that point have a form to miss."""

CUT_OFF = "the model's reply was cut off, and its unfinished end was left out"
VERIFIER_FAILED = "the verifier failed, so only words of the documents are shown"

MOST_NAMED = 3
LONGEST_NAMED = 300
_DIRECTIVES: dict[FailureKind, str] = {
    "empty": "Write an answer to the question.",
    "cut": "Your answer was too long and broke off. Answer in fewer words.",
    "code": "Give code only as it stands in the passages, line by line, or none at all.",
    "address": "Answer the question itself, with sentences of the passages that speak about it.",
}
_NOTES = (
    ("moved to the passage that says it", "citation"),
    ("removed, to pages that were not retrieved", "link"),
    ("removed", "image"),
    ("removed", "link definition"),
    ("removed", "hidden character"),
    ("replaced by the document's own words, because no passage says it", "statement"),
    ("removed, because no passage says it", "statement"),
)
_NOT_SAID = "The passages do not say the following. Say only what they say, in their own words:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One fault of an answer: `message` for people and traces, `directive` for the model."""

    kind: FailureKind
    message: str
    directive: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRules:
    """The rules of a review: whether code is allowed, who verifies, and the address check.

    Code is shown only where it is a passage's own, line by line. Without a verifier, only whole
    sentences of a document stand.
    """

    code: bool = False
    verifier: Verifier | None = None
    address: AddressCheck | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """The result of a review.

    `draft` is the answer to show if it is accepted. `repaired` is the answer to show if no attempt
    is accepted: each statement that does not stand is replaced by the closest unit in the
    document's own words, or dropped; None where nothing is left or the quotes do not address the
    question. `judged` are all statements; `notes` list the removals and corrections. `problem` says
    why the verifier failed, "" where it did not.
    """

    failures: tuple[Failure, ...]
    draft: Draft
    repaired: Draft | None
    judged: tuple[Judged, ...]
    notes: tuple[str, ...]
    problem: str = ""

    @property
    def passed(self) -> bool:
        """Whether the draft may be shown."""
        return not self.failures

    @property
    def warnings(self) -> tuple[str, ...]:
        """The notes that belong to a refusal, too."""
        return warnings_of(self.problem)

    @property
    def directive(self) -> str:
        """The instruction for the model's next attempt; "" for an answer that passed."""
        return self.failures[0].directive if self.failures else ""


def review(
    text: str,
    evidence: Sequence[Evidence],
    question: str,
    rules: ReviewRules,
    *,
    is_cut: bool = False,
) -> Review:
    """Check a model's answer against the passages of its turn.

    The last statement of a text that `is_cut` is left out: it is a fragment. Blocks while the
    verifier reads. Besides that it is pure, and linear in the answer.
    """
    return examine(text, evidence, question, rules, is_cut=is_cut).review()


def examine(
    text: str,
    evidence: Sequence[Evidence],
    question: str,
    rules: ReviewRules,
    *,
    is_cut: bool = False,
) -> Examined:
    """Do the same up to the judgement of each statement, which somebody may still doubt."""
    visible = visible_text(text.replace("\r\n", "\n").replace("\r", "\n"))
    reading = read_answer(visible.text, Resolver(evidence))
    return examined(reading, evidence, question, rules, is_cut=is_cut, hidden=visible.hidden)


def examined(
    reading: Reading,
    evidence: Sequence[Evidence],
    question: str,
    rules: ReviewRules,
    *,
    is_cut: bool = False,
    hidden: int = 0,
) -> Examined:
    """Do the same for statements that were read already."""
    quotes = Quotes(evidence, question)
    said = reading.statements[:-1] if is_cut else reading.statements
    spoken = [(one, _declines(one, quotes)) for one in said]
    spoken = [pair for pair in spoken if pair[1] or _states(pair[0], quotes, evidence)]
    stating = [one for one, is_decline in spoken if not is_decline]
    bench = Bench(quotes, question, rules.verifier)
    judged = bench.judge(stating)
    return Examined(
        reading=reading,
        judged=[one for one in judged if one.stands or not leads_in(one.text)],
        quotes=quotes,
        evidence=evidence,
        rules=rules,
        question=question,
        hidden=hidden,
        is_cut=is_cut,
        begins_with_decline=bool(spoken) and spoken[0][1],
        problem=bench.problem,
    )


def _declines(one: Statement, quotes: Quotes) -> bool:
    """Say whether a statement declines; where a document says the same, it does not."""
    if one.layout == "code" or not declines(one.text):
        return False
    return quotes.verbatim(one.text, {item.number for each in one.cited for item in each}) is None


def _states(one: Statement, quotes: Quotes, evidence: Sequence[Evidence]) -> bool:
    """Say whether a statement states anything: not small talk, a question, or a pointer."""
    if one.layout == "code":
        return True
    bare = without_preamble(one.text)
    if is_courtesy(bare) or bare.rstrip(" *_").endswith("?") or points_unlinked(bare):
        return False
    said = quotes.said(one.text)
    if not said.terms and not said.numbers:
        return False
    cited = [item for each in one.cited for item in each] or list(evidence)
    names = [(*item.chunk.heading_path, item.chunk.title, item.link) for item in cited]
    named = quotes.said(" . ".join(name for each in names for name in each))
    is_pointer = bool(one.cited) and only_points(one.text, said.terms, named.terms)
    return said.negates or bool(said.numbers) or not is_pointer


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """An answer with its judged statements, before its review."""

    reading: Reading
    judged: list[Judged]
    quotes: Quotes
    evidence: Sequence[Evidence]
    rules: ReviewRules
    question: str
    hidden: int
    is_cut: bool
    begins_with_decline: bool = False
    problem: str = ""

    @property
    def is_declined(self) -> bool:
        """Whether it says that there is no answer, and then nothing that stands.

        A fragment is not a decline: the answer may have been about to come.
        """
        stands = any(one.stands for one in self.judged)
        return self.begins_with_decline and not stands and not self.is_cut

    def doubting(self, places: Collection[int], fault: str) -> Examined:
        """Return the same answer where the statements at these places do not stand."""
        judged = [
            replace(one, standing="unsupported", fault=fault) if at in places else one
            for at, one in enumerate(self.judged)
        ]
        return replace(self, judged=judged)

    def review(self) -> Review:
        """Return the result; blocks while a judge reads the quotes."""
        draft = compose(list(self._standing()))
        failures = self._failures()
        stated = list(self._replaced() if failures else self._standing())
        repaired = compose(stated)
        shown = [one.window for one in stated]
        addressed = addresses(self.rules.address, self.question, shown)
        if not addressed and not failures:
            failures = [_failure("address", "the quotes do not address the question")]
        return Review(
            failures=tuple(failures),
            draft=draft,
            repaired=repaired if addressed and repaired.statements else None,
            judged=tuple(self.judged),
            notes=(*warnings_of(self.problem), *self._notes(stated)),
            problem=self.problem,
        )

    def _standing(self) -> Iterator[Stated]:
        for one in self.judged:
            if one.window is not None and not self._is_faulty(one):
                yield _stated(one, one.window)

    def _replaced(self) -> Iterator[Stated]:
        """Yield the statements that stand, and the closest units for the others, each once."""
        kept = [one.window for one in self.judged if one.stands]
        said = {unit for window in kept if window is not None for unit in _units(window)}
        for one in self.judged:
            if one.window is not None and not self._is_faulty(one):
                yield _stated(one, one.window)
                continue
            window = self._instead(one)
            if window is not None and not said & set(_units(window)):
                said |= set(_units(window))
                yield _replacing(window, one.statement.section)

    def _instead(self, one: Judged) -> Window | None:
        """Return the unit that stands in for a statement; none stands in for code."""
        cited = {item.number for each in one.statement.cited for item in each}
        is_code = one.statement.layout == "code"
        asked = after_question(one.text, self.question)
        return None if is_code else self.quotes.closest(asked, cited)

    def _is_allowed(self, one: Judged) -> bool:
        return one.statement.layout != "code" or self.rules.code

    def _failures(self) -> list[Failure]:
        if not self.reading.statements:
            return [_failure("empty", "the answer is empty")]
        failures: list[Failure] = []
        if self.is_cut:
            failures.append(_failure("cut", "the answer broke off"))
        code = sum(one.statement.layout == "code" for one in self.judged if self._is_faulty(one))
        if code:
            failures.append(_failure("code", f"{code} pieces of code that no passage has"))
        missing = [one for one in self.judged if not one.stands and one.statement.layout != "code"]
        if missing:
            failures.append(_unsaid(missing))
        elif not failures and not any(self._standing()):
            failures.append(_failure("empty", "the answer states nothing"))
        return failures

    def _is_faulty(self, one: Judged) -> bool:
        return not one.stands or not self._is_allowed(one)

    def _notes(self, repaired: Sequence[Stated]) -> list[str]:
        reading = self.reading
        failing = sum(self._is_faulty(one) for one in self.judged)
        own = sum(one.standing == "verbatim" and self._is_allowed(one) for one in self.judged)
        replaced = sum(one.words == "document" for one in repaired) - own
        counts = (
            sum(one.moved for one in self.judged),
            len(reading.phantoms),
            reading.images,
            reading.definitions,
            self.hidden,
            replaced,
            failing - replaced,
        )
        noted = zip(counts, _NOTES, strict=True)
        notes = [f"{done}: {counted(count, noun)}" for count, (done, noun) in noted if count]
        return [*notes, CUT_OFF] if self.is_cut else notes


def _stated(one: Judged, window: Window) -> Stated:
    return Stated(
        text=one.text,
        window=window,
        probability=one.probability,
        words="document" if one.standing == "verbatim" else "model",
        layout=one.statement.layout,
        section=one.statement.section,
        continues=one.continues,
    )


def _replacing(window: Window, section: int) -> Stated:
    """Return a unit in the document's own words, in the place of a statement."""
    return Stated(
        text=window.reading,
        window=window,
        probability=1.0,
        words="document",
        section=section,
        replaces=True,
    )


def _units(window: Window) -> list[tuple[int, int]]:
    """Return the places of the units of a quote."""
    return [(window.number, unit.start) for unit in window.units]


def warnings_of(problem: str) -> tuple[str, ...]:
    """Return what people have to know where the verifier failed, and why it did."""
    return (f"{VERIFIER_FAILED}: {problem}",) if problem else ()


def _failure(kind: FailureKind, message: str) -> Failure:
    return Failure(kind=kind, message=message, directive=_DIRECTIVES[kind])


def _unsaid(missing: Sequence[Judged]) -> Failure:
    """Return the failure of statements that do not stand; its directive names them."""
    named = "\n".join(f"- {one.text[:LONGEST_NAMED]} ({one.fault})" for one in missing[:MOST_NAMED])
    faults = ", ".join(dict.fromkeys(one.fault for one in missing))
    return Failure(
        kind="statement",
        message=f"{len(missing)} statements that do not stand: {faults}",
        directive=f"{_NOT_SAID}\n{named}",
    )
