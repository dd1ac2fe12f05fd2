"""Whether an answer of the past still stands in the documents of today."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tether.ask.answer import Answer, Citation
from tether.ask.library import Library
from tether.ask.receipt import Receipt

Standing = Literal["still-true", "moved", "source-changed", "source-gone"]
"""The quote stands where it stood; elsewhere in its document; no longer; its document is gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """One citation against today's document. `start` is where the quote is now, -1 if nowhere."""

    citation: Citation
    standing: Standing
    start: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What became of an answer's sources. `same_corpus` where not a byte of the documents changed.

    It is about what was quoted: whether the quotes still answer the question, nobody asks again.
    """

    answer: Answer
    checked: tuple[Checked, ...]
    same_corpus: bool

    @property
    def holds(self) -> bool:
        """Whether every quote is still in its document."""
        return all(one.standing in ("still-true", "moved") for one in self.checked)


def verify(receipt: Receipt, library: Library) -> Verification:
    """Look for every quote of an answer in the documents as they are now. Blocks, asks nobody."""
    answer = receipt.answer
    return Verification(
        answer=answer,
        checked=tuple(_checked(citation, library) for citation in answer.citations),
        same_corpus=answer.corpus == library.corpus,
    )


def _checked(citation: Citation, library: Library) -> Checked:
    text = library.text(citation.document)
    if text is None:
        return Checked(citation=citation, standing="source-gone", start=-1)
    start = max(citation.start, 0)
    if citation.quote and text.startswith(citation.quote, start):
        return Checked(citation=citation, standing="still-true", start=start)
    place = text.find(citation.quote) if citation.quote else -1
    standing: Standing = "source-changed" if place < 0 else "moved"
    return Checked(citation=citation, standing=standing, start=place)
