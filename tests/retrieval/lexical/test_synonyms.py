"""Other words for those of a question: they find and order, and never count as its words."""

from __future__ import annotations

import numpy as np
import pytest

from retrieval.lexical.oracle import chunk
from tether.retrieval.errors import InvalidRetrievalSettings
from tether.retrieval.lexical.bm25 import WordSettings
from tether.retrieval.lexical.lanes import GramLane, WordLane
from tether.retrieval.lexical.synonyms import related
from tether.retrieval.ports import LexicalLane, LexicalSearcher


def opened(lane: LexicalLane, *texts: str, language: str = "en") -> LexicalSearcher:
    chunks = [chunk(text, language=language) for text in texts]
    return lane.open(lane.build(size=len(chunks), fresh=enumerate(chunks)))


@pytest.mark.parametrize(
    ("words", "other"),
    [
        ("delete", "remove"),
        ("Deleting", "rm"),
        ("folders", "directory"),
        ("env var", "environment variable"),
        ("environment variables", "env var"),
        ("sign in", "login"),
        ("k8s", "kubernetes"),
        ("repos", "repository"),
    ],
)
def test_words_of_the_trade_have_other_words(words: str, other: str) -> None:
    assert other in related(words.split())


def test_every_other_word_comes_once_and_no_word_is_its_own() -> None:
    assert related(["delete", "deleted"]) == ["remove", "rm"]
    assert related(["kettle", "sign", "variable"]) == []


def test_a_page_with_only_the_other_word_is_found_behind_the_word_itself() -> None:
    lane = opened(WordLane(), "Remove a directory.", "Delete a folder.", "Paint a ceiling.")
    assert lane.search("delete folder").rows.tolist() == [1, 0]
    assert lane.scores("delete folder", np.array([2, 1, 0])).argsort().tolist() == [0, 2, 1]


def test_other_words_are_not_covered_and_not_terms() -> None:
    lane = opened(WordLane(), "Remove a directory.", "Delete a folder.")
    assert lane.coverage("delete folder", np.array([0, 1])).tolist() == [0.0, 1.0]
    assert lane.terms("delete") == ("delet",)


def test_the_weight_is_the_share_of_a_word() -> None:
    texts = ("Remove it.", "Paint it.")
    rows = np.array([0])
    own = opened(WordLane(), *texts).scores("remove", rows)[0]
    other = opened(WordLane(WordSettings(synonyms=0.5)), *texts).scores("delete", rows)[0]
    assert other == pytest.approx(own / 2)


@pytest.mark.parametrize(
    ("lane", "language"),
    [
        (WordLane(WordSettings(synonyms=0.0)), "en"),
        (GramLane(), "en"),
        (WordLane(), "de"),  # "dir" is German for "you"
    ],
)
def test_they_are_searched_by_the_lane_of_words_in_english_alone(
    lane: LexicalLane, language: str
) -> None:
    searcher = opened(lane, "The directory tree.", "Paint a ceiling.", language=language)
    assert searcher.search("dir").rows.tolist() == []


def test_a_word_that_is_asked_for_is_not_weighed_again() -> None:
    texts = ("Remove and delete.", "Remove, and remove it.")
    plain = opened(WordLane(WordSettings(synonyms=0.0)), *texts)
    lane = opened(WordLane(), *texts)
    rows = np.array([0, 1])
    assert (
        lane.scores("delete remove", rows).tolist() == plain.scores("delete remove", rows).tolist()
    )


def test_arrays_do_not_depend_on_the_weight() -> None:
    assert WordLane(WordSettings(synonyms=0.5)).fingerprint == WordLane().fingerprint
    with pytest.raises(InvalidRetrievalSettings, match="synonyms"):
        WordSettings(synonyms=1.5)
