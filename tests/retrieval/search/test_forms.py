"""The forms of a query: passages are compared with the better of question and rewrite."""

from __future__ import annotations

from retrieval.lexical.oracle import chunk
from tether.retrieval import MemoryIndex, Query, Retriever

INDEX = MemoryIndex(
    [
        chunk("A backup is kept for thirty days.", language="en"),
        chunk("Paint the ceiling.", language="en"),
    ]
)


def coverage(query: Query) -> float:
    return Retriever(index=INDEX).search(query).hits[0].coverage


def test_the_rewrite_of_a_follow_up_counts_as_much_as_its_question() -> None:
    alone = coverage(Query(question="thirty frobs?"))
    assert coverage(Query(question="thirty frobs?", rewrite="backup kept thirty days")) == 1.0
    assert coverage(Query(question="backup kept", rewrite="quux backup")) == 1.0
    assert alone < 1.0


def test_without_a_question_its_other_forms_count() -> None:
    assert coverage(Query(question="", variants=("backup kept",))) == 1.0
