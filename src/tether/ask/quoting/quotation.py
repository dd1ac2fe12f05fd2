"""An answer by quotation: no model writes a word of it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from tether.ask.citations.draft import Stated, compose
from tether.ask.citations.judgement import Judged
from tether.ask.citations.passage import Passage
from tether.ask.citations.review import Failure, Review, ReviewRules
from tether.ask.evidence import Evidence
from tether.ask.quoting.selection import Selection
from tether.ask.quoting.windows import quoted

NOTHING = Failure(kind="empty", message="no unit answers the question", directive="")


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotation:
    """The units that were chosen for a question, each as a statement in the document's words."""

    points: list[tuple[Judged, Stated]]

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
        """Return the result."""
        draft = compose([stated for _, stated in self.points])
        return Review(
            failures=() if self.points else (NOTHING,),
            draft=draft,
            repaired=draft if self.points else None,
            judged=tuple(self.judged),
            notes=(),
        )


def quote(evidence: Sequence[Evidence], question: str, rules: ReviewRules) -> Quotation:
    """Return the units that answer a question; blocks while a judge reads them.

    The order of the evidence is its rank, best first. The same input always gives the same output.
    """
    passages = [Passage(item) for item in evidence]
    chosen = Selection(question, passages).chosen(code=rules.code, check=rules.address)
    return Quotation(points=[quoted(one.window, at) for at, one in enumerate(chosen)])


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
