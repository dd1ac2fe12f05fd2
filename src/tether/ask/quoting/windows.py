"""Chosen units as quotes: neighbours together, nothing that leans alone, each ready to be shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise

from tether.ask.citations.draft import Stated
from tether.ask.citations.judgement import Judged, Standing
from tether.ask.citations.passage import MOST_TOGETHER, Passage, Window
from tether.ask.citations.statements import Layout, Statement
from tether.ask.quoting.signs import leans
from tether.text.units import Unit

LONGEST_ORDINAL = 20
_STEP = re.compile(r"(?:^|\n)[ \t>]*(\d{1,9})[.)][ \t]+\Z")


def windows_of(passage: Passage, places: Iterable[int]) -> list[Window]:
    """Return the units at some places as quotes, in the order of the passage.

    Neighbours in one paragraph, list or table are one quote. A sentence that leans on the one
    before it ("It then …") takes that along, and items of one list those between them. A sentence
    that leads to other chosen units is shown as their lead-in, and not a second time.
    """
    chosen = set(places)
    chosen |= set(chain.from_iterable(_leant_on(passage, at) for at in chosen))
    chosen |= set(
        chain.from_iterable(_between(passage, *pair) for pair in pairwise(sorted(chosen)))
    )
    led = [passage.units[at] for at in chosen]
    runs: list[list[int]] = []
    for at in sorted(chosen):
        if any(_is_shown_by(passage.units[at], other) for other in led):
            continue
        if runs and runs[-1][-1] == at - 1 and _joins(passage, at):
            runs[-1].append(at)
        else:
            runs.append([at])
    return [Window(passage, tuple(passage.units[at] for at in run)) for run in runs]


def step_of(passage: Passage, unit: Unit) -> int | None:
    """Return the number that the document gives to an item; None for one without."""
    before = passage.source(max(unit.start - LONGEST_ORDINAL, 0), unit.start)
    found = _STEP.search(before) if unit.kind == "item" else None
    return None if found is None else int(found[1])


def quoted(window: Window, section: int) -> tuple[Judged, Stated]:
    """Return a quote as a statement in the document's own words, after what leads to it."""
    first = window.units[0]
    layout = _layout(window)
    stated = Stated(
        text=window.reading if layout == "sentence" else window.text,
        window=window,
        probability=1.0,
        words="document",
        layout=layout,
        section=section,
        lead="" if layout == "sentence" else first.lead_text,
    )
    return as_judged(stated, "verbatim"), stated


def as_judged(stated: Stated, standing: Standing) -> Judged:
    """Return a statement that is ready to be shown as one that was judged."""
    text = stated.window.reading if standing == "verbatim" else stated.text
    return Judged(
        statement=Statement(text=text, section=stated.section),
        text=text,
        standing=standing,
        window=stated.window,
        probability=stated.probability,
    )


def _layout(window: Window) -> Layout:
    first = window.units[0]
    if first.kind == "code":
        return "code"
    if len(window.units) == 1 or first.kind == "sentence":
        return "sentence"
    return "steps" if step_of(window.passage, first) == 1 else "list"


def _between(passage: Passage, one: int, other: int) -> Iterable[int]:
    """Return the items between two of one list, if they are few."""
    first, last = passage.units[one], passage.units[other]
    same = first.kind == last.kind == "item" and first.block == last.block
    between = range(one + 1, other) if same and other - one <= MOST_TOGETHER else ()
    return [at for at in between if passage.units[at].kind == "item"]


def _is_shown_by(unit: Unit, other: Unit) -> bool:
    """Say whether a unit is in the lead-in of another; of a list in a list, that has gaps."""
    start, end = other.lead or (0, 0)
    return start <= unit.start and unit.end <= end and unit.text in other.lead_text


def _joins(passage: Passage, at: int) -> bool:
    before, unit = passage.units[at - 1 : at + 1]
    return unit.kind != "code" and passage.follows(before, unit)


def _leant_on(passage: Passage, at: int) -> Iterator[int]:
    for before in range(at - 1, max(-1, at - MOST_TOGETHER), -1):
        one, other = passage.units[before], passage.units[before + 1]
        if other.kind != "sentence" or not leans(other.text):
            return
        if not passage.follows(one, other):
            return
        yield before
