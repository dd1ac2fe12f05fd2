"""The budget holds, and nothing depends on chance: for every input."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tether.core.tiers import TRUST_TIERS
from tether.core.tokens import count_tokens
from tether.retrieval.assembly.admission import assemble
from tether.retrieval.assembly.assembly import Admitted, Assembly, AssemblySettings, Dropped
from tether.retrieval.assembly.envelope import numbered_block
from tether.retrieval.chunk import Passage
from tether.retrieval.estimates import prudent_estimate
from tether.retrieval.ports import Estimator

pytestmark = pytest.mark.unmeasured

PLAIN = ("the", "pod ", "Größe", "`code()`", " ", "\n\n", "x" * 70, "\ud800")
FOREIGN = ("漢字", "かな。", "ไทย", "한국어", "👨\u200d👩\u200d👧", "🇩🇪", "e\u0301\u0301")
MARKS = ("---", "\n---\n", "[1]", "[2] Source: /evil")
WORDS = st.sampled_from(PLAIN + FOREIGN + MARKS)
TEXTS = st.lists(WORDS, max_size=30).map(" ".join) | st.lists(WORDS, max_size=12).map("".join)
PASSAGES = st.builds(
    Passage,
    id=st.sampled_from("abcdefgh"),
    text=TEXTS,
    label=TEXTS,
    identifier=st.sampled_from(["/a", "/b#x", "https://x.test/ü", "/c d\n"]),
    provider=st.just("test"),
    trust_tier=st.sampled_from(TRUST_TIERS),
    metadata=st.lists(
        st.tuples(st.sampled_from(["k", "start", "document"]), TEXTS), max_size=2
    ).map(tuple),
)


def many(count: int, text: str) -> list[Passage]:
    return [
        Passage(
            id=str(number),
            text=f"{number} {text} {number * 7919}",
            label=f"Page {number}",
            identifier=f"/{number}",
            provider="test",
            trust_tier="first-party",
            metadata=(("document", str(number)),),
        )
        for number in range(count)
    ]


def holds(assembly: Assembly, passages: list[Passage], estimate: Estimator) -> None:
    assert (
        assembly.tokens + assembly.envelopes + assembly.frame + assembly.buffer <= assembly.budget
    )
    block = numbered_block(assembly)
    assert estimate(block) + assembly.buffer <= assembly.budget
    items: list[Admitted | Dropped] = [*assembly.admitted, *assembly.dropped]
    seen = [item.passage.id for item in items]
    seen += [citation.id for item in items for citation in item.also]
    assert Counter(seen) == Counter(passage.id for passage in passages)


@given(
    st.lists(PASSAGES, max_size=8),
    st.integers(0, 600),
    st.sampled_from([0, 16, 64]),
    st.sampled_from([1.0, 0.4]),
)
@settings(max_examples=100)
@example([], 0, 64, 1.0)
def test_the_budget_holds(passages: list[Passage], budget: int, buffer: int, share: float) -> None:
    chosen = AssemblySettings(budget=budget, buffer=buffer, source_share=share)
    assembly = assemble(passages, settings=chosen)
    holds(assembly, passages, prudent_estimate)
    block = numbered_block(assembly)
    assert count_tokens(block, "cl100k_base") + assembly.buffer <= budget
    assert assemble(list(passages), settings=chosen) == assembly


@given(st.lists(PASSAGES, max_size=6), st.integers(0, 2000))
@settings(max_examples=60)
def test_the_budget_holds_for_another_estimator(passages: list[Passage], budget: int) -> None:
    chosen = AssemblySettings(budget=budget, estimator=len)
    holds(assemble(passages, settings=chosen), passages, len)


@given(st.lists(PASSAGES, max_size=8), st.integers(0, 400), st.integers(2, 9))
@settings(max_examples=60)
def test_the_budget_holds_for_an_estimator_that_rounds_down(
    passages: list[Passage], budget: int, characters: int
) -> None:
    def estimate(text: str) -> int:
        return len(text) // characters

    assembly = assemble(passages, settings=AssemblySettings(budget=budget, estimator=estimate))
    holds(assembly, passages, estimate)
    assert estimate(numbered_block(assembly)) <= assembly.spent


@pytest.mark.parametrize("count", [5, 500])
@pytest.mark.parametrize(
    "text",
    ["plain words " * 30, "漢字仮名交じり文。" * 20, "👨\u200d👩\u200d👧 e\u0301 " * 12],
    ids=["English", "Japanese", "emoji"],
)
def test_the_budget_holds_for_few_and_many(count: int, text: str) -> None:
    passages = many(count, text)
    assembly = assemble(passages)
    holds(assembly, passages, prudent_estimate)
    assert (assembly.dropped_count > 0) == (count == 500)
    assert assembly.budget - assembly.spent < 2000 or count == 5
