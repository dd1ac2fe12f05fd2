from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.retrieval.sources.names import readable


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (b"guide/intro.md", "guide/intro.md"),
        ("é中.md".encode(), "é中.md"),
        (b"a\nb.md", "a\\nb.md"),
        (b"\xff.md", "\\xff.md"),
        (b"\\xff.md", "\\\\xff.md"),
        ("a\u202egpj.md".encode(), "a\\u202egpj.md"),
        ("a\u2028b".encode(), "a\\u2028b"),
        (b"\x1b[31m", "\\x1b[31m"),
        ("ک\u200cگ.md".encode(), "ک\u200cگ.md"),
        (b"\xed\xa0\x80", "\\xed\\xa0\\x80"),
    ],
)
def test_a_name_as_a_person_can_read_it(name: bytes, expected: str) -> None:
    assert readable(name) == expected


@given(st.binary(max_size=20), st.binary(max_size=20))
def test_different_names_have_different_keys(one: bytes, other: bytes) -> None:
    assert (readable(one) == readable(other)) is (one == other)


@given(st.binary())
def test_a_key_can_be_stored_and_shown(name: bytes) -> None:
    key = readable(name)
    key.encode()
    assert not any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in key)


def test_both_forms_of_an_accent_stay_apart() -> None:
    assert readable("é.md".encode()) != readable(b"e\xcc\x81.md")
