"""Numbers in prose: the same number in digits, in words and with a scale."""

from __future__ import annotations

import pytest

from tether.text.numbers import counted, numbers_in, with_digits, with_units_apart


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1,000 or 1 thousand or one thousand", {"1000"}),
        ("twenty-five and forty two", {"25", "42"}),
        ("3.5 at 10:30", {"3.5", "10:30"}),
        ("2 million", {"2000000"}),
        ("3.5 million", {"3.5"}),
        (f"{'9' * 30} thousand", {"9" * 30}),
        ("Someone tends to it", set[str]()),
    ],
)
def test_a_number_is_read_in_any_form(text: str, numbers: set[str]) -> None:
    stated, held = numbers_in(text)
    assert set(stated) == set(held) == numbers


def test_a_lone_one_is_held_and_not_stated() -> None:
    stated, held = numbers_in("one of the 3")
    assert (set(stated), set(held)) == ({"3"}, {"1", "3"})


def test_number_words_become_digits_and_other_numbers_stay() -> None:
    text = "One second, thirty-five or two thousand, 3.5 million and 1,000"
    assert with_digits(text) == "1 second, 35 or 2000, 3.5 million and 1,000"


def test_units_are_set_apart_from_their_numbers() -> None:
    assert with_units_apart("5ms, 2.5GB, v1s and 3s") == "5 ms, 2.5 GB, v1s and 3 s"


@pytest.mark.parametrize(
    ("number", "noun", "text"),
    [
        (0, "page", "0 pages"),
        (1, "page", "1 page"),
        (2, "page", "2 pages"),
        (1, "memory", "1 memory"),
        (3, "memory", "3 memories"),
    ],
)
def test_a_counted_noun_is_plural_unless_there_is_one(number: int, noun: str, text: str) -> None:
    assert counted(number, noun) == text
