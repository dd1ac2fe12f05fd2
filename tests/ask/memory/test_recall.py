"""Which memories a question recalls: relevant, weighty, fresh, and not all from one source."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from support.remembered import fact, read, said
from tether.ask.memory.recall import rank
from tether.batteries.storage.records import MemoryRecord

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def recalled(records: list[MemoryRecord], question: str, limit: int = 8) -> list[str]:
    ranked = rank(records, question, limit=limit, now=NOW)
    return [str(record.memory.content) for record in ranked]


def test_words_that_are_shared_with_the_question_come_first_whatever_their_ending() -> None:
    records = [said("Lives in Oslo."), said("Runs three clusters."), said("Drinks tea.")]
    assert recalled(records, "How do I upgrade the cluster?")[0] == "Runs three clusters."
    assert recalled(records, "how to DRINK", 1) == ["Drinks tea."]


def test_words_of_other_languages_are_stemmed_too() -> None:
    records = [said("Mag Tee."), said("Die Datenbanken sind in Frankfurt und nicht in Berlin.")]
    first = recalled(records, "Wo ist die Datenbank?", 1)
    assert first == ["Die Datenbanken sind in Frankfurt und nicht in Berlin."]


def test_importance_and_then_age_decide_between_equals() -> None:
    low = replace(said("a"), memory=fact("low", importance=0.1))
    high = replace(said("b"), memory=fact("high", importance=0.9))
    old = replace(said("c"), memory=fact("old", importance=0.1, at=NOW - timedelta(days=900)))
    assert recalled([old, low, high], "something else") == ["high", "low", "old"]


def test_a_time_to_come_is_no_younger_than_now() -> None:
    soon = replace(said("a"), memory=fact("soon", id="a", at=NOW + timedelta(days=900)))
    now = replace(said("b"), memory=fact("now", id="b", at=NOW))
    sure = replace(said("c"), memory=fact("sure", id="c", importance=0.6, at=NOW))
    assert recalled([soon, now, sure], "?")[0] == "sure"


def test_proposed_and_changed_memories_are_never_recalled() -> None:
    records = [
        replace(said("Drinks tea."), state="proposed"),
        replace(said("Drinks tea."), intact=False),
    ]
    assert recalled(records, "tea") == []


def test_what_others_wrote_is_recalled_only_where_it_is_about_the_question() -> None:
    records = [said("Lives in Oslo."), read("Ships on Friday.", "plan.md")]
    assert recalled(records, "colour of the sky") == ["Lives in Oslo."]
    assert recalled(records, "When does it ship?") == ["Ships on Friday.", "Lives in Oslo."]
    assert recalled(records, "") == ["Lives in Oslo."]


def test_28_one_source_has_at_most_half_of_the_places() -> None:
    loud = [read(f"tea fact {number}", f"evil.md#{number}") for number in range(20)]
    quiet = [read("tea in the plan", "plan.md"), said("Drinks tea.")]
    ranked = rank([*loud, *quiet], "tea", limit=4, now=NOW)
    shares = Counter(record.source.partition("#")[0] for record in ranked)
    assert shares == {"evil.md": 2, "plan.md": 1, "": 1}
    assert recalled(loud, "tea", 1) == []


def test_28_the_persons_own_words_may_take_all_places() -> None:
    assert len(recalled([said(f"tea {number}") for number in range(9)], "tea", 8)) == 8


def test_29_contradicting_memories_are_both_recalled() -> None:
    records = [said("Likes blue paint."), said("Likes red paint.")]
    assert sorted(recalled(records, "Which paint?")) == ["Likes blue paint.", "Likes red paint."]


RECORDS = st.lists(
    st.builds(
        lambda text, source, mine: said(text) if mine else read(text, source),
        st.text(alphabet="abcdé \ud55c", min_size=1, max_size=12),
        st.sampled_from(["a.md", "a.md#1", "b.md", "#"]),
        st.booleans(),
    ),
    max_size=12,
)


@given(RECORDS, st.text(max_size=20), st.integers(0, 9), st.randoms())
def test_the_ranking_is_bounded_and_does_not_depend_on_the_order(
    records: list[MemoryRecord], question: str, limit: int, random: object
) -> None:
    ranked = rank(records, question, limit=limit, now=NOW)
    shuffled = list(records)
    getattr(random, "shuffle")(shuffled)  # noqa: B009  # hypothesis gives no type
    assert rank(shuffled, question, limit=limit, now=NOW) == ranked
    assert len(ranked) <= limit
    shares = Counter(one.source.partition("#")[0] for one in ranked if one.origin != "person")
    assert all(share <= limit // 2 for share in shares.values())
