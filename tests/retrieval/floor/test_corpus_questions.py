"""Questions without labels: made from the documents, and foreign to them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from retrieval.floor.railway import PAGES, chunks_of
from tether.retrieval.chunk import Chunk
from tether.retrieval.floor.questions import (
    FloorQuestion,
    GivenQuestion,
    ask_all,
    corpus_questions,
    far_questions,
    questions_from_corpus,
    questions_from_file,
    unheard,
)
from tether.retrieval.search.memory_index import MemoryIndex
from tether.retrieval.search.retriever import Retriever

CHUNKS = chunks_of(PAGES)
INDEX = MemoryIndex(CHUNKS)


def one_page(*sections: tuple[str, str], title: str = "Wagons of the north") -> MemoryIndex:
    """An index of one page whose chunks are given as heading and text."""
    first = CHUNKS[0]
    made: list[Chunk] = []
    for number, (heading, text) in enumerate(sections, start=1):
        path = (title, heading) if heading else ()
        made.append(replace(first, number=number, heading_path=path, title=title, plain=text))
    return MemoryIndex(made)


def test_each_page_gives_a_question_before_one_gives_two() -> None:
    made = corpus_questions(INDEX, count=len(PAGES))
    assert sorted(question.page for question in made) == list(range(len(PAGES)))
    twice = corpus_questions(INDEX, count=2 * len(PAGES))
    assert sorted(question.page for question in twice) == sorted([*range(len(PAGES))] * 2)


def test_a_question_is_a_heading_or_a_sentence_of_the_row_that_it_names() -> None:
    made = corpus_questions(INDEX, count=30)
    headings = 0
    for question in made:
        (chunk,) = INDEX.chunks([question.row])
        assert INDEX.pages[question.row] == question.page
        is_heading = question.text in (
            chunk.heading_path[-1],
            f"{chunk.heading_path[-1]} {chunk.title}",
        )
        headings += is_heading
        assert is_heading or question.text in " ".join(chunk.plain.split())
    assert headings == 15


def test_the_same_seed_asks_the_same_and_another_one_asks_otherwise() -> None:
    assert corpus_questions(INDEX, count=9, seed=4) == corpus_questions(INDEX, count=9, seed=4)
    assert corpus_questions(INDEX, count=9, seed=4) != corpus_questions(INDEX, count=9, seed=5)


def test_there_are_no_more_questions_than_the_documents_hold() -> None:
    made = corpus_questions(INDEX, count=10_000)
    assert 0 < len(made) <= INDEX.size
    assert len({question.row for question in made}) == len(made)


SENTENCE = "Every wagon of the line is weighed twice before it leaves."


@pytest.mark.parametrize(
    ("heading", "text", "asked"),
    [
        ("Weighing wagons twice", SENTENCE, SENTENCE[:-1]),
        ("Weighing wagons twice", f"Short. {SENTENCE}", SENTENCE[:-1]),
        ("Weighing wagons twice", "Too short to ask.", ""),
        ("Weighing wagons twice", f"Weighing wagons twice\n{SENTENCE}", SENTENCE[:-1]),
        ("", "- * + / - | = % # @", ""),
        (
            "",
            " ".join(f"word{number}" for number in range(40)),
            " ".join(f"word{n}" for n in range(30)),
        ),
    ],
    ids=["first", "second", "none", "after heading", "signs", "cut at thirty"],
)
def test_the_first_sentence_that_is_long_enough_is_asked(
    heading: str, text: str, asked: str
) -> None:
    made = corpus_questions(one_page((heading, text)), count=1)
    assert [question.text for question in made] == ([asked] if asked else [])


@pytest.mark.parametrize(
    ("heading", "asked"),
    [
        ("Weighing wagons twice", "Weighing wagons twice"),
        ("Weighing", "Weighing Wagons of the north"),
        ("Overview", ""),
        ("See also", ""),
        ("Wagons north", "Wagons north Wagons of the north"),
    ],
)
def test_a_heading_that_says_too_little_is_asked_with_the_title_or_not_at_all(
    heading: str, asked: str
) -> None:
    index = one_page((heading, SENTENCE), (heading, SENTENCE))
    made = [question.text for question in corpus_questions(index, count=2)]
    assert made[0] == SENTENCE[:-1]
    assert made[1:] == ([asked] if asked else [])


@pytest.mark.parametrize("title", ["Brakes", ""], ids=["is the title", "no title"])
def test_a_title_alone_is_not_asked(title: str) -> None:
    index = one_page(("Brakes", SENTENCE), ("Brakes", SENTENCE), title=title)
    assert len(corpus_questions(index, count=2)) == 1


def test_a_page_without_headings_is_asked_by_sentences_only() -> None:
    index = one_page(("", SENTENCE), ("", SENTENCE))
    assert [question.text for question in corpus_questions(index, count=2)] == [SENTENCE[:-1]]


def test_far_questions_are_those_whose_subject_the_index_does_not_mention() -> None:
    everything = far_questions(INDEX)
    assert any("sourdough" in question for question in everything)
    baking = {**PAGES, "bread.md": "# Bread\n\nA sourdough starter rests before baking.\n"}
    rest = far_questions(MemoryIndex(chunks_of(baking)))
    dropped = set(everything) - set(rest)
    assert dropped
    assert all("sourdough" in question for question in dropped)
    assert len(everything) >= 90


def test_a_question_is_asked_with_its_row_hidden_and_with_its_page_hidden() -> None:
    asked = questions_from_corpus(INDEX, count=10, seed=0)
    answerable = [one for one in asked if one.kind == "answerable"]
    near = [one for one in asked if one.kind == "near"]
    assert [one.text for one in answerable] == [one.text for one in near]
    for one, other in zip(answerable, near, strict=True):
        (row,) = one.hidden
        page = CHUNKS[row].document
        assert {CHUNKS[hidden].document for hidden in other.hidden} == {page}
        assert len(other.hidden) == sum(chunk.document == page for chunk in CHUNKS)
    assert {one.kind for one in asked[20:]} == {"far"}


def test_given_questions_are_answerable_where_a_document_is_known() -> None:
    pages = {key: number for number, key in enumerate(PAGES)}
    asked = questions_from_file(
        INDEX,
        pages,
        [
            GivenQuestion(text="one", documents=frozenset({"wagon.md", "elsewhere.md"})),
            GivenQuestion(text="two", documents=frozenset({"elsewhere.md"})),
            GivenQuestion(text="three"),
        ],
    )
    rows = frozenset(row for row, chunk in enumerate(CHUNKS) if chunk.document == "wagon.md")
    assert asked[:3] == [
        FloorQuestion(text="one", kind="answerable"),
        FloorQuestion(text="one", kind="near", hidden=rows),
        FloorQuestion(text="three", kind="near"),
    ]
    assert {one.kind for one in asked[3:]} == {"far"}


def test_asking_gives_the_features_of_what_is_found_and_none_where_nothing_is() -> None:
    heard: list[tuple[int, int]] = []
    asked = [
        FloorQuestion(text="repair the locomotive", kind="answerable"),
        FloorQuestion(text="???", kind="far"),
    ]
    found = ask_all(Retriever(index=INDEX), asked, lambda *step: heard.append(step))
    assert [one.kind for one in found] == ["answerable", "far"]
    assert found[0].features["coverage"] > 0.5
    assert found[1].features == {}
    assert heard == [(1, 2), (2, 2)]
    assert ask_all(Retriever(index=INDEX), asked, unheard) == found
