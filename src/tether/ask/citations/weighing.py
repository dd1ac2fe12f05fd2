"""Statements beside the quotes: which need no source of their own, and which contradict them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from tether.ask.citations.blocks import Block
from tether.ask.citations.opening import affirms, contradicts_opening
from tether.ask.citations.quoting import Found, Quotes
from tether.ask.citations.references import leads_in, points_unlinked
from tether.ask.citations.statements import Statement
from tether.ask.citations.wording import Said
from tether.ask.evidence import Evidence

_SENTENCE = re.compile(r"(?<=[.!?:;])\s+")
_ONLY = re.compile(r"\bonly\b", re.IGNORECASE)

MOST_ANNOUNCED = 6
"""How many content words a heading or a lead-in may have that nothing vouches for."""

Standing = Literal[
    "found", "misattributed", "not_found", "uncited", "unlinked", "plain", "pointing"
]
"""Rests on a cited passage; on another one; on none; is not cited; only names a source; states
nothing that needs one; does no more than name what is cited, and is dropped."""


@dataclass(slots=True, kw_only=True)
class Judged:
    """A statement with its standing and quotes, or in parts where each part has its own."""

    statement: Statement
    text: str
    standing: Standing
    found: list[Found] = field(default_factory=list[Found])


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighing:
    """Looks at all judged statements of one answer to a question together."""

    quotes: Quotes
    question: str

    def weigh(self, judged: list[Judged]) -> None:
        """Excuse uncited statements that say nothing beyond the quotes; name those that point."""
        quotes = "\n".join(found.quote for one in judged for found in one.found)
        known = self.quotes.said(quotes)
        sources = {it.evidence.number: it.evidence for one in judged for it in one.found}
        items = Counter(one.section for one in {id(it): it for it in _items(judged)}.values())
        for one in judged:
            if one.standing == "plain" or one.statement.cited:
                continue
            listed = items[one.statement.block.section]
            if self._announces(one, known, listed) and (listed or not one.found):
                one.found, one.standing = [], "plain"
            elif one.standing not in ("uncited", "not_found"):
                continue
            elif points_unlinked(one.text):
                one.standing = "unlinked"
            elif self._repeats(one, known):
                one.found = self._again(one, sources)
                one.standing = "found" if one.found else "plain"
        self._weigh_openings(judged)

    def _weigh_openings(self, judged: list[Judged]) -> None:
        """Let no "Yes" or "No" stand that the sentence behind it, or its quote, contradicts."""
        asked = self.quotes.said(self.question)
        for one, following in pairwise(judged):
            said = self.quotes.said(following.text)
            if following.found and contradicts_opening(one.text, following.text, asked, said):
                one.standing = "not_found"
                following.text = following.text[:1].upper() + following.text[1:]
            elif affirms(one.text) and not said.negates and self._is_taken_back(said, following):
                following.standing, following.found = "not_found", []

    def _is_taken_back(self, said: Said, judged: Judged) -> bool:
        """Say whether a quote denies or narrows what a "Yes" says of it.

        "Yes, strings can be indexed" shares its words with "Strings cannot be indexed", and
        "Yes, it runs on Windows" with "It runs only on Linux".
        """
        sentences = [
            sentence for found in judged.found for sentence in _SENTENCE.split(found.quote)
        ]
        return any(
            self.quotes.said(sentence).near & said.terms
            or (_ONLY.search(sentence) and not said.terms <= self.quotes.said(sentence).terms)
            for sentence in sentences
        )

    def _announces(self, judged: Judged, known: Said, listed: int) -> bool:
        """Say whether a heading or a lead-in is short and brings nothing that needs a source.

        It may count what it leads into.
        """
        if not leads_in(judged.text) and not judged.statement.block.announces:
            return False
        said = self.quotes.said(judged.text)
        brief = len(said.terms) <= MOST_ANNOUNCED and not said.negates
        numbers = said.numbers - {str(listed)}
        return brief and numbers <= known.numbers and said.codes <= known.codes

    def _again(self, judged: Judged, sources: Mapping[int, Evidence]) -> list[Found]:
        """Return the quote that a statement repeats, where one quote says it."""
        if judged.statement.block.announces:
            return []
        found = (self.quotes.find(judged.text, one) for one in sources.values())
        return [one for one in found if one is not None][:1]

    def _repeats(self, judged: Judged, known: Said) -> bool:
        """Say whether all content words are those of the quotes, and nothing is negated."""
        said = self.quotes.said(judged.text)
        same = said.numbers <= known.numbers and said.terms <= known.terms
        return same and not said.negates and not known.negated & said.terms


def _items(judged: list[Judged]) -> Iterator[Block]:
    """Return the items of lists and the rows of tables, again for each of their sentences."""
    blocks = (one.statement.block for one in judged)
    return (one for one in blocks if one.kind in ("item", "row") and not one.announces)
