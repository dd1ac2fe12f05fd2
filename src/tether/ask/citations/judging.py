"""Each statement of an answer against the passages: what it rests on, or what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import dropwhile, groupby

from tether.ask.citations.quoting import Found, Quotes
from tether.ask.citations.references import is_courtesy, leads_in, only_points
from tether.ask.citations.statements import Statement
from tether.ask.citations.weighing import Judged, Weighing
from tether.ask.evidence import Evidence

MOST_STATEMENTS = 400
"""How many statements of one answer are looked up; later ones count as not found."""


class Judge:
    """Judges the statements of one answer to a question, in order."""

    def __init__(self, evidence: Sequence[Evidence], quotes: Quotes, question: str) -> None:
        self._evidence = evidence
        self._quotes = quotes
        self._question = question
        self._left = MOST_STATEMENTS

    def judge(self, statements: Sequence[Statement]) -> list[Judged]:
        """Return the statements with what they rest on.

        Sentences that only point are dropped, and so are small talk and a question in front.
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
        Weighing(quotes=self._quotes, question=self._question).weigh(judged)
        return judged

    def _states(self, statement: Statement) -> bool:
        """Say whether a statement says something; a link alone, or "see [page]", does not."""
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
        """Let citations cover the statements behind them that one of their passages says too."""
        for one in self._stating(waiting, [cited]):
            found = self._best(one.text, [cited])
            if found:
                one.found, one.standing = found, "found"

    def _stating(
        self, waiting: list[Judged], cited: list[tuple[Evidence, ...]]
    ) -> Iterator[Judged]:
        """Leave out what only names the cited passages: that is no statement."""
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
        """Look in all passages for what the cited ones do not say."""
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


def _citable(judged: list[Judged]) -> list[Judged]:
    """Leave out headings: a mark behind one would be a part of it."""
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
