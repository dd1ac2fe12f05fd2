"""One order from several providers, and the judge's."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tether.core.errors import InputRefused, RunError
from tether.core.tiers import TrustTier
from tether.retrieval.chunk import Passage
from tether.retrieval.errors import EmbeddingFailed, JudgeFailed, ProviderFailed
from tether.retrieval.hit import LeftOut
from tether.retrieval.judge import NoOpJudge
from tether.retrieval.providers.provider import Provider, Supply, gather, rerank
from tether.retrieval.query import Query

ASKED = Query(question="what is a pod", rewrite="pod definition")


def passage(id: str, text: str = "", tier: TrustTier = "first-party") -> Passage:
    return Passage(
        id=id,
        text=text or f"Text of {id}.",
        label=id.upper(),
        identifier=f"/{id}",
        provider="test",
        trust_tier=tier,
    )


class Fixed:
    """A provider that has its passages already, or fails."""

    def __init__(self, name: str, *ids: str, error: Exception | None = None) -> None:
        self.name = name
        self.fixed = tuple(passage(id) for id in ids)
        self._error = error

    def passages(self, query: Query, limit: int) -> Supply:
        assert query is ASKED
        if self._error is not None:
            raise self._error
        return Supply(passages=self.fixed, left_out=(LeftOut(part="dense", reason="none"),))


def order(*providers: Provider, limit: int = 20) -> str:
    supply = gather(providers, ASKED, limit=limit)
    return "".join(passage.id for passage in supply.passages)


def test_providers_take_turns() -> None:
    assert order(Fixed("one", "a", "b", "c"), Fixed("two", "x", "y")) == "axbyc"


def test_what_two_supply_comes_first_and_once() -> None:
    # b: 1/62 + 1/62 is more than a's or x's 1/61
    assert order(Fixed("one", "a", "b"), Fixed("two", "x", "b")) == "bax"


def test_a_provider_cannot_repeat_a_passage_to_the_top() -> None:
    assert order(Fixed("one", "a", "b"), Fixed("two", "x", "y", "y", "y", "y")) == "axby"


def test_each_provider_gives_at_most_the_limit() -> None:
    assert order(Fixed("one", "a", "b", "c"), Fixed("two", "x", "y"), limit=1) == "ax"


def test_no_providers_supply_nothing() -> None:
    assert order() == ""


@pytest.mark.parametrize("kind", [ProviderFailed, EmbeddingFailed, InputRefused])
def test_a_provider_that_fails_is_left_out_and_named(kind: type[RunError]) -> None:
    failing = Fixed("web", error=kind("the server is gone"))
    supply = gather([failing, Fixed("one", "a")], ASKED)
    assert [passage.id for passage in supply.passages] == ["a"]
    named = {left.part: left.reason for left in supply.left_out}
    assert "the server is gone" in named["web"]


def test_a_mistake_in_a_provider_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError):
        gather([Fixed("one", error=ZeroDivisionError())], ASKED)


def test_the_same_reason_is_given_once() -> None:
    assert len(gather([Fixed("one", "a"), Fixed("two", "b")], ASKED).left_out) == 1


@pytest.mark.parametrize("first_is_own", [True, False])
def test_of_two_passages_with_one_id_the_trusted_stays(first_is_own: bool) -> None:
    own, foreign = Fixed("one"), Fixed("two")
    own.fixed = (passage("a", "Ours."),)
    foreign.fixed = (passage("a", "Theirs.", tier="third-party-public"),)
    (found,) = gather([own, foreign] if first_is_own else [foreign, own], ASKED).passages
    assert found.text == "Ours."


def test_two_indexes_may_give_different_passages_the_same_id() -> None:
    one, other, graph = Fixed("docs"), Fixed("wiki"), Fixed("graph")
    one.fixed = (passage("index-1", "Welcome to the docs."),)
    other.fixed = (passage("index-1", "Welcome to the wiki."), passage("b"))
    graph.fixed = (passage("b"), passage("index-1", "Welcome to the docs."))
    supply = gather([one, other, graph], ASKED)
    assert [(found.id, found.text) for found in supply.passages] == [
        ("index-1", "Welcome to the docs."),
        ("b", "Text of b."),
        ("wiki:index-1", "Welcome to the wiki."),
    ]


class Lengths:
    """Prefers short passages, the more for the rewrite."""

    fingerprint = "lengths"

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        bonus = 1.0 if question == "pod definition" else 0.0
        return [bonus - len(text) for text in passages]


class Failing(Lengths):
    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        raise JudgeFailed("the judge is ill")


SUPPLY = Supply(
    passages=(
        passage("a", "long text"),
        passage("b", "text"),
        passage("c", "t"),
        passage("d", "x"),
    ),
    left_out=(LeftOut(part="web", reason="closed"),),
)


def test_the_judge_orders_what_it_reads_and_the_rest_follows() -> None:
    judged = rerank(SUPPLY, ASKED, Lengths(), most=3)
    assert [passage.id for passage in judged.passages] == ["c", "b", "a", "d"]
    assert judged.passages[0].score == 1 - len("C\nt")
    assert judged.left_out == SUPPLY.left_out


def test_equal_scores_stay_in_order() -> None:
    judged = rerank(SUPPLY, ASKED, Lengths())
    assert [passage.id for passage in judged.passages] == ["c", "d", "b", "a"]


def test_a_judge_without_an_opinion_changes_nothing() -> None:
    assert rerank(SUPPLY, ASKED, NoOpJudge()) is SUPPLY


def test_without_a_question_there_is_nothing_to_judge() -> None:
    assert rerank(SUPPLY, Query(question=" "), Lengths()) is SUPPLY


@pytest.mark.parametrize("scores", [[1.0], [float("nan")] * 4, [float("inf"), 1.0, 2.0, 3.0]])
def test_a_judge_that_gives_no_order_is_left_out_and_named(scores: list[float]) -> None:
    class Odd(Lengths):
        def score(self, question: str, passages: Sequence[str]) -> list[float]:
            return scores

    judged = rerank(SUPPLY, ASKED, Odd())
    assert judged.passages == SUPPLY.passages
    assert [left.part for left in judged.left_out] == ["web", "judge"]


def test_nothing_to_read_is_not_judged() -> None:
    nothing = Supply(passages=())
    assert rerank(nothing, ASKED, Failing()) is nothing


def test_a_judge_that_fails_is_left_out_and_named() -> None:
    judged = rerank(SUPPLY, ASKED, Failing())
    assert judged.passages == SUPPLY.passages
    assert [left.part for left in judged.left_out] == ["web", "judge"]
