"""Puts passages that say the same together, before room is given to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tether.core.tiers import lower_tier
from tether.retrieval.assembly.assembly import Citation
from tether.retrieval.assembly.similar import Match, Similar

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tether.retrieval.passage import Passage

Group = tuple["Passage", ...]
"""Passages of one text: the one to show first, then the others in rank order."""


def grouped(passages: Iterable[Passage], similarity: float) -> list[Group]:
    """Return groups in the rank order of their first members.

    The passage to show is the first, unless a later one says it all and more, or says the same
    and comes from a source with more authority. A passage that is longer or shorter than one of
    another tier stays apart: what it adds would borrow the other's authority.
    """
    groups: list[list[Passage]] = []
    similar = Similar(similarity)
    for passage in passages:
        matches = similar.matches(passage.text)
        found = next((match for match in matches if _may_join(passage, match, groups)), None)
        if found is None:
            similar.add(len(groups), passage.text)
            groups.append([passage])
            continue
        group = groups[found.number]
        leads = found.likeness == "around" or _outranks(passage, group[0])
        group.insert(0 if leads else len(group), passage)
        if leads:
            similar.add(found.number, passage.text)
    return [tuple(group) for group in groups]


def citations(passages: Iterable[Passage]) -> tuple[Citation, ...]:
    """Return where these passages stand."""
    return tuple(
        Citation(id=passage.id, label=passage.label, identifier=passage.identifier)
        for passage in passages
    )


def _may_join(passage: Passage, match: Match, groups: list[list[Passage]]) -> bool:
    return match.likeness == "same" or passage.trust_tier == groups[match.number][0].trust_tier


def _outranks(one: Passage, other: Passage) -> bool:
    tiers = one.trust_tier, other.trust_tier
    return tiers[0] != tiers[1] and lower_tier(*tiers) == other.trust_tier
