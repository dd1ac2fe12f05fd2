"""Which units an answer quotes: few, different from each other, and in the order of reading."""

# No `from __future__ import annotations` here: see units.py.
from collections.abc import Sequence
from typing import NamedTuple

from tether.batteries.models.extractive.scoring import LEANS, Scored
from tether.batteries.models.extractive.units import MOST_WORDS

MOST_SENTENCES = 3
MOST_ITEMS = 5
MOST_PASSAGES = 3

LEAST_COVERAGE, LEAST_COVERAGE_OF_FEW, FEW = 0.28, 0.42, 3
"""The share of the question, weighed by rarity, that the best unit and its place must name: more
where the question has few terms, since each of them is then what it is about.
"""

LEAST_SHARE, LEAST_SHARE_ELSEWHERE = 0.62, 0.75
"""The share of the best score that a further sentence needs, in a passage quoted already or not."""

NEARBY, ADDING, REDUNDANT = 1.2, 1.15, 0.6
OF_A_LIST = 0.55


class Chosen(NamedTuple):
    """What is quoted, in order: a paragraph's sentences, or a lead-in and items of its list.

    `is_ordered` says that the items are the first of a numbered list, `is_cut` that there are more.
    """

    quotes: tuple[Scored, ...]
    is_list: bool = False
    is_ordered: bool = False
    is_cut: bool = False


def choose(scored: Sequence[Scored], term_count: int) -> list[Chosen]:
    """Return what to quote, one entry per passage; nothing where nothing answers."""
    least = LEAST_COVERAGE_OF_FEW if term_count <= FEW else LEAST_COVERAGE
    able = [index for index, one in enumerate(scored) if one.coverage >= least]
    lists = _lists(scored)
    for best in sorted(able, key=lambda index: (-scored[index].score, index)):
        unit = scored[best].unit
        listed = _list_around(scored, best, lists.get((unit.passage, unit.list), []))
        if listed is not None:
            return [listed]
        if _is_whole(scored[best]):
            return _by_passage(scored, _sentences(scored, best))
    return []


def _lists(scored: Sequence[Scored]) -> dict[tuple[int, int], list[int]]:
    """Return the lead-ins and items of each list."""
    lists: dict[tuple[int, int], list[int]] = {}
    for index, one in enumerate(scored):
        if one.unit.list:
            lists.setdefault((one.unit.passage, one.unit.list), []).append(index)
    return lists


def _by_passage(scored: Sequence[Scored], picked: list[int]) -> list[Chosen]:
    quotes: dict[int, list[Scored]] = {}
    for index in sorted(picked):
        quotes.setdefault(scored[index].unit.passage, []).append(scored[index])
    return [Chosen(tuple(found)) for found in quotes.values()]


def _list_around(scored: Sequence[Scored], best: int, members: list[int]) -> Chosen | None:
    """Return the list that the best unit belongs to, where the list is the answer.

    It is where the lead-in is the best unit, where the lead-in or several items match about as
    well as the best item, and where that item is no sentence by itself.
    """
    unit, floor = scored[best].unit, OF_A_LIST * scored[best].score
    leads = [i for i in members if scored[i].unit.kind == "lead"]
    items = [i for i in members if scored[i].unit.kind == "item"]
    matching = [i for i in items if scored[i].score >= floor]
    has_lead = bool(leads) and scored[leads[0]].score >= floor
    if unit.kind == "item" and unit.is_ended and not has_lead and (leads or len(matching) < 2):
        return None
    return _fitting(scored, leads, items if unit.kind == "lead" else matching, items)


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
    numbers = [scored[i].unit.number for i in kept]
    are_first = numbers == list(range(1, len(kept) + 1))
    is_ordered = are_first and scored[kept[0]].unit.is_ordered
    is_cut = len(kept) < scored[items[-1]].unit.number
    quotes = tuple(scored[i] for i in [*leads, *kept])
    return Chosen(quotes, is_list=True, is_ordered=is_ordered, is_cut=is_cut)


def _sentences(scored: Sequence[Scored], best: int) -> list[int]:
    """Return the best sentence and what belongs to it or adds to it."""
    floor = LEAST_SHARE * scored[best].score
    least = floor / (NEARBY * ADDING)
    rest = [i for i, one in enumerate(scored) if _is_whole(one) and one.score >= least]
    picked = _supported(scored, best, [])
    while len(picked) < MOST_SENTENCES:
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
    if _leans(scored, index) and _follows(scored, index) and _has_room(scored, both):
        return both
    return [*picked, index]


def _leans(scored: Sequence[Scored], index: int) -> bool:
    return LEANS.match(scored[index].unit.text) is not None


def _follows(scored: Sequence[Scored], index: int) -> bool:
    """Say whether the unit before is a sentence that this one goes on from."""
    if not index or not scored[index].unit.follows:
        return False
    one, two = scored[index - 1].unit, scored[index].unit
    return one.passage == two.passage and one.path == two.path and _is_whole(scored[index - 1])


def _fits(scored: Sequence[Scored], index: int, picked: list[int]) -> bool:
    """Say whether there is room for a sentence, and for the one that it leans on."""
    if not _leans(scored, index):
        return _has_room(scored, [*picked, index])
    both = [*picked, *({index - 1} - set(picked)), index]
    return _follows(scored, index) and _has_room(scored, both)


def _has_room(scored: Sequence[Scored], picked: list[int]) -> bool:
    return (
        len(picked) <= MOST_SENTENCES
        and len({scored[i].unit.passage for i in picked}) <= MOST_PASSAGES
        and _words(scored, picked) <= MOST_WORDS
    )


def _words(scored: Sequence[Scored], picked: list[int]) -> int:
    return sum(scored[i].unit.words for i in picked)


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
    """Return how much of the shorter unit, the question's terms apart, is in the other."""
    smaller = min(len(one.terms), len(other.terms))
    if not smaller:
        return 1.0 if one.hits <= other.hits else 0.0
    return len(one.terms & other.terms) / smaller
