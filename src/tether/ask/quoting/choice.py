"""The units that an answer quotes: few, different from each other, and in reading order."""

# No `from __future__ import annotations` here: see units.py.
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from tether.ask.quoting.question import Question
from tether.ask.quoting.scores import Scored
from tether.ask.quoting.units import MOST_WORDS

MOST_QUOTES = 3
MOST_ITEMS = 5
MOST_PASSAGES = 3

LEAST_COVERAGE, LEAST_COVERAGE_OF_FEW, FEW = 0.34, 0.5, 3
"""The share of the question that the best unit and its place must name: more where the question has
few words, since each of them then matters. Measured on 800 questions of SQuAD 2.0: of 0.28/0.42,
0.34/0.5 and 0.4/0.55, the middle pair refuses 97.5 % of the questions about other articles and
loses under 1 % of the answers.
"""

LEAST_SHARE, LEAST_SHARE_ELSEWHERE = 0.62, 0.75
"""The share of the best score that a further sentence needs, in a passage quoted already or not."""

NEARBY, ADDING, REDUNDANT = 1.2, 1.15, 0.6
OF_A_LIST = 0.55
"""The gain of a neighbour, the gain of something new, the cost of repetition, and the share of the
best score that makes a line part of the same list. Checked together, as in scores.py.
"""


class Chosen(NamedTuple):
    """The quotes of one passage in order: sentences, or a lead-in and items of its list.

    `gaps` are the places in `quotes` before which something of the passage is left out.
    `is_ordered` says that the items are numbered from 1 on, `is_cut` that there are more.
    """

    quotes: tuple[Scored, ...]
    gaps: frozenset[int] = frozenset()
    is_list: bool = False
    is_ordered: bool = False
    is_cut: bool = False


def choose(scored: Sequence[Scored], question: Question) -> list[Chosen]:
    """Return the quotes, one entry per passage, the best first; [] where nothing answers.

    If the question asks for a definition and there is none, a single sentence is quoted.
    """
    least = LEAST_COVERAGE_OF_FEW if question.words <= FEW else LEAST_COVERAGE
    able = [index for index, one in enumerate(scored) if one.coverage >= least]
    lists = _lists(scored)
    for best in sorted(able, key=lambda index: (-scored[index].score, index)):
        unit = scored[best].unit
        listed = _list_around(scored, best, lists.get((unit.passage, unit.list), []))
        if listed is not None:
            return [listed]
        if _is_whole(scored[best]):
            return _by_passage(scored, _sentences(scored, best, question))
    return []


def _lists(scored: Sequence[Scored]) -> dict[tuple[int, int], list[int]]:
    """Return the lead-ins and items of each list."""
    lists: dict[tuple[int, int], list[int]] = {}
    for index, one in enumerate(scored):
        if one.unit.list:
            lists.setdefault((one.unit.passage, one.unit.list), []).append(index)
    return lists


def _by_passage(scored: Sequence[Scored], picked: list[int]) -> list[Chosen]:
    """Return the quotes of each passage in reading order, the passage of the best first."""
    found: dict[int, list[int]] = {}
    for index in sorted(picked):
        found.setdefault(scored[index].unit.passage, []).append(index)
    ranked = sorted(found.values(), key=lambda one: -max(scored[i].score for i in one))
    return [_together(scored, indexes) for indexes in ranked]


def _together(scored: Sequence[Scored], indexes: list[int]) -> Chosen:
    """Return the quotes of one passage: a list where they are items of one, else a paragraph."""
    units = [scored[i].unit for i in indexes]
    if len(units) > 1 and len({unit.list for unit in units}) == 1 and units[0].list:
        if not units[0].is_ordered or units[0].number == 1:
            return _listed(scored, [], indexes, is_cut=False)
        indexes = [max(indexes, key=lambda i: (scored[i].score, -i))]  # steps without the first
    gaps = frozenset(
        at
        for at, (one, two) in enumerate(pairwise(indexes), start=1)
        if two != one + 1 or not scored[two].unit.follows
    )
    return Chosen(tuple(scored[i] for i in indexes), gaps)


def _listed(
    scored: Sequence[Scored], leads: list[int], items: list[int], *, is_cut: bool
) -> Chosen:
    """Return a list of items, with the gaps between them."""
    numbers = [scored[i].unit.number for i in items]
    gaps = {at + 1 for at, (one, two) in enumerate(pairwise(numbers)) if two != one + 1}
    gaps |= {0} if numbers[0] != 1 else set[int]()
    is_ordered = scored[items[0]].unit.is_ordered and numbers[0] == 1
    is_ordered = is_ordered and numbers[-1] - len(numbers) <= MOST_ITEMS
    return Chosen(
        tuple(scored[i] for i in [*leads, *items]),
        frozenset(at + len(leads) for at in gaps),
        is_list=True,
        is_ordered=is_ordered,
        is_cut=is_cut,
    )


def _list_around(scored: Sequence[Scored], best: int, members: list[int]) -> Chosen | None:
    """Return the list that the best unit belongs to, where the list is the answer.

    It is where the lead-in is the best unit, where the lead-in or several items match about as
    well as the best item, and where that item is not a sentence by itself.
    """
    unit, floor = scored[best].unit, OF_A_LIST * scored[best].score
    leads = [i for i in members if scored[i].unit.kind == "lead"]
    items = [i for i in members if scored[i].unit.kind == "item"]
    matching = [i for i in items if scored[i].score >= floor]
    has_lead = bool(leads) and scored[leads[0]].score >= floor
    if unit.kind == "item" and unit.is_ended and not has_lead and (leads or len(matching) < 2):
        return None
    if items and scored[items[0]].unit.is_ordered:
        return _steps(scored, best, leads, items)
    return _fitting(scored, leads, items if unit.kind == "lead" else matching, items)


def _steps(
    scored: Sequence[Scored], best: int, leads: list[int], items: list[int]
) -> Chosen | None:
    """Return numbered items from the first to the best; None without the first."""
    found = _fitting(scored, leads, items, items) if scored[items[0]].unit.number == 1 else None
    return found if found is not None and scored[best] in found.quotes else None


def _fitting(
    scored: Sequence[Scored], leads: list[int], wanted: list[int], items: list[int]
) -> Chosen | None:
    """Return as many of the wanted items as may be shown, with their lead-in."""
    words = sum(scored[i].unit.words for i in leads)
    kept: list[int] = []
    for index in wanted[:MOST_ITEMS]:
        words += scored[index].unit.words
        if words > MOST_WORDS:
            break
        kept.append(index)
    if not kept:
        return None
    is_cut = scored[kept[-1]].unit.number < scored[items[-1]].unit.number
    return _listed(scored, leads, kept, is_cut=is_cut)


def _sentences(scored: Sequence[Scored], best: int, question: Question) -> list[int]:
    """Return the best sentence and those that belong to it or add to it.

    If the question asks for one term, only sentences that define it add, or those in the passage
    of the best.
    """
    most = MOST_QUOTES
    here = -1
    if question.asks_for_a_term:
        most = MOST_QUOTES if scored[best].defines else 1
        here = scored[best].unit.passage
    floor = LEAST_SHARE * scored[best].score
    least = floor / (NEARBY * ADDING)
    rest = [
        i
        for i, one in enumerate(scored)
        if _is_whole(one) and one.score >= least and (here in (-1, one.unit.passage) or one.defines)
    ]
    picked = _supported(scored, best, [])
    while len(picked) < most:
        rest = [i for i in rest if i not in picked and _fits(scored, i, picked)]
        worth = {i: _worth(scored, i, picked) for i in rest}
        following = max(rest, key=lambda i: (worth[i], -i), default=None)
        if following is None or worth[following] < floor:
            break
        picked = _supported(scored, following, picked)
    return picked


def _is_whole(one: Scored) -> bool:
    return one.unit.is_ended and one.unit.kind != "lead"


def _supported(scored: Sequence[Scored], index: int, picked: list[int]) -> list[int]:
    """Add a sentence, and the one before it if it leans on that and there is room."""
    both = [*picked, *({index - 1} - set(picked)), index]
    if scored[index].leans and _follows(scored, index) and _has_room(scored, both):
        return both
    return [*picked, index]


def _follows(scored: Sequence[Scored], index: int) -> bool:
    """Say whether the unit before is a sentence that this one goes on from."""
    if not index or not scored[index].unit.follows:
        return False
    one, two = scored[index - 1].unit, scored[index].unit
    return one.passage == two.passage and one.path == two.path and _is_whole(scored[index - 1])


def _fits(scored: Sequence[Scored], index: int, picked: list[int]) -> bool:
    """Say whether there is room for a sentence, and for the one that it leans on."""
    if not scored[index].leans:
        return _has_room(scored, [*picked, index])
    both = [*picked, *({index - 1} - set(picked)), index]
    return _follows(scored, index) and _has_room(scored, both)


def _has_room(scored: Sequence[Scored], picked: list[int]) -> bool:
    return (
        len(picked) <= MOST_QUOTES
        and len({scored[i].unit.passage for i in picked}) <= MOST_PASSAGES
        and sum(scored[i].unit.words for i in picked) <= MOST_WORDS
    )


def _worth(scored: Sequence[Scored], index: int, picked: list[int]) -> float:
    """Return a sentence's score: more beside a picked one or where it names more of the question.

    Less in another passage, or where it repeats a picked one.
    """
    one = scored[index]
    here = [i for i in picked if scored[i].unit.passage == one.unit.passage]
    worth = one.score * (1 - REDUNDANT * max(_overlap(one, scored[i]) for i in picked))
    if any(abs(i - index) == 1 for i in here):
        worth *= NEARBY
    if not one.hits <= frozenset().union(*(scored[i].hits for i in picked)):
        worth *= ADDING
    return worth if here else worth * LEAST_SHARE / LEAST_SHARE_ELSEWHERE


def _overlap(one: Scored, other: Scored) -> float:
    """Return the share of the shorter unit, without the question's terms, that the other has."""
    smaller = min(len(one.terms), len(other.terms))
    if not smaller:
        return 1.0 if one.hits <= other.hits else 0.0
    return len(one.terms & other.terms) / smaller
