"""What one step reads: units of a question, drawn anew each time, and passages."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from selector.groups import Group, Ids
from selector.recipe import Recipe

HARD, HARD_SHARE = 30, 0.8
"""Most of the units that are not wanted come from the best ones by features."""
MOST_WANTED = 3
QUESTIONS, PASSAGES = 6, 8
"""Questions of a step whose passages are read, and how many of each."""


class Shown(NamedTuple):
    """Units of one question; hidden, none of them is from a right page, and none is wanted."""

    group: Group
    places: Sequence[int]
    is_hidden: bool

    @property
    def pairs(self) -> list[tuple[Ids, Ids]]:
        """The question with each unit."""
        return [(self.group.pieces, self.group.units[at].pieces) for at in self.places]

    @property
    def labels(self) -> list[float]:
        """1 for a wanted unit."""
        wanted = (self.group.units[at].is_wanted for at in self.places)
        return [float(one and not self.is_hidden) for one in wanted]


def shown(group: Group, recipe: Recipe, draw: Any) -> Shown:
    """Draw units of a question."""
    is_hidden = group.can_be_hidden and draw.random() < recipe.hide
    places = _units(group, recipe.units, draw)
    if is_hidden:
        places = [at for at in places if not group.units[at].is_right] or places[-2:]
    return Shown(group, places, is_hidden)


def _units(group: Group, count: int, draw: Any) -> list[int]:
    """Return wanted units, then hard ones, then some of the rest."""
    wanted = [at for at, unit in enumerate(group.units) if unit.is_wanted]
    others = [at for at, unit in enumerate(group.units) if not unit.is_wanted]
    room = count - min(len(wanted), MOST_WANTED)
    hard = _some(others[:HARD], int(room * HARD_SHARE), draw)
    rest = _some(others[HARD:], room - len(hard), draw)
    return [*_some(wanted, MOST_WANTED, draw), *hard, *rest]


def _some(places: Sequence[int], count: int, draw: Any) -> list[int]:
    return [int(at) for at in draw.permutation(places)[:count]]


class Passages(NamedTuple):
    """Passages of one question, and which of them are gold."""

    pairs: list[tuple[Ids, Ids]]
    gold: list[int]


def passages(groups: Sequence[Group], draw: Any) -> list[Passages]:
    """Draw passages of the first questions of a step."""
    found: list[Passages] = []
    for group in groups[:QUESTIONS]:  # a question with units has passages
        places = _some(range(len(group.passages)), PASSAGES, draw)
        pairs = [(group.pieces, group.passages[at]) for at in places]
        found.append(Passages(pairs, [places.index(at) for at in group.gold if at in places]))
    return found
