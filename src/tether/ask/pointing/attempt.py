"""An attempt that points, read and reviewed: the units at its numbers, in the document's words."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from tether.ask.citations.address import addresses
from tether.ask.citations.draft import Stated, compose
from tether.ask.citations.judgement import Judged, after_question
from tether.ask.citations.passage import Passage, Window
from tether.ask.citations.phrases import asks_yes_or_no, contradicts_opening
from tether.ask.citations.quotes import Quotes
from tether.ask.citations.review import (
    CUT_OFF,
    Failure,
    FailureKind,
    Review,
    ReviewRules,
    warnings_of,
)
from tether.ask.declines.recognition import is_decline
from tether.ask.errors import VerifierFailed
from tether.ask.evidence import Evidence
from tether.ask.pointing.form import MOST_POINTS, Reply, read_reply
from tether.ask.pointing.numbered import NumberedPassage, Numbering
from tether.ask.quoting.selection import Selection
from tether.ask.quoting.windows import as_judged, quoted, windows_of
from tether.ask.verification.port import Claim

LONGEST_NAMED = 200
"""In characters: how much of what cannot be chosen is named."""

_FORM = "Answer with the JSON object that was asked for, and nothing else."
_CHOOSE = (
    "Choose the numbers of the lines that answer the question. Where none does, set answered to"
    " false."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointed:
    """What an attempt points at, before its review.

    `points` are a "Yes" or "No" that the verifier found in the units, and the units, which need no
    verifier; each is judged, and ready to be shown. `unknown` are the entries that nothing can be
    quoted for.
    """

    reply: Reply
    points: list[tuple[Judged, Stated]]
    unknown: tuple[str, ...]
    question: str
    rules: ReviewRules
    is_cut: bool
    is_declined: bool
    problem: str = ""

    @property
    def judged(self) -> list[Judged]:
        """The points as statements with their standings."""
        return [judged for judged, _ in self.points]

    def doubting(self, places: Collection[int], fault: str) -> Pointed:
        """Return the same attempt without the points at these places."""
        kept = [one for at, one in enumerate(self.points) if at not in places]
        return replace(self, points=kept)

    def review(self) -> Review:
        """Return the result; blocks while a judge reads the units."""
        draft = compose([stated for _, stated in self.points])
        failure = self._failure()
        shown = [stated.window for _, stated in self.points]
        addressed = addresses(self.rules.address, self.question, shown)
        if failure is None and not addressed:
            failure = self._not_addressed()
        return Review(
            failures=() if failure is None else (failure,),
            draft=draft,
            repaired=draft if addressed and draft.statements else None,
            judged=tuple(self.judged),
            notes=tuple(self._notes()),
            problem=self.problem,
        )

    def _failure(self) -> Failure | None:
        if self.is_cut:
            return _failure("cut", "the reply broke off", f"Your reply broke off. {_FORM}")
        if not self.reply.is_whole:
            return _failure("form", "the reply is not the JSON that was asked for", _FORM)
        if self.unknown:
            named = ", ".join(self.unknown)[:LONGEST_NAMED]
            fault = f"it points at what cannot be quoted: {named}"
            return _failure("form", fault, f"These cannot be chosen: {named}. {_CHOOSE}")
        if not self.points:
            return _failure("empty", "it points at nothing", _CHOOSE)
        return None

    def _not_addressed(self) -> Failure:
        numbers = ", ".join(self.reply.numbers[:MOST_POINTS])
        return _failure(
            "address",
            "the units do not address the question",
            f"These lines do not answer the question: {numbers}. {_CHOOSE}",
        )

    def _notes(self) -> Iterator[str]:
        yield from warnings_of(self.problem)
        if self.unknown:
            yield f"{len(self.unknown)} choices of the model that cannot be quoted were left out"
        if self.is_cut:
            yield CUT_OFF


@dataclass(frozen=True, slots=True)
class PointReader:
    """Reads replies that point at units of the passages of one turn."""

    numbering: Numbering

    def __call__(
        self,
        text: str,
        evidence: Sequence[Evidence],
        question: str,
        rules: ReviewRules,
        /,
        *,
        is_cut: bool = False,
    ) -> Pointed:
        """Return what a reply points at; one that is cut is never a decline, nor accepted.

        Blocks while the verifier reads.
        """
        reply = read_reply(text) or Reply(is_answered=not is_decline(text), is_whole=False)
        chosen = reply.numbers[:MOST_POINTS] if reply.is_answered else ()
        passages = self.numbering.choices(evidence, code=rules.code)
        known = [one for one in chosen if one in passages]
        windows = _windows(known, passages, question, code=rules.code) if known else []
        lead, problem = _lead(reply.lead, windows, question, rules)
        return Pointed(
            reply=reply,
            points=[*lead, *(quoted(one, at) for at, one in enumerate(windows))],
            unknown=(*(one for one in chosen if one not in passages), *reply.strays),
            question=question,
            rules=rules,
            is_cut=is_cut,
            is_declined=not reply.is_answered and not is_cut,
            problem=problem,
        )


def _windows(
    numbers: Sequence[str], passages: dict[str, NumberedPassage], question: str, *, code: bool
) -> list[Window]:
    """Return the quotes at some numbers: passages in the order of the choice.

    Lines of the same passage that are likelier to answer come along.
    """
    read = list(dict.fromkeys(one.passage for one in passages.values()))
    selection = Selection(question, read)
    chosen: dict[Passage, set[int]] = {}
    for number in numbers:
        one = passages[number]
        chosen.setdefault(one.passage, set()).update(one.choices[number])
    found = (
        windows_of(passage, {*places, *selection.likelier(passage, places, code=code)})
        for passage, places in chosen.items()
    )
    return [window for each in found for window in each]


def _lead(
    lead: str, windows: Sequence[Window], question: str, rules: ReviewRules
) -> tuple[list[tuple[Judged, Stated]], str]:
    """Return the "Yes" or "No" that a unit supports and none denies, and why none was read."""
    verifier = rules.verifier
    if not lead or not windows or verifier is None or not asks_yes_or_no(question):
        return [], ""
    text = f"{lead.capitalize()}."
    claims = [Claim(after_question(text, question), window.premise) for window in windows]
    try:
        opinions = verifier.verify(claims)
    except VerifierFailed as error:
        return [], error.message
    pairs = list(zip(opinions, windows, strict=True))
    best, window = max(pairs, key=lambda pair: pair[0].supports)
    is_denied = any(one.contradicts >= verifier.contradicted_at for one in opinions)
    if is_denied or best.supports < verifier.supported_at or _contradicts(text, window, question):
        return [], ""
    stated = Stated(text=text, window=window, probability=best.supports)
    return [(as_judged(stated, "supported"), stated)], ""


def _contradicts(lead: str, window: Window, question: str) -> bool:
    quotes, language = Quotes((), question), window.passage.language
    asked, said = quotes.said(question, language), quotes.said(window.reading, language)
    return contradicts_opening(lead, window.reading, asked, said)


def _failure(kind: FailureKind, message: str, directive: str) -> Failure:
    return Failure(kind=kind, message=message, directive=directive)
