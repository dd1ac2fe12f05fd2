"""The words one or two edits away, against distances that are computed the slow way."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tether.retrieval.lexical.edits import MISSING, SLIP, WRONG, one_edit, two_slips

WORDS = st.text(alphabet="abcefhpt", min_size=1, max_size=4)


@cache
def distance(one: str, other: str) -> int:
    """Return the edits between two words, a swap of neighbours counted once."""
    if not one or not other:
        return len(one) + len(other)
    found = [
        distance(one[1:], other) + 1,
        distance(one, other[1:]) + 1,
        distance(one[1:], other[1:]) + (one[0] != other[0]),
    ]
    if one[:2] == other[1::-1] and len(one) > 1 < len(other):
        found.append(distance(one[2:], other[2:]) + 1)
    return min(found)


@pytest.mark.parametrize(
    ("typed", "meant", "cost"),
    [
        ("contianer", "container", SLIP),
        ("ocntainer", "container", SLIP),
        ("adress", "address", SLIP),
        ("dissable", "disable", SLIP),
        ("servces", "services", MISSING),
        ("nable", "enable", MISSING),
        ("fone", "phone", MISSING),
        ("phile", "file", MISSING),
        ("kernal", "kernel", WRONG),
        ("tempfs", "tmpfs", WRONG),
    ],
)
def test_slips_are_nearer_than_other_letters(typed: str, meant: str, cost: int) -> None:
    assert one_edit(typed)[meant] == cost


@settings(max_examples=20)
@given(WORDS)
def test_one_edit_reaches_words_at_distance_one(word: str) -> None:
    near = one_edit(word)
    assert word not in near
    sounds = {word[:at] + "ph" + word[at + 1 :] for at in range(len(word)) if word[at] == "f"}
    sounds |= {
        word[:at] + "f" + word[at + 2 :] for at in range(len(word)) if word[at:].startswith("ph")
    }
    assert all(distance(word, other) == 1 for other in near if other not in sounds)
    assert sounds <= near.keys()


@given(WORDS, st.data())
def test_every_edit_behind_the_first_letter_is_reached(word: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(1, len(word)))
    letter = data.draw(st.sampled_from("abcxyz"))
    edited = {
        word[:place] + letter + word[place:],
        word[:place] + letter + word[place + 1 :],
        word[:place] + word[place + 1 :],
    }
    assert edited - {word} <= one_edit(word).keys()


def test_the_first_letter_is_not_another() -> None:
    assert "thread" not in one_edit("bhread")
    assert "filing" not in one_edit("piling")
    assert "iling" not in one_edit("piling")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("authentification", "authentication"), ("comitee", "committee"), ("verisoon", "version")],
)
def test_two_slips(typed: str, meant: str) -> None:
    assert meant not in one_edit(typed)
    assert meant in two_slips(typed)
    assert typed not in two_slips(typed)
