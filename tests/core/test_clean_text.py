"""Text on its way in: always encodable, never changed where nothing is wrong."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.core.clean_text import REPLACEMENT, clean_text

# Dense in the characters that matter: NUL, both halves of pairs, the letters around them.
awkward_text = st.text(
    st.sampled_from("a\x00\ud800\ud83d\udbff\udc00\ude00\udfff\u00e9\ufeff\U0001f600")
)
any_text = st.text(st.characters()) | awkward_text


def is_high(character: str) -> bool:
    return "\ud800" <= character <= "\udbff"


def is_low(character: str) -> bool:
    return "\udc00" <= character <= "\udfff"


def naive_clean(text: str) -> str:
    """Character by character, from the definition of UTF-16."""
    cleaned: list[str] = []
    position = 0
    while position < len(text):
        here, after = text[position], text[position + 1 : position + 2]
        if is_high(here) and is_low(after):
            cleaned.append(chr(0x10000 + (ord(here) - 0xD800) * 0x400 + ord(after) - 0xDC00))
            position += 1
        elif is_high(here) or is_low(here):
            cleaned.append("\ufffd")
        elif here != "\x00":
            cleaned.append(here)
        position += 1
    return "".join(cleaned)


@given(any_text)
def test_the_result_always_encodes_and_holds_no_nul(text: str) -> None:
    cleaned = clean_text(text)
    assert cleaned.encode("utf-8").decode("utf-8") == cleaned
    assert "\x00" not in cleaned


@given(any_text)
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    once = clean_text(text)
    assert clean_text(once) is once


@given(any_text)
def test_cleaning_agrees_with_a_naive_reading_of_utf_16(text: str) -> None:
    assert clean_text(text) == naive_clean(text)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")))
def test_clean_text_is_returned_as_the_same_object(text: str) -> None:
    assert clean_text(text) is text


def test_a_surrogate_pair_becomes_the_character_it_means() -> None:
    assert clean_text("x\ud83d\ude00y") == "x\U0001f600y"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\ud83d", REPLACEMENT),
        ("b\ude00", f"b{REPLACEMENT}"),
        ("a\ud83db", f"a{REPLACEMENT}b"),
        ("\ude00\ud83d", REPLACEMENT * 2),
        ("\ud83d\ud83d\ude00", f"{REPLACEMENT}\U0001f600"),
        ("\ud83d\x00\ude00", REPLACEMENT * 2),
    ],
)
def test_a_lone_surrogate_becomes_the_replacement_character(text: str, expected: str) -> None:
    assert clean_text(text) == expected


def test_the_replacement_character_is_the_one_of_unicode() -> None:
    assert REPLACEMENT == "\N{REPLACEMENT CHARACTER}"


@pytest.mark.parametrize("text", ["a\x00b", "\u00e9\x00\u00e9", "\x00", "\x00\x00"])
def test_nul_is_dropped(text: str) -> None:
    assert clean_text(text) == "".join(letter for letter in text if letter != "\x00")


def test_a_byte_order_mark_is_kept() -> None:
    assert clean_text("\ufeffa\ud800") == f"\ufeffa{REPLACEMENT}"
