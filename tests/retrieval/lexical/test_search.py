"""The lanes find what the formula says, whatever shortcut they take."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.lexical.oracle import Oracle, chunk
from tether.retrieval.lexical.bm25 import WordSettings
from tether.retrieval.lexical.lanes import WordLane
from tether.retrieval.lexical.searcher import ArraySearcher

WORDS = ("alpha", "beta", "gamma", "delta", "omega", "sigma", "zeta", "theta")

passages = st.lists(st.lists(st.sampled_from(WORDS), max_size=12), min_size=1, max_size=30)
questions = st.lists(st.sampled_from((*WORDS, "absent")), max_size=6)


def searcher(texts: Sequence[Sequence[str]], lane: WordLane) -> ArraySearcher:
    chunks = [chunk(" ".join(words)) for words in texts]
    return lane.open(lane.build(size=len(chunks), fresh=enumerate(chunks)))


def check(found: ArraySearcher, oracle: Oracle, question: Sequence[str], limit: int) -> None:
    text = " ".join(question)
    ranking = found.search(text, limit=limit)
    expected = [score for _, score in oracle.ranked(question)][:limit]
    assert ranking.scores.tolist() == pytest.approx(expected, abs=1e-7)
    own = [oracle.score(question, row) for row in ranking.rows.tolist()]
    assert ranking.scores.tolist() == pytest.approx(own, abs=1e-7)
    assert len(set(ranking.rows.tolist())) == len(ranking)
    order = list(zip((-ranking.scores).tolist(), ranking.rows.tolist(), strict=True))
    assert order == sorted(order)


class TestAgainstTheFormula:
    @given(passages, questions, st.floats(0, 3), st.floats(0, 1), st.integers(1, 40))
    @settings(max_examples=60, deadline=None)
    def test_rankings_are_those_of_the_formula(
        self, texts: list[list[str]], question: list[str], k1: float, b: float, limit: int
    ) -> None:
        if not any(texts):
            texts[0] = ["alpha"]
        lane = WordLane(WordSettings(k1=k1, b=b, stemming=False))
        check(searcher(texts, lane), Oracle(texts, k1=k1, b=b), question, limit)

    @given(passages, questions, st.integers(0, 4))
    @settings(max_examples=30, deadline=None)
    def test_a_heading_is_read_as_often_as_its_weight(
        self, texts: list[list[str]], question: list[str], weight: int
    ) -> None:
        lane = WordLane(WordSettings(k1=1.2, b=0.5, title_weight=weight, stemming=False))
        chunks = [
            chunk(" ".join(words), heading=("omega guide", WORDS[row % 8]))
            for row, words in enumerate(texts)
        ]
        whole = [
            ["omega", "guide", WORDS[row % 8]] * weight + words for row, words in enumerate(texts)
        ]
        if not any(whole):
            return
        found = lane.open(lane.build(size=len(chunks), fresh=enumerate(chunks)))
        check(found, Oracle(whole, k1=1.2, b=0.5), question, 50)

    @given(passages, questions)
    @settings(max_examples=40, deadline=None)
    def test_scores_of_given_rows_are_those_of_the_search(
        self, texts: list[list[str]], question: list[str]
    ) -> None:
        found = searcher(texts, WordLane())
        text = " ".join(question)
        ranking = found.search(text, limit=len(texts))
        rows = np.array([*range(len(texts)), 0], dtype=np.int64)
        expected = np.zeros(len(texts))
        expected[ranking.rows] = ranking.scores
        assert found.scores(text, rows).tolist() == expected[rows].tolist()

    def test_a_hand_computed_score(self) -> None:
        found = searcher([["alpha", "alpha"], ["beta", "beta"]], WordLane(WordSettings(k1=1, b=0)))
        ranking = found.search("alpha")
        # ln(1 + 1.5 / 1.5) * 2 * 2 / (2 + 1)
        assert ranking.rows.tolist() == [0]
        assert ranking.scores.tolist() == pytest.approx([0.6931471805599453 * 4 / 3], abs=1e-9)


class TestLongRuns:
    """Corpora in which frequent words make the shortcuts pay."""

    SIZE = 6_000

    def corpus(self, seed: int) -> list[list[str]]:
        random = np.random.default_rng(seed)
        shares = {"alpha": 0.9, "beta": 0.5, "gamma": 0.3, "delta": 0.02, "omega": 0.05}
        held = {word: random.random(self.SIZE) < share for word, share in shares.items()}
        times = random.integers(1, 4, self.SIZE)
        return [
            [word for word in shares if held[word][row] for _ in range(times[row])] + ["filler"]
            for row in range(self.SIZE)
        ]

    @pytest.mark.parametrize("seed", [1, 2])
    @pytest.mark.parametrize("limit", [1, 10, 100, 5_000])
    def test_shortcuts_change_nothing(self, seed: int, limit: int) -> None:
        texts = self.corpus(seed)
        found = searcher(texts, WordLane(WordSettings(stemming=False)))
        every = np.arange(self.SIZE)
        for question in ("delta alpha", "delta omega beta alpha", "gamma beta alpha", "alpha"):
            scores = found.scores(question, every)
            order = np.lexsort((every, -scores))
            expected = order[scores[order] > 0][:limit]
            ranking = found.search(question, limit=limit)
            assert ranking.rows.tolist() == expected.tolist()
            assert ranking.scores.tolist() == scores[expected].tolist()

    def test_the_scores_are_those_of_the_formula(self) -> None:
        texts = self.corpus(3)[:2_500]
        found = searcher(texts, WordLane(WordSettings(k1=1.2, b=0.75, stemming=False)))
        oracle = Oracle(texts, k1=1.2, b=0.75)
        ranking = found.search("delta omega beta alpha", limit=5)
        own = [oracle.score(["delta", "omega", "beta", "alpha"], row) for row in ranking.rows]
        assert ranking.scores.tolist() == pytest.approx(own, abs=1e-7)


class TestPrecision:
    @pytest.mark.parametrize("k1", [0.0, 1.5, 10.0])
    def test_long_questions_stay_within_a_millionth_of_the_formula(self, k1: float) -> None:
        random = np.random.default_rng(7)
        words = [f"word{number}" for number in range(60)]
        lengths = random.integers(1, 400, 300).tolist()
        texts = [random.choice(words, length).tolist() for length in lengths]
        found = searcher(texts, WordLane(WordSettings(k1=k1, b=0.9, stemming=False)))
        oracle = Oracle(texts, k1=k1, b=0.9)
        scores = found.scores(" ".join(words), np.arange(300))
        for row in range(0, 300, 10):
            assert abs(float(scores[row]) - oracle.score(words, row)) < 1e-6

    def test_a_passage_of_any_length_is_found(self) -> None:
        texts = [["rare", *["filler"] * 20_000], *[["filler"]] * 50]
        found = searcher(texts, WordLane(WordSettings(k1=10, b=1, stemming=False)))
        assert found.search("rare").rows.tolist() == [0]


class TestFewPassagesOfALanguage:
    """A question of one word has no language of its own."""

    def test_their_words_are_found_as_they_are_written(self) -> None:
        english = chunk("The scheduler places pods on the nodes.", language="en")
        german = chunk("Der Knoten ist mit den Einstellungen gestartet.", language="de")
        lane = WordLane()
        found = lane.open(lane.build(size=41, fresh=enumerate([*[english] * 40, german])))
        assert found.search("Einstellungen").rows.tolist() == [40]
        assert found.search("Knoten").rows.tolist() == [40]

    def test_their_little_words_count_in_other_languages(self) -> None:
        english = chunk("The pods on the nodes are kept by the system.", language="en")
        dying = chunk("A container can die when the memory of the node is used up.", language="en")
        german = chunk("Der Knoten ist mit den Einstellungen gestartet.", language="de")
        lane = WordLane()
        chunks = [*[english] * 20, dying, *[german] * 4]
        found = lane.open(lane.build(size=len(chunks), fresh=enumerate(chunks)))
        assert found.search("containers die", limit=1).rows.tolist() == [20]
        assert "die" in found.terms("containers die")
        assert "die" in found.terms("why do the containers die")
        assert "die" not in found.terms("wie ist die Einstellung der Knoten")


class TestLongQuestions:
    def test_the_most_telling_terms_count(self) -> None:
        texts = [[f"word{number}" for number in range(first, 200)] for first in range(150)]
        found = searcher(texts, WordLane(WordSettings(b=0, stemming=False)))
        question = " ".join(f"word{number}" for number in range(200))
        assert len(found.terms(question)) == 200
        # word n is in n + 1 passages, so only words 0 to 95 count, which passages from 96 on lack
        assert found.search(question, limit=200).rows.tolist() == list(range(96))
        assert found.scores(question, np.array([95, 96])).tolist()[1] == 0.0

    def test_a_question_of_book_length_is_read_in_part(self) -> None:
        found = searcher([["alpha"], ["omega"]], WordLane())
        assert found.search("alpha " + "x " * 10_000 + "omega").rows.tolist() == [0]


class TestNothingToFind:
    def test_a_question_without_words_has_no_terms(self) -> None:
        found = searcher([["alpha"]], WordLane())
        assert found.terms("?! --") == ()
        assert len(found.search("?! --")) == 0
        assert found.scores("", np.array([0])).tolist() == [0.0]

    def test_unknown_words_have_terms_and_find_nothing(self) -> None:
        found = searcher([["alpha"]], WordLane())
        assert found.terms("absent") == ("absent",)
        assert len(found.search("absent")) == 0

    def test_a_limit_below_one_finds_nothing(self) -> None:
        assert len(searcher([["alpha"]], WordLane()).search("alpha", limit=0)) == 0

    def test_an_empty_index_answers(self) -> None:
        found = searcher([], WordLane())
        assert len(found.search("alpha")) == 0
        assert found.scores("alpha", np.empty(0, dtype=np.int64)).tolist() == []

    def test_equal_passages_are_ordered_by_row(self) -> None:
        found = searcher([["alpha"]] * 9, WordLane())
        assert found.search("alpha", limit=4).rows.tolist() == [0, 1, 2, 3]
