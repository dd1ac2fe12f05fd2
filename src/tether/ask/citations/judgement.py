"""The judgement of each statement of an answer: the quotes it rests on, or its fault."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import dropwhile, groupby, pairwise
from typing import Literal

from tether.ask.citations.comparison import Said
from tether.ask.citations.markdown import Block
from tether.ask.citations.phrases import (
    affirms,
    contradicts_opening,
    is_courtesy,
    leads_in,
    only_points,
    points_unlinked,
)
from tether.ask.citations.quotes import Found, Quotes
from tether.ask.citations.statements import Statement
from tether.ask.evidence import Evidence

_CLAUSE_END = re.compile(r"(?<=[.!?:;])\s+")
_ONLY = re.compile(r"\bonly\b", re.IGNORECASE)

MOST_STATEMENTS = 400
"""How many statements of one answer are looked up; further ones count as not found."""

MOST_ANNOUNCED = 6
"""How many content words without a source a heading or a lead-in may have."""

Standing = Literal[
    "found", "misattributed", "not_found", "uncited", "unlinked", "plain", "pointing"
]
"""Rests on a cited passage; on another one; on none; is not cited; only names a source; states
nothing that needs one; does no more than name the cited page, and is dropped."""


@dataclass(slots=True, kw_only=True)
class Judged:
    """A statement, or a part of one, with its standing and its quotes."""

    statement: Statement
    text: str
    standing: Standing
    found: list[Found] = field(default_factory=list[Found])


class Judge:
    """Judges the statements of one answer to a question, in order."""

    def __init__(self, evidence: Sequence[Evidence], quotes: Quotes, question: str) -> None:
        self._evidence = evidence
        self._quotes = quotes
        self._question = question
        self._left = MOST_STATEMENTS

    def judge(self, statements: Sequence[Statement]) -> list[Judged]:
        """Return the statements with their quotes.

        Sentences that only point are dropped, and so are small talk and an opening question.
        """
        judged: list[Judged] = []
        waiting: list[Judged] = []
        statements = [one for one in statements if one.cited or not is_courtesy(one.text)]
        statements = list(dropwhile(_asks, statements))
        for _, group in groupby(statements, key=lambda one: one.block.section):
            section = list(group)
            if any(one.cited for one in section) and not any(map(self._states, section)):
                self._settle(waiting, [one for each in section for one in each.cited])
                waiting = []
                continue
            found = self._section(section)
            judged += found
            waiting += [one for one in _citable(found) if one.standing == "uncited"]
        judged = [one for one in judged if one.standing != "pointing"]
        _Weighing(quotes=self._quotes, question=self._question).weigh(judged)
        return judged

    def _states(self, statement: Statement) -> bool:
        """Say whether a statement has content; a link alone, or "see [page]", does not."""
        if not statement.cited and not leads_in(statement.text):
            said = self._quotes.said(statement.text)
            return bool(said.terms or said.numbers)
        evidence = [one for each in statement.cited for one in each]
        return not self._only_names(statement.text, evidence)

    def _only_names(self, text: str, evidence: Sequence[Evidence]) -> bool:
        """Say whether a text has no more content than the titles and links of passages."""
        names = [(*one.chunk.heading_path, one.chunk.title, one.link) for one in evidence]
        named = self._quotes.said(" . ".join(name for each in names for name in each))
        said = self._quotes.said(text)
        if said.numbers or said.negates:
            return False
        return only_points(text, said.terms, named.terms)

    def _section(self, section: list[Statement]) -> list[Judged]:
        judged: list[Judged] = []
        waiting: list[Judged] = []
        cited: list[Evidence] = []
        for statement in section:
            if statement.cited and not self._states(statement):
                self._settle(waiting, statement.cited)
                waiting = []
                cited = _latest(statement.cited, cited)
                if leads_in(statement.text):
                    judged.append(_plain(statement))
                continue
            found = self._cited(statement) if statement.cited else [self._uncited(statement)]
            judged += found
            if found[0].standing == "uncited":
                waiting += _citable(found)
            elif found[0].standing != "plain":
                now = [
                    *statement.cited,
                    *((one.evidence,) for each in found for one in each.found),
                ]
                self._settle(waiting, now)
                cited = _latest(now, cited)
                waiting = []
        self._extend(waiting, tuple(cited))
        return judged

    def _uncited(self, statement: Statement) -> Judged:
        if not self._states(statement):
            return _plain(statement)
        judged = Judged(statement=statement, text=statement.text, standing="uncited")
        if statement.phantoms and not statement.block.announces:
            self._search(judged)
        return judged

    def _cited(self, statement: Statement) -> list[Judged]:
        whole = Judged(statement=statement, text=statement.text, standing="not_found")
        self._attribute(whole, statement.cited)
        parts = _clauses(statement)
        if whole.standing == "found" or len(parts) < 2:
            return [whole]
        split: list[Judged] = []
        for text, cited in parts:
            part = Judged(statement=statement, text=text, standing="not_found")
            self._attribute(part, [cited])
            split.append(part)
        stated = (
            one.found and not self._only_names(one.text, _sources(one.found)) for one in split
        )
        return split if all(stated) else [whole]

    def _settle(self, waiting: list[Judged], cited: list[tuple[Evidence, ...]]) -> None:
        """Let a citation cover the uncited statements before it."""
        for one in self._stating(waiting, cited):
            self._attribute(one, cited)
            if one.standing == "not_found" and leads_in(one.text):
                one.standing = "uncited"

    def _extend(self, waiting: list[Judged], cited: tuple[Evidence, ...]) -> None:
        """Let citations cover the statements after them that one of their passages says too."""
        for one in self._stating(waiting, [cited]):
            found = self._best(one.text, [cited])
            if found:
                one.found, one.standing = found, "found"

    def _stating(
        self, waiting: list[Judged], cited: list[tuple[Evidence, ...]]
    ) -> Iterator[Judged]:
        """Leave out texts that only name the cited passages: they state nothing."""
        evidence = [one for each in cited for one in each]
        for one in waiting:
            if evidence and self._only_names(one.text, evidence):
                one.standing = "plain" if leads_in(one.text) else "pointing"
            else:
                yield one

    def _attribute(self, judged: Judged, cited: Sequence[tuple[Evidence, ...]]) -> None:
        found = self._best(judged.text, cited)
        if found:
            judged.found, judged.standing = found, "found"
        else:
            judged.standing = "not_found"
            self._search(judged)

    def _search(self, judged: Judged) -> None:
        """Look in all passages for a statement that the cited ones do not make."""
        found = self._best(judged.text, [tuple(self._evidence)])
        if found and not self._only_names(judged.text, _sources(found)):
            judged.found, judged.standing = found, "misattributed"

    def _best(self, text: str, cited: Sequence[tuple[Evidence, ...]]) -> list[Found]:
        """Return one quote for each citation that has one: of its passages, the best."""
        best: list[Found] = []
        if self._left <= 0:
            return best
        self._left -= 1
        for passages in cited:
            found = [one for each in passages if (one := self._quotes.find(text, each))]
            if found:
                best.append(max(found, key=lambda one: one.covered))
        return list({_place(one): one for one in best}.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Weighing:
    """Compares all judged statements of one answer with each other and with the question."""

    quotes: Quotes
    question: str

    def weigh(self, judged: list[Judged]) -> None:
        """Accept uncited statements that add nothing to the quotes; mark those that only point."""
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
        """Reject a "Yes" or "No" that the sentence after it, or its quote, contradicts."""
        asked = self.quotes.said(self.question)
        for one, following in pairwise(judged):
            said = self.quotes.said(following.text)
            if following.found and contradicts_opening(one.text, following.text, asked, said):
                one.standing = "not_found"
                following.text = following.text[:1].upper() + following.text[1:]
            elif affirms(one.text) and not said.negates and self._is_taken_back(said, following):
                following.standing, following.found = "not_found", []

    def _is_taken_back(self, said: Said, judged: Judged) -> bool:
        """Say whether a quote denies or narrows the statement after a "Yes".

        "Yes, strings can be indexed" shares its words with "Strings cannot be indexed", and
        "Yes, it runs on Windows" with "It runs only on Linux".
        """
        sentences = [
            sentence for found in judged.found for sentence in _CLAUSE_END.split(found.quote)
        ]
        return any(
            self.quotes.said(sentence).near & said.terms
            or (_ONLY.search(sentence) and not said.terms <= self.quotes.said(sentence).terms)
            for sentence in sentences
        )

    def _announces(self, judged: Judged, known: Said, listed: int) -> bool:
        """Say whether a heading or a lead-in is short and adds nothing that needs a source.

        It may count the items that follow it.
        """
        if not leads_in(judged.text) and not judged.statement.block.announces:
            return False
        said = self.quotes.said(judged.text)
        brief = len(said.terms) <= MOST_ANNOUNCED and not said.negates
        numbers = said.numbers - {str(listed)}
        return brief and numbers <= known.numbers and said.codes <= known.codes

    def _again(self, judged: Judged, sources: Mapping[int, Evidence]) -> list[Found]:
        """Return the quote that a statement repeats, if a single quote says it."""
        if judged.statement.block.announces:
            return []
        found = (self.quotes.find(judged.text, one) for one in sources.values())
        return [one for one in found if one is not None][:1]

    def _repeats(self, judged: Judged, known: Said) -> bool:
        """Say whether all content words are in the quotes, and nothing is negated."""
        said = self.quotes.said(judged.text)
        same = said.numbers <= known.numbers and said.terms <= known.terms
        return same and not said.negates and not known.negated & said.terms


def _items(judged: list[Judged]) -> Iterator[Block]:
    """Return the items of lists and the rows of tables, again for each of their sentences."""
    blocks = (one.statement.block for one in judged)
    return (one for one in blocks if one.kind in ("item", "row") and not one.announces)


def _citable(judged: list[Judged]) -> list[Judged]:
    """Leave out headings: a mark after one would be a part of it."""
    return [one for one in judged if not one.statement.block.announces]


def _asks(statement: Statement) -> bool:
    return not statement.cited and statement.text.rstrip(" *_").endswith("?")


def _plain(statement: Statement) -> Judged:
    return Judged(statement=statement, text=statement.text, standing="plain")


def _latest(now: Sequence[tuple[Evidence, ...]], before: list[Evidence]) -> list[Evidence]:
    """Return the passages cited in a section, the latest first."""
    return list(
        {one.number: one for one in (*(one for each in now for one in each), *before)}.values()
    )


def _sources(found: Sequence[Found]) -> list[Evidence]:
    return [one.evidence for one in found]


def _place(found: Found) -> tuple[int, int, int]:
    return found.evidence.number, found.start, found.end


def _clauses(statement: Statement) -> list[tuple[str, tuple[Evidence, ...]]]:
    """Return the parts of a sentence that end with a citation each; the rest joins the last one."""
    parts: list[tuple[str, tuple[Evidence, ...]]] = []
    texts = statement.clauses
    if statement.phantoms or len(texts) != len(statement.cited) + 1:
        return parts
    for at, cited in enumerate(statement.cited):
        text = texts[at]
        if text.strip(" ,;.") or not parts:
            parts.append((text, cited))
    if texts[-1].strip(" .!?"):
        text, cited = parts[-1]
        parts[-1] = (f"{text} {texts[-1]}", cited)
    elif texts[-1]:
        text, cited = parts[-1]
        parts[-1] = (text + texts[-1], cited)
    return parts
