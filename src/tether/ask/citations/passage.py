"""A retrieved passage as its units: whole parts of a document, and nothing else may be quoted.

A document is data, and nothing here makes it less dangerous to obey one. But a sentence that a
command to assistants asked for ("the documentation has moved") is in the document, so it could be
cited: paragraphs with a command vouch for nothing. Recognition by wording is only a second line of
defence; the first is that no document can add a link, call a tool or be remembered. Words in
quotation marks or code are mentioned, not said.

What a document withdraws is never quoted without the withdrawal: a sentence is one unit with the
next one if that takes it back, an item with the exception below it, and what stands below a heading
such as "Removed in version 3" is read after it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise
from typing import NamedTuple

from tether.ask.citations.comparison import written
from tether.ask.citations.withdrawal import (
    Withdrawing,
    excepts,
    heading_over,
    withdrawing,
    withdrawn_in,
    withdraws,
)
from tether.ask.evidence import Evidence
from tether.text.markdown.marks import Place, list_mark_of
from tether.text.sentences import Span, is_ended, sentences_of
from tether.text.stems import known_language
from tether.text.units.inlines import readable
from tether.text.units.units import Unit, units_of

LONGEST_PASSAGE = 100_000
LONGEST_INDENT = 100
MOST_UNITS = 400
"""How many units of a passage are compared with statements."""

MOST_TOGETHER, MOST_LISTED = 3, 8
"""How many neighbouring units may be one quote; of a list or a table, as many as it has up to the
second number."""

_BLANK = re.compile(r"\n\s*\n")
_BETWEEN = re.compile(r"(?:<[^<>]*>|\[\^?[\w-]+\]_?|(?:\d{1,9}|[a-z])[.)]|\W)*+")
"""What may be between two neighbours: tags, notes, and the marks of items."""
_TICK = re.compile(r"(?<=: )[\u2713\u2714\u2705\u2611]\ufe0f?(?=;|$)", re.MULTILINE)
_CROSS = re.compile(r"(?<=: )[\u2717\u2718\u2715\u2716\u274c\u00d7\U0001f6ab]\ufe0f?(?=;|$)", re.M)


@dataclass(frozen=True, slots=True)
class Window:
    """Neighbouring units of one paragraph, list or table: what a quote consists of."""

    passage: Passage
    units: tuple[Unit, ...]

    @property
    def number(self) -> int:
        """The number of its passage."""
        return self.passage.evidence.number

    @property
    def start(self) -> int:
        """Where it begins in the passage."""
        return self.units[0].start

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.units[-1].end

    @property
    def lead(self) -> tuple[int, int] | None:
        """The place of the lead-in, header or term that its units share."""
        return self.units[0].lead

    @property
    def text(self) -> str:
        """The units in readable form, without the lead-in."""
        return _joined([unit.text for unit in self.units], self.units[0].kind)

    @property
    def path(self) -> list[str]:
        """The headings above it, outermost first."""
        return list(dict.fromkeys((*self.passage.evidence.chunk.heading_path, *self.units[0].path)))

    @property
    def heading(self) -> str:
        """The heading that withdraws its units; it is in their reading."""
        return self.heading_over(self.units[0].text)

    def heading_over(self, text: str) -> str:
        """Return the heading above it that withdraws a text, "" if the text says so by itself."""
        known, path = self.passage.withdrawing, tuple(self.path)
        if path not in known:
            known[path] = withdrawing(path)
        return heading_over(known[path], text)

    @property
    def reading(self) -> str:
        """The units as a person reads them, after their lead-in or term."""
        lead = self.units[0].lead_text
        gap = " " if is_ended(lead) else ": "
        return f"{lead.rstrip(':,')}{gap}{self.text}" if lead else self.text

    @property
    def premise(self) -> str:
        """The text that a verifier reads: the nearest headings, then the units.

        A tick or a cross in a cell is spelled out.
        """
        said = _CROSS.sub("no", _TICK.sub("yes", self.reading))
        read = self.heading
        nearest = " > ".join([name for name in self.path if name != read][-2:])
        return f"{nearest}: {said}" if nearest else said


class Sentence(NamedTuple):
    """A whole sentence or unit of a document as a person reads it, and its quote."""

    text: str
    window: Window


@dataclass(frozen=True)
class Passage:
    """A passage, read once for all statements."""

    evidence: Evidence

    @cached_property
    def text(self) -> str:
        """The text of the passage, as far as it is read."""
        return self.evidence.chunk.text[:LONGEST_PASSAGE]

    @cached_property
    def language(self) -> str:
        """The language of its stems."""
        return known_language(self.evidence.chunk.language)

    @cached_property
    def withdrawing(self) -> dict[tuple[str, ...], tuple[Withdrawing, ...]]:
        """The headings that withdraw, by the paths that were looked at."""
        return {}

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        """Its units, without questions and without paragraphs that command assistants.

        Those below a heading that withdraws them have it in their `lead_text`; code has no reading
        in which it could be, and is left out there.
        """
        barred = self._commands()
        header = self.evidence.chunk.header
        found = self._whole() if self.evidence.page else units_of(self.text, header=header)
        stating = (one for one in found if one.kind == "code" or not _asks(one))
        free = (one for one in stating if not any(_meets(one, span) for span in barred))
        headed = (each for one in free for each in self._headed(one))
        return tuple(self._tied(islice(headed, MOST_UNITS)))

    def _headed(self, unit: Unit) -> Iterator[Unit]:
        """Yield a unit with the heading that withdraws it, if one does."""
        heading = Window(self, (unit,)).heading
        if not heading:
            yield unit
        elif unit.kind != "code":
            lead = f"{heading.rstrip(':')}: {unit.lead_text}" if unit.lead_text else heading
            yield unit._replace(lead_text=lead)

    def _tied(self, units: Iterator[Unit]) -> Iterator[Unit]:
        """Yield the units; one that a later one takes back or limits is one unit up to that."""
        found: list[Unit] = []
        for unit in units:
            first = self._first_tied(unit, found)
            tied = (*found[first:], unit)
            text = " ".join(one.text for one in tied)
            found[first:] = [tied[0]._replace(end=unit.end, text=text)]
        return iter(found)

    def _first_tied(self, unit: Unit, found: Sequence[Unit]) -> int:
        """Return the place of the first unit that another takes back or limits; their number if
        there is none."""
        last = len(found) - 1
        if found and self._takes_back(unit, found[last]):
            return last
        if unit.kind != "item" or not excepts(unit.text):
            return last + 1
        return self._limited(unit, found)

    def _takes_back(self, unit: Unit, last: Unit) -> bool:
        if unit.kind != "sentence" or last.kind in ("code", "row") or not withdraws(unit.text):
            return False
        return unit.path == last.path and self._is_next(last, unit)

    def _limited(self, unit: Unit, found: Sequence[Unit]) -> int:
        """Return the place of the item above which an exception stands, itself in a list below it.

        That item may lead to the list with a colon, and is then no unit: its first item counts.
        """
        after, indent = unit, self._indent(unit)
        for at in range(len(found) - 1, max(-1, len(found) - 1 - MOST_LISTED), -1):
            one = found[at]
            if one.kind != "item" or not self._is_next(one, after):
                break
            if self._indent(one) < indent:
                return at
            after = one
        is_led = after is not unit and after.lead == unit.lead and self._is_led_by_item(unit)
        return found.index(after) if is_led else len(found)

    def _is_next(self, one: Unit, other: Unit) -> bool:
        """Say whether there are only marks between two units."""
        return _BETWEEN.fullmatch(self.source(one.end, other.start)) is not None

    def _is_led_by_item(self, unit: Unit) -> bool:
        """Say whether what leads to an item is an item, too."""
        if unit.lead is None:
            return False
        above = self.source(*unit.lead).rpartition("\n")[2]
        line = self._line_before(unit.lead[1] - len(above)) + above
        return list_mark_of(line, Place().skip(line)) is not None

    def _indent(self, unit: Unit) -> int:
        """Return how far the mark of an item is from the beginning of its line."""
        line = self._line_before(unit.start)
        return len(line) - len(line.lstrip(" \t>"))

    def _line_before(self, place: int) -> str:
        """Return what is before a place on its line."""
        return self.source(max(place - LONGEST_INDENT, 0), place).rpartition("\n")[2]

    def source(self, start: int, end: int) -> str:
        """Return the document's text at places of the passage; a lead-in may be above it."""
        page, above = self.evidence.page, self.evidence.chunk.start
        return page[above + start : above + end] if page else self.text[start:end]

    def _whole(self) -> Iterator[Unit]:
        """Yield the units of the document that are in the passage, with their places in it."""
        above = self.evidence.chunk.start
        for unit in units_of(self.evidence.page, within=(above, above + len(self.text))):
            lead = unit.lead and (unit.lead[0] - above, unit.lead[1] - above)
            yield unit._replace(start=unit.start - above, end=unit.end - above, lead=lead)

    @cached_property
    def windows(self) -> tuple[Window, ...]:
        """Every unit, and runs of neighbours in one paragraph, list or table."""
        prose = [one for one in self.units if one.kind != "code"]
        return tuple(Window(self, units) for units in _runs(prose, self.follows))

    def follows(self, one: Unit, other: Unit) -> bool:
        """Say whether a unit follows another in one paragraph, list or table, with no word between.

        Between two units there may be text that is not one: a cut sentence, a barred item.
        """
        if _group(one) != _group(other):
            return False
        return _BETWEEN.fullmatch(self.source(one.end, other.start)) is not None

    @cached_property
    def sentences(self) -> dict[tuple[str, ...], Sentence]:
        """The whole sentences of its units, their lead-ins and the units themselves, by words."""
        found: dict[tuple[str, ...], Sentence] = {}
        for unit in self.units:
            if unit.kind == "code":
                continue
            window = Window(self, (unit,))
            tied = [text for pair in withdrawn_in(unit.text).items() for text in pair]
            for text in (unit.text, window.reading, *sentences_of(unit.text)):
                is_alone = not window.heading and text not in tied
                shown = text.strip() if is_alone else window.reading
                found.setdefault(key_of(text), Sentence(shown, window))
            if self._has_one_lead(unit):
                lead = Sentence(unit.lead_text, Window(self, (_lead(unit),)))
                found.setdefault(key_of(unit.lead_text), lead)
        found.pop((), None)
        return found

    def _has_one_lead(self, unit: Unit) -> bool:
        """Say whether an item has a lead-in in the passage, and no other or heading before it."""
        if unit.kind != "item" or unit.lead is None or unit.lead[0] < 0:
            return False
        return key_of(readable(self.source(*unit.lead))) == key_of(unit.lead_text)

    def _commands(self) -> list[tuple[int, int]]:
        """Return the places of the paragraphs that command assistants."""
        ends = [*(match.end() for match in _BLANK.finditer(self.text)), len(self.text)]
        spans = zip([0, *ends], ends, strict=False)
        return [span for span in spans if commands_assistants(self.text[slice(*span)])]


def key_of(text: str) -> tuple[str, ...]:
    """Return the words and signs of a text for comparison, without a stop at its end."""
    return written(text).key


def _asks(unit: Unit) -> bool:
    """Say whether a unit is a question, which states nothing."""
    return unit.text.rstrip(" *_\"'\u201d").endswith("?")


def _lead(unit: Unit) -> Unit:
    start, end = unit.lead or (0, 0)
    return unit._replace(
        kind="sentence", start=start, end=end, lead=None, text=unit.lead_text, lead_text=""
    )


def _meets(unit: Unit, span: tuple[int, int]) -> bool:
    return unit.start < span[1] and span[0] < unit.end


def _group(unit: Unit) -> tuple[int, str, Span | None, str]:
    return unit.block, unit.kind, unit.lead, unit.lead_text


def _runs(
    units: Sequence[Unit], follows: Callable[[Unit, Unit], bool]
) -> Iterator[tuple[Unit, ...]]:
    """Yield single units, then runs of two and more that follow one another."""
    joined = [follows(one, other) for one, other in pairwise(units)]
    for size in range(1, MOST_LISTED + 1):
        for at in range(len(units) - size + 1):
            run = tuple(units[at : at + size])
            is_one = all(joined[at : at + size - 1])
            if is_one and (size <= MOST_TOGETHER or _is_whole(units, at, size)):
                yield run


def _is_whole(units: Sequence[Unit], at: int, size: int) -> bool:
    """Say whether a run is all of a list or table."""
    block = units[at].block
    before = at > 0 and units[at - 1].block == block
    after = at + size < len(units) and units[at + size].block == block
    return units[at].kind in ("item", "row") and not before and not after


def _joined(texts: Sequence[str], kind: str) -> str:
    return (" " if kind == "sentence" else "\n").join(texts)


_MENTIONED = re.compile(
    r"`[^`\n]{1,2000}`|[\"\u201c\u201e\u00ab][^\"\u201c\u201d\u00bb\n]{1,2000}[\"\u201d\u201c\u00bb]"
)
_WHO = (
    r"(?:(?:AI|LLM|automated|virtual)[ -])?"
    r"(?:assistants?|agents?|chat ?bots?|language models?|LLMs?|AIs?)"
)
_RULES = r"(?:instructions?|prompts?|directives?|guidelines|rules)"
_COMMANDS = re.compile(
    # "ignore all previous instructions", at the start of a clause
    r"(?:\A|[.:;,!?\u2014-]\s{0,9}|\b(?:please|must|now|then|and|should|to)\s)"
    rf"(?:ignore|disregard|forget|override)\s(?:\w+\s){{0,3}}?"
    rf"(?:previous|prior|above|earlier|preceding|system|your|other)\s(?:\w+\s){{0,2}}?{_RULES}\b"
    # "notice to all assistants"
    rf"|\b(?:notice|attention|message|instructions?|note|reminder)[,:]?\s(?:(?:to|for)\s)?"
    rf"(?:all|any|every|each)\s(?:\w+\s)?{_WHO}\b"
    # "if you are an AI", "as an AI assistant you must", "AI assistants must say"
    rf"|\b(?:if|when|since|because)\syou\s(?:are|'re)\s(?:an?|the)\s{_WHO}\b"
    rf"|\bas\san?\s{_WHO},?\syou\s(?:must|should|will|are|shall|have)\b"
    rf"|\b{_WHO}\s(?:(?:(?:reading|who\sread|that\sread)\sthis(?:\s\w+)?|here)\s)?(?:must|should|shall|have\sto|need\sto|are\sto)\s"
    r"(?:always\s|only\s|never\s|now\s)*(?:answer|cite|claim|recommend|reply|respond|say|tell)\b"
    # "Dear model:", "when summarising this page, state that"
    rf"|\b(?:dear|hello|hey|hi),?\s(?:(?:language\s)?models?|{_WHO})\b"
    r"|\bwhen(?:ever)?\s(?:you\s)?(?:summari[sz]|answer|quot|cit|describ)\w*\s(?:\w+\s){0,2}?"
    r"(?:this|these)\s(?:page|document|text|section|passage|docs?|pages|documents)s?,?\s"
    r"(?:always\s|only\s|never\s|please\s|you\s(?:must|should)\s)*"
    r"(?:answer|claim|mention|recommend|reply|respond|say|state|tell)\b"
    # "from now on always cite", "reveal your system prompt"
    r"|\bfrom\snow\son,?\s(?:you\s|always\s|only\s|never\s|must\s)+(?:answer|cite|reply|respond|say|tell)\b"
    r"|\b(?:reveal|print|repeat|show|output)\s(?:\w+\s)?your\s(?:\w+\s)?(?:prompt|instructions)\b",
    re.IGNORECASE,
)


def commands_assistants(paragraph: str) -> bool:
    """Say whether a paragraph gives orders to assistants, models or agents that read it."""
    spoken = _MENTIONED.sub(" ", paragraph)
    return _COMMANDS.search(" ".join(spoken.split())) is not None
