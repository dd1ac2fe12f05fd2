"""An answer by quotation: no model writes a word of it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from tether.ask.citations.draft import Stated, compose
from tether.ask.citations.judgement import Judged
from tether.ask.citations.passage import Passage
from tether.ask.citations.review import Failure, Review, ReviewRules, are_addressed
from tether.ask.evidence import Evidence
from tether.ask.quoting.selection import Selection
from tether.ask.quoting.windows import quoted

NOTHING = Failure(kind="empty", message="no unit answers the question", directive="")
NOT_ADDRESSED = Failure(
    kind="address", message="the quotes do not address the question", directive=""
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotation:
    """The units that were chosen for a question, each as a statement in the document's words."""

    points: list[tuple[Judged, Stated]]
    evidence: Sequence[Evidence]
    question: str
    rules: ReviewRules

    @property
    def judged(self) -> list[Judged]:
        """The statements; all are verbatim."""
        return [judged for judged, _ in self.points]

    @property
    def is_declined(self) -> bool:
        """Whether somebody says that there is no answer; nobody does."""
        return False

    def doubting(self, places: Collection[int], fault: str) -> Quotation:
        """Return the same: the words of a document are not doubted."""
        return self

    def review(self) -> Review:
        """Return the result; blocks while a judge reads the units."""
        draft = compose([stated for _, stated in self.points])
        addressed = are_addressed(draft, self.evidence, self.question, self.rules)
        failure = NOTHING if not self.points else None if addressed else NOT_ADDRESSED
        return Review(
            failures=() if failure is None else (failure,),
            draft=draft,
            repaired=draft if failure is None else None,
            judged=tuple(self.judged),
            notes=(),
        )


def quote(evidence: Sequence[Evidence], question: str, rules: ReviewRules) -> Quotation:
    """Return the units that answer a question.

    The order of the evidence is its rank, best first. The same input always gives the same output.
    """
    passages = [Passage(item) for item in evidence]
    chosen = Selection(question, passages).chosen(code=rules.code)
    points = [quoted(one.window, at) for at, one in enumerate(chosen)]
    return Quotation(points=points, evidence=evidence, question=question, rules=rules)


def read_quotation(
    _text: str,
    evidence: Sequence[Evidence],
    question: str,
    rules: ReviewRules,
    /,
    *,
    is_cut: bool,  # noqa: ARG001  # a reader is told, and nothing here could be cut
) -> Quotation:
    """Return the quotation, whatever an executor wrote: it needs none."""
    return quote(evidence, question, rules)
