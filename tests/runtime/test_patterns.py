"""Patterns from outside: what they find is what `re` finds, and none of them takes long.

Expected values come from Python's `re` where both engines agree on the meaning, and from RE2
itself, asked line by line, where they do not.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
import re2
from hypothesis import assume, given
from hypothesis import strategies as st

from tether.core.errors import InputRefused, LimitExceeded
from tether.runtime.patterns import LONGEST_PATTERN, MOST_WORK, Found, SafePattern

MEGABYTE = 1_000_000


def joined(parts: list[str]) -> str:
    return "".join(parts)


def patterns(atoms: list[str], more: Callable[[Any], Any] | None = None) -> Any:
    """Regular expressions over these atoms."""

    def wider(inner: Any) -> Any:
        return st.one_of(
            st.lists(inner, min_size=2, max_size=3).map(joined),
            st.tuples(inner, inner).map(lambda pair: f"(?:{pair[0]}|{pair[1]})"),
            inner.map(lambda part: f"({part})"),
            st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{0,2}", "{1,}"])).map(
                lambda pair: f"(?:{pair[0]}){pair[1]}"
            ),
            more(inner) if more else st.nothing(),
        )

    return st.recursive(st.sampled_from(atoms), wider, max_leaves=8)


SHARED = ["a", "b", "é", ".", "[ab]", "[^a]", r"\.", r"\d", r"\b", r"\w", "^"]
"""What means the same to `re` with its flag ASCII."""


@given(patterns(SHARED), st.text("abé1. "))
def test_the_first_place_is_where_re_finds_it(pattern: str, text: str) -> None:
    expected = re.compile(pattern, re.ASCII).search(text)
    found = SafePattern(pattern).search(text)
    assert (found and (found.start, found.end, found.text)) == (
        expected and (*expected.span(), expected[0])
    )


@given(patterns(SHARED), st.text("abé1. "))
def test_all_places_are_where_re_finds_them(pattern: str, text: str) -> None:
    expected = [match.span() for match in re.compile(pattern, re.ASCII).finditer(text)]
    assume(all(start < end for start, end in expected))  # empty ones are each engine's own affair
    found = list(SafePattern(pattern).find_all(text))
    assert [(place.start, place.end) for place in found] == expected
    assert all(place.text == text[place.start : place.end] for place in found)


@given(patterns([*SHARED, "$", r"\z", "(?:)"]), st.text("abé1.\n\ud800 "))
def test_places_come_in_order_never_twice_and_never_overlap(pattern: str, text: str) -> None:
    found = [(place.start, place.end) for place in SafePattern(pattern).find_all(text)]
    assert all(before < after and before[1] <= after[0] for before, after in pairwise(found))
    assert all(0 <= start <= end <= len(text) for start, end in found)


def test_an_empty_place_ahead_is_found_once() -> None:
    assert [place.start for place in SafePattern(r"\b").find_all("...b")] == [3, 4]


@given(patterns(SHARED), st.text("abé1. "))
def test_the_whole_of_a_text_matches_where_it_does_for_re(pattern: str, text: str) -> None:
    expected = re.compile(pattern, re.ASCII).fullmatch(text) is not None
    assert SafePattern(pattern).matches_all_of(text) is expected


def test_groups_and_names_come_with_each_place() -> None:
    pattern = SafePattern(r"(?P<name>\w+)=(\d+)?")
    assert list(pattern.find_all("é a=1, b=")) == [
        Found(2, 5, "a=1", ("a", "1"), {"name": "a"}),
        Found(7, 9, "b=", ("b", None), {"name": "b"}),
    ]
    assert pattern.search("a=1") == Found(0, 3, "a=1", (), {})
    assert pattern.search("none") is None


def test_positions_count_characters() -> None:
    # SECURITY 53: characters and not bytes
    assert SafePattern("b").search("éé\U0001f600b") == Found(3, 4, "b", (), {})
    (found,) = SafePattern("(b)").find_all("éé\U0001f600b")
    assert (found.start, found.end) == (3, 4)


def test_lone_surrogates_are_read_as_replacement_characters_and_move_nothing() -> None:
    text = "\ud800b\udfff"
    assert SafePattern("b").search(text) == Found(1, 2, "b", (), {})
    assert SafePattern("\\x{FFFD}").search(text) == Found(0, 1, "\ud800", (), {})
    assert [place.start for place in SafePattern("(.)").find_all(text)] == [0, 1, 2]
    assert SafePattern("...").matches_all_of(text)


@pytest.mark.parametrize(
    ("pattern", "flags", "text", "found"),
    [
        ("A", "", "a", False),
        ("A", "i", "a", True),
        ("É", "i", "é", True),
        ("^b", "", "a\nb", False),
        ("^b", "m", "a\nb", True),
        ("a.b", "", "a\nb", False),
        ("a.b", "s", "a\nb", True),
        ("^A.b$", "imsu", "x\na\nb", True),
        (r"\x{1F600}", "u", "\U0001f600", True),
        ("a|B", "i", "b", True),
        ("a", "iiii", "A", True),
        ("", "", "", True),  # SECURITY 53: the empty pattern
    ],
)
def test_flags_are_letters(pattern: str, flags: str, text: str, found: bool) -> None:
    # CONTRACT 100
    assert (SafePattern(pattern, flags).search(text) is not None) is found


@pytest.mark.parametrize(("flags", "named"), [("g", "g"), ("y", "y"), ("igy", "gy"), ("I", "I")])
def test_any_other_flag_is_refused_by_name(flags: str, named: str) -> None:
    # CONTRACT 100
    with pytest.raises(InputRefused, match=f"unknown flags '{named}'"):
        SafePattern("a", flags)


@pytest.mark.parametrize(
    "pattern",
    [
        r"(a)\1",
        "(?<=a)b",
        "(?<!a)b",
        "a(?=b)",
        "a(?!b)",
        "(?>a)",
        "a++",
        "(?P<x>",
        "(",
        "[a",
        "*",
        "a{1001}",
        r"\p{L}{1000}",
        "((a{100}){100}){100}",
        "\\",
    ],
)
def test_what_re2_lacks_is_refused_with_the_reason_and_a_way_out(pattern: str) -> None:
    # SECURITY 53
    with pytest.raises(InputRefused) as refused:
        SafePattern(pattern)
    assert repr(pattern) in refused.value.message
    assert "no look-ahead or look-behind" in refused.value.message


def test_a_pattern_that_is_too_long_is_refused_by_its_length() -> None:
    assert SafePattern("a" * LONGEST_PATTERN).matches_all_of("a" * LONGEST_PATTERN)
    with pytest.raises(LimitExceeded, match="513 characters; at most 512"):
        SafePattern("a" * (LONGEST_PATTERN + 1))
    with pytest.raises(LimitExceeded, match="10000000 characters"):
        SafePattern("a" * 10_000_000)


def test_a_pattern_too_large_for_many_lines_at_once_is_refused_as_any_other() -> None:
    largest = next(
        count for count in range(470, 400, -1) if _is_accepted(rf"\PL{{{count}}}")
    )  # the last that fits into the memory it may take; with lines kept apart it takes more
    with pytest.raises(InputRefused, match="too large"):
        list(SafePattern(rf"\PL{{{largest}}}").lines_in(b"1\n2"))


def _is_accepted(pattern: str) -> bool:
    try:
        SafePattern(pattern)
    except InputRefused:
        return False
    return True


HOSTILE = [r"(a+)+$", r"(a|aa)+$", r"(.*a){25}", r"^(([a-z])+.)+[A-Z]([a-z])+$"]


@pytest.mark.parametrize("pattern", HOSTILE)
def test_patterns_that_take_re_for_ever_are_answered_on_a_megabyte(pattern: str) -> None:
    # SECURITY 52: the test's own time-out is the only clock
    text = "a" * MEGABYTE + "!"
    safe = SafePattern(pattern)
    assert (safe.search(text) is not None) is (pattern == HOSTILE[2])
    assert safe.matches_all_of(text) is False
    assert len(list(safe.lines_in(text.encode()))) == (pattern == HOSTILE[2])
    with pytest.raises(LimitExceeded, match=r"Write \(\?:…\) for groups you do not need"):
        list(safe.find_all(text * 5))


def test_following_groups_is_limited_and_without_groups_is_not() -> None:
    text = "ab" * 100_000
    # three letters and their options for each repetition: the program grows with it
    grouped, plain = SafePattern("(?:(ab?)){200}"), SafePattern("(?:ab?){200}")
    assert len(text) * 200 > MOST_WORK
    with pytest.raises(LimitExceeded):
        next(grouped.find_all(text))
    assert next(plain.find_all(text)).end == 400
    assert next(grouped.find_all(text[:1_000])).end == 400


def test_a_pattern_shows_itself() -> None:
    assert repr(SafePattern("a", "im")) == "SafePattern('(?im)a')"


def test_nul_is_left_out_of_a_pattern() -> None:
    assert SafePattern("a\x00b").matches_all_of("ab")


LINES = [
    *SHARED,
    "$",
    r"\A",
    r"\z",
    r"\B",
    r"\C",
    r"\n",
    "\n",
    r"\s",
    r"\S",
    r"\W",
    r"[\s\S]",
    r"[^b\n]",
    r"[[:space:]]",
    r"[[:^alpha:]]",
    r"\PL",
    r"\x{0A}",
    r"\012",
    r"\x00",
    r"\x{FFFD}",
    r"[^\x00-\x{10FFFF}]",
    r"\Q\A\E",
    r"\\A",
    "\r",
    "(?:)",
    "(?i)",
    "(?s)",
    "(?m)",
    "(?-m)",
    "(?U)",
    "\u017f",
]
FLAGGED = ["i", "s", "m", "-m", "-s", "i-m", "ms", "U"]
BITS = [
    *(character.encode() for character in "ab\n\n\n\r 1.\\\x00é\u03b1K\u017f\ufffd\U0001f600"),
    b"\xff",
    b"\xe2\x82",
    b"\xed\xa0\x80",
    b"\xc0\x80",
    b"\xf4\x90\x80\x80",
]


def flagged(inner: Any) -> Any:
    return st.tuples(st.sampled_from(FLAGGED), inner).map(lambda pair: f"(?{pair[0]}:{pair[1]})")


def by_line(pattern: str, flags: str, block: bytes) -> list[str]:
    """What a reader of single lines would find, with RE2 itself."""
    prefix = joined([f"(?{flag})" for flag in flags if flag != "u"])
    compiled = re2.compile(prefix + pattern)
    lines = block.decode(errors="replace").split("\n")
    return [line for line in lines if compiled.search(line)]


@given(
    patterns(LINES, flagged),
    st.lists(st.sampled_from("imsu"), unique=True).map(joined),
    st.lists(st.sampled_from(BITS), max_size=16).map(b"".join),
)
def test_a_block_of_lines_gives_the_lines_that_would_be_found_one_by_one(
    pattern: str, flags: str, block: bytes
) -> None:
    # SECURITY 53: bytes that are no UTF-8; CONTRACT 96, 100
    try:
        safe = SafePattern(pattern, flags)
    except InputRefused:
        assume(False)
        raise
    found = list(safe.lines_in(block))
    assert found == by_line(pattern, flags, block)
    assert list(safe.lines_in(block)) == found


@pytest.mark.parametrize(
    ("pattern", "flags", "lines"),
    [
        (r"\Ab", "", ["b"]),
        (r"b\z", "", ["ab", "b"]),
        (r"(?-m:^)b", "", ["b"]),
        (r"^b$", "m", ["b"]),
        (r"(?-m)^b", "m", ["b"]),
        (r"a\nb", "s", []),
        (r"a[^x]b", "s", []),
        ("", "", ["ab", "b", "é", ""]),
        ("^$", "", [""]),
        (".", "s", ["ab", "b", "é"]),
    ],
)
def test_each_line_is_a_text_of_its_own(pattern: str, flags: str, lines: list[str]) -> None:
    assert list(SafePattern(pattern, flags).lines_in("ab\nb\né\n".encode())) == lines


@pytest.mark.parametrize("pattern", [r"\C", r"a\\\C", r"[a]\C+"])
def test_single_bytes_are_refused(pattern: str) -> None:
    with pytest.raises(InputRefused, match="single byte"):
        SafePattern(pattern)


def test_an_escaped_backslash_before_a_letter_is_no_single_byte() -> None:
    assert SafePattern(r"\\C").search(r"a\C") is not None


def test_many_matches_in_a_long_text_are_bounded_work() -> None:
    # Each search looks ahead to the end for a b that never comes.
    with pytest.raises(LimitExceeded, match="too often"):
        list(SafePattern("a.*b|a").find_all("a" * 200_000))
