"""Terms are found by their spelling, also where hashes collide."""

from __future__ import annotations

import pytest

from tether.retrieval.lexical import postings as vocabulary
from tether.retrieval.lexical.lanes import WordParts
from tether.retrieval.lexical.postings import Vocabulary, vocabulary_arrays

TERMS = ["pod", "node", "天気", "", "\ud800", "pods"]


@pytest.mark.parametrize("collide", [False, True], ids=["hashed", "colliding"])
def test_terms_have_the_numbers_of_their_order(
    collide: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if collide:
        monkeypatch.setattr(vocabulary, "_hash", len)
    arrays, ordered = vocabulary_arrays(TERMS)
    found = Vocabulary(arrays)
    assert sorted(ordered) == sorted(TERMS)
    assert list(found) == ordered
    assert found.numbers(ordered) == list(range(len(TERMS)))
    assert found.numbers(["nodes", "nod", "absent", "xyz"]) == [-1] * 4


def test_no_terms_are_a_vocabulary_too() -> None:
    found = Vocabulary(vocabulary_arrays([])[0])
    assert list(found) == []
    assert found.numbers(["pod"]) == [-1]


def test_what_the_pieces_do_not_cover_stays_in_one_piece() -> None:
    assert WordParts("ku ##be").parts("kubelet") == ("ku", "##be", "##let", "~kblt")
    assert WordParts("x").parts("pod") == ("pod",)
    assert WordParts("x").fingerprint != WordParts("y").fingerprint
