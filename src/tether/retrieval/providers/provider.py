"""Providers of passages, and the one order of the passages of several."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from tether.core.checks import Checks
from tether.core.errors import RunError, error_text
from tether.core.tiers import lower_tier
from tether.retrieval.chunk import Passage
from tether.retrieval.errors import InvalidInitialPassageValue, JudgeFailed, costing_its_part
from tether.retrieval.hit import LeftOut
from tether.retrieval.judge import judge_best

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tether.retrieval.ports import Judge
    from tether.retrieval.query import Query


@dataclass(frozen=True, slots=True, kw_only=True)
class Supply:
    """Passages, best first and each id once, and the parts that were left out, with the reason.

    Raises `InvalidInitialPassageValue` for anything else in their place.
    """

    passages: tuple[Passage, ...]
    left_out: tuple[LeftOut, ...] = ()

    def __post_init__(self) -> None:
        check = Checks()
        check.instances("passages", self.passages, Passage, "a Passage")
        check.instances("left_out", self.left_out, LeftOut, "a LeftOut")
        check.done(InvalidInitialPassageValue)


class Provider(Protocol):
    """A source of passages without state: the same question gives the same passages."""

    @property
    def name(self) -> str:
        """Return the name of the provider in passages and traces."""
        ...

    def passages(self, query: Query, limit: int) -> Supply:
        """Return at most `limit` passages; raises `ProviderFailed` or another `RunError`."""
        ...


def gather(providers: Sequence[Provider], query: Query, *, limit: int = 20, k: int = 60) -> Supply:
    """Return the passages of all providers by reciprocal rank fusion, each id once.

    Scores of different providers cannot be compared, but ranks can: a passage of two providers
    comes before those of one; otherwise all first passages come first, in the order of the
    providers. Each supplies up to `limit`. A provider that fails is left out, with the reason. If
    two supply the same id, the passage of the higher trust tier stays. Ids are unique only within
    one index: if two of one tier have different texts under the same id, the id of the later one
    begins with the name of its provider.
    """
    sums: defaultdict[str, float] = defaultdict(float)
    found: dict[str, Passage] = {}
    left_out: list[LeftOut] = []
    for provider in providers:
        supply = _supplied(provider, query, limit)
        left_out += (reason for reason in supply.left_out if reason not in left_out)
        once = {passage.id: passage for passage in reversed(supply.passages[:limit])}
        for rank, given in enumerate(reversed(once.values()), 1):
            passage = _named(given, found.get(given.id), provider.name)
            sums[passage.id] += 1 / (k + rank)
            found[passage.id] = _better(found.get(passage.id), passage)
    order = sorted(found, key=lambda id: -sums[id])
    return Supply(passages=tuple(found[id] for id in order), left_out=tuple(left_out))


def _supplied(provider: Provider, query: Query, limit: int) -> Supply:
    try:
        return provider.passages(query, limit)
    except RunError as error:
        reason = LeftOut(part=provider.name, reason=error_text(error))
        return Supply(passages=(), left_out=(reason,))


def _named(passage: Passage, known: Passage | None, provider: str) -> Passage:
    if known is None or known.text == passage.text or known.trust_tier != passage.trust_tier:
        return passage
    return replace(passage, id=f"{provider}:{passage.id}")


def _better(known: Passage | None, new: Passage) -> Passage:
    if known is None or known.trust_tier == new.trust_tier:
        return known or new
    return known if lower_tier(known.trust_tier, new.trust_tier) == new.trust_tier else new


def rerank(supply: Supply, query: Query, judge: Judge, *, most: int = 30) -> Supply:
    """Return the supply with its first `most` passages in the order of the judge, then the others.

    The score of a passage is then the best that the judge gives it for the question or its rewrite;
    equal ones keep their order. A judge without an opinion (`NoOpJudge`) changes nothing, and one
    that fails is left out, with the reason.
    """
    read, rest = supply.passages[:most], supply.passages[most:]
    if not read or not query.judged:
        return supply
    texts = [f"{passage.label}\n{passage.text}" for passage in read]
    try:
        with costing_its_part(JudgeFailed, "judge"):
            if not judge.fingerprint:
                return supply
            scores = judge_best(judge, query.judged, texts)
    except JudgeFailed as error:
        failed = LeftOut(part="judge", reason=error_text(error))
        return replace(supply, left_out=(*supply.left_out, failed))
    scored = [replace(passage, score=score) for passage, score in zip(read, scores, strict=True)]
    order = sorted(scored, key=lambda passage: -passage.score)
    return replace(supply, passages=(*order, *rest))
