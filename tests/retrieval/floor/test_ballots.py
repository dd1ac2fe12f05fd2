"""Fitting the weights of the mix to labelled questions."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tether.retrieval.floor.mix import Ballot, fit_weights
from tether.retrieval.search.settings import MixWeights

EVEN = MixWeights(ranks=0.2, words=0.2, grams=0.2, cosine=0.2, judge=0.2)


def ballot(*columns: list[float], pages: list[int], relevant: set[int]) -> Ballot:
    return Ballot.of(
        [np.array(column) for column in columns], np.array(pages, np.int32), frozenset(relevant)
    )


def test_the_gain_is_the_ndcg_of_pages_at_their_best_place() -> None:
    flat = [0.0, 0.0, 0.0, 0.0]
    one = ballot([4.0, 3.0, 2.0, 1.0], flat, flat, flat, flat, pages=[7, 7, 8, 9], relevant={8, 9})
    ideal = 1 + 1 / math.log2(3)
    found = 1 / math.log2(3) + 1 / math.log2(4)
    assert one.gain(np.array([1.0, 0, 0, 0, 0])) == pytest.approx(found / ideal)


def test_pages_that_were_not_found_count_against_the_gain() -> None:
    flat = [0.0, 0.0]
    one = ballot([2.0, 1.0], flat, flat, flat, flat, pages=[1, 2], relevant={1, 5})
    assert one.gain(np.array([1.0, 0, 0, 0, 0])) == pytest.approx(1 / (1 + 1 / math.log2(3)))


def test_weight_moves_to_the_vote_that_is_right() -> None:
    wrong, right, flat = [2.0, 1.0, 0.0], [0.0, 1.0, 2.0], [0.0, 0.0, 0.0]
    ballots = [ballot(wrong, right, flat, flat, flat, pages=[0, 1, 2], relevant={2})] * 3
    start = MixWeights(ranks=0.5, words=0.35, grams=0, cosine=0.15, judge=0)
    fitted = fit_weights(ballots, start)
    assert fitted.words > fitted.ranks
    assert sum((fitted.ranks, fitted.words, fitted.grams, fitted.cosine, fitted.judge)) == (
        pytest.approx(1.0)
    )


def test_where_nothing_helps_the_given_weights_stay() -> None:
    flat = [0.0, 0.0]
    ballots = [ballot([2.0, 1.0], flat, flat, flat, flat, pages=[0, 1], relevant={0})]
    assert fit_weights(ballots, EVEN) == EVEN


def test_a_gain_below_the_caution_is_not_taken() -> None:
    wrong, right, flat = [2.0, 1.0], [1.0, 2.0], [0.0, 0.0]
    good = ballot(right, wrong, flat, flat, flat, pages=[0, 1], relevant={1})
    bad = ballot(wrong, right, flat, flat, flat, pages=[0, 1], relevant={1})
    start = MixWeights(ranks=0.6, words=0.4, grams=0, cosine=0, judge=0)
    assert fit_weights([good] * 50 + [bad] * 51, start, caution=0.01) == start
