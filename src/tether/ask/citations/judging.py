"""Each statement of an answer against the passages: what it rests on, or what is wrong with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Literal

from tether.ask.citations.quoting import Found, Quotes
from tether.ask.citations.references import leads_in, only_points, points_unlinked
from tether.ask.citations.statements import Statement
from tether.ask.citations.wording import Said
from tether.ask.evidence import Evidence

MOST_STATEMENTS = 400
"""How many statements of one answer are looked up; later ones count as not found."""

MOST_ANNOUNCED = 6
"""How many content words a heading or a lead-in may have that nothing vouches for."""

Standing = Literal["found", "misattributed", "not_found", "uncited", "unlinked", "plain"]
"""Rests on a cited passage; on another one; on none; is not cited; only names a source; states
nothing that needs one."""


@dataclass(slots=True, kw_only=True)
class Judged:
    """A statement with its standing and quotes, or in parts where each part has its own."""

    statement: Statement
    text: str
    standing: Standing
    found: list[Found] = field(default_factory=list[Found])


class Judge:
    """Judges the statements of one answer, in order."""

    def __init__(self, evidence: Sequence[Evidence], quotes: Quotes) -> None:
        self._evidence = evidence
        self._quotes = quotes
        self._left = MOST_STATEMENTS

    def judge(self, statements: Sequence[Statement]) -> list[Judged]:
        """Return the statements with what they rest on; sentences that only point are dropped."""
        judged: list[Judged] = []
        waiting: list[Judged] = []
        for _, group in groupby(statements, key=lambda one: one.block.section):
            section = list(group)
            if any(one.cited for one in section) and not any(map(self._states, section)):
                self._settle(waiting, [one for each in section for one in each.cited])
                waiting = []
                continue
            found = self._section(section)
            judged += found
            waiting += [one for one in _citable(found) if one.standing == "uncited"]
        self._weigh(judged)
        return judged

    def _states(self, statement: Statement) -> bool:
        """Say whether a statement says something; a link alone, or "see [page]", does not."""
        said = self._quotes.said(statement.text)
        if not statement.cited and not leads_in(statement.text):
            return bool(said.terms or said.numbers)
        return not self._only_names(said, [one for each in statement.cited for one in each])

    def _only_names(self, said: Said, evidence: Sequence[Evidence]) -> bool:
        """Say whether a text has no more content than the titles of passages."""
        titles = [(*one.chunk.heading_path, one.chunk.title) for one in evidence]
        named = self._quotes.said(" . ".join(title for each in titles for title in each))
        return not said.numbers and only_points(said.terms, named.terms)

    def _section(self, section: list[Statement]) -> list[Judged]:
        judged: list[Judged] = []
        waiting: list[Judged] = []
        last: list[tuple[Evidence, ...]] = []
        for statement in section:
            if statement.cited and not self._states(statement):
                self._settle(waiting, statement.cited)
                waiting, last = [], statement.cited
                if leads_in(statement.text):
                    judged.append(_plain(statement))
                continue
            found = self._cited(statement) if statement.cited else [self._uncited(statement)]
            judged += found
            if found[0].standing == "uncited":
                waiting += _citable(found)
            elif found[0].standing != "plain":
                last = [
                    *statement.cited,
                    *((one.evidence,) for each in found for one in each.found),
                ]
                self._settle(waiting, last)
                waiting = []
        self._extend(waiting, last)
        return judged

    def _uncited(self, statement: Statement) -> Judged:
        if not self._states(statement):
            return _plain(statement)
        judged = Judged(statement=statement, text=statement.text, standing="uncited")
        if statement.phantoms and statement.block.kind != "heading":
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
        return split if all(one.found for one in split) else [whole]

    def _settle(self, waiting: list[Judged], cited: list[tuple[Evidence, ...]]) -> None:
        """Let a citation cover the uncited statements before it."""
        for one in waiting:
            self._attribute(one, cited)
            if one.standing == "not_found" and leads_in(one.text):
                one.standing = "uncited"

    def _extend(self, waiting: list[Judged], last: list[tuple[Evidence, ...]]) -> None:
        """Let a citation cover the statements behind it that its passage says too."""
        for one in waiting:
            found = self._best(one.text, last)
            if found:
                one.found, one.standing = found, "found"

    def _attribute(self, judged: Judged, cited: Sequence[tuple[Evidence, ...]]) -> None:
        found = self._best(judged.text, cited)
        if found:
            judged.found, judged.standing = found, "found"
        else:
            judged.standing = "not_found"
            self._search(judged)

    def _search(self, judged: Judged) -> None:
        """Look in all passages for what the cited ones do not say."""
        found = self._best(judged.text, [tuple(self._evidence)])
        said = self._quotes.said(judged.text)
        if found and not self._only_names(said, [one.evidence for one in found]):
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

    def _weigh(self, judged: list[Judged]) -> None:
        """Excuse uncited statements that say nothing beyond the quotes; name those that point."""
        quotes = "\n".join(found.quote for one in judged for found in one.found)
        known = self._quotes.said(quotes)
        for one in judged:
            if one.standing not in ("uncited", "not_found") or one.statement.cited:
                continue
            if points_unlinked(one.text):
                one.standing = "unlinked"
            elif self._announces(one, known) or self._repeats(one, known):
                one.standing = "plain"

    def _announces(self, judged: Judged, known: Said) -> bool:
        """Say whether a heading or a lead-in is short and brings nothing that needs a source."""
        if not leads_in(judged.text) and judged.statement.block.kind != "heading":
            return False
        said = self._quotes.said(judged.text)
        brief = len(said.terms) <= MOST_ANNOUNCED and not said.negates
        return brief and said.numbers <= known.numbers and said.codes <= known.codes

    def _repeats(self, judged: Judged, known: Said) -> bool:
        """Say whether all content words are those of the quotes, and nothing is negated."""
        said = self._quotes.said(judged.text)
        same = said.numbers <= known.numbers and said.terms <= known.terms
        return same and not said.negates and not known.negated & said.terms


def _citable(judged: list[Judged]) -> list[Judged]:
    """Leave out headings: a mark behind one would be a part of it."""
    return [one for one in judged if one.statement.block.kind != "heading"]


def _plain(statement: Statement) -> Judged:
    return Judged(statement=statement, text=statement.text, standing="plain")


def _place(found: Found) -> tuple[int, int, int]:
    return found.evidence.number, found.start, found.end


def _clauses(statement: Statement) -> list[tuple[str, tuple[Evidence, ...]]]:
    """Return the parts of a sentence that end with a citation each; what follows joins the last."""
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
