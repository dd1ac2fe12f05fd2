"""A passage with numbers: each unit on its own line, after the number that a model can name.

Whatever a model names, the quote is what stands at that number. A document that writes numbers of
its own before its lines gains nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from tether.ask.citations.passage import MOST_LISTED, Passage
from tether.ask.evidence import Evidence
from tether.text.sentences import Span
from tether.text.units import Unit

Places = tuple[int, ...]
"""The places of units among all units of their passage."""


@dataclass(frozen=True)
class NumberedPassage:
    """A passage whose units have numbers: `2.3` is the third line of passage 2.

    The line that leads to a list, or to code, has a number too, which stands for everything that it
    leads to, unless that is longer than a quote may be. Headings have none.
    """

    evidence: Evidence

    @cached_property
    def passage(self) -> Passage:
        """The passage, read."""
        return Passage(self.evidence)

    @cached_property
    def text(self) -> str:
        """The passage as a model reads it."""
        return "\n".join(line for line, _ in self._lines)

    @cached_property
    def choices(self) -> dict[str, Places]:
        """The units at each number."""
        named = [places for _, places in self._lines if places]
        return {f"{self.evidence.number}.{at}": one for at, one in enumerate(named, start=1)}

    def numbers(self, *, code: bool) -> list[str]:
        """Return the numbers that may be chosen; those of code only if it may be shown."""
        units = self.passage.units
        chosen = self.choices.items()
        return [number for number, at in chosen if code or units[at[0]].kind != "code"]

    @cached_property
    def _lines(self) -> list[tuple[str, Places]]:
        """The lines with the units that they stand for: none for a heading."""
        found: list[tuple[str, Places]] = [(self.evidence.chunk.heading, ())]
        path = self.evidence.chunk.heading_path
        count = 0
        for line, places in self._bare_lines(path):
            count += bool(places)
            found.append((f"{self.evidence.number}.{count} {line}" if places else line, places))
        return [(line, places) for line, places in found if line]

    def _bare_lines(self, path: tuple[str, ...]) -> Iterator[tuple[str, Places]]:
        units = self.passage.units
        led: dict[Span, list[int]] = {}
        for at, unit in enumerate(units):
            if lead := _lead_apart(unit, units[:at]):
                led.setdefault(lead, []).append(at)
        above: tuple[str, ...] = ()
        for at, unit in enumerate(units):
            if unit.path != above:
                above = unit.path
                yield " > ".join(name for name in above if name not in path), ()
            after = led.pop(unit.lead, None) if unit.lead else None
            if after:
                yield unit.lead_text, tuple(after) if len(after) <= MOST_LISTED else ()
            yield _line(unit), (at,)


class Numbering:
    """The numbered passages of one turn: each is read once. Reading takes time: do it in a thread.

    A number stays what it is while passages join the turn or leave it.
    """

    __slots__ = ("_read",)

    def __init__(self) -> None:
        self._read: dict[int, NumberedPassage] = {}

    def text(self, evidence: Evidence) -> str:
        """Return a passage as a model reads it."""
        return self._passage(evidence).text

    def choices(self, evidence: Iterable[Evidence], *, code: bool) -> dict[str, NumberedPassage]:
        """Return the numbers that may be chosen, each with its passage.

        Those of code may be if `code` may be shown.
        """
        passages = map(self._passage, evidence)
        return {number: one for one in passages for number in one.numbers(code=code)}

    def _passage(self, evidence: Evidence) -> NumberedPassage:
        return self._read.setdefault(evidence.number, NumberedPassage(evidence))


def _lead_apart(unit: Unit, before: Sequence[Unit]) -> Span | None:
    """Return the lead of a unit if it is a line of its own: not a term, nor in a unit before it."""
    if unit.lead is None or not unit.lead_text or unit.kind == "definition":
        return None
    start, end = unit.lead
    is_shown = any(one.start <= start and end <= one.end for one in before)
    return None if is_shown else unit.lead


def _line(unit: Unit) -> str:
    if unit.kind == "code":
        return f"```\n{unit.text}\n```"
    if unit.kind == "definition" and unit.lead_text:
        return f"{unit.lead_text.rstrip(':')}: {unit.text}"
    return unit.text
