"""Counting tokens: exact, estimated, registered and unknown encodings."""

from __future__ import annotations

import copy
import json
import math
import pickle
import warnings
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.core.bpe import ENCODING_NAMES, load_encoding
from tether.core.errors import TokenEstimatorShadowsBuiltin
from tether.core.tokens import (
    TokenCount,
    UnknownEncodingWarning,
    builtin_encodings,
    count_tokens,
    register_estimator,
    unregister_estimator,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

BYTES_PER_TOKEN = {"bytes": 1, "claude": 3.5, "gemini": 3.5, "gemma": 3.5, "llama2": 2.5}


@pytest.fixture
def custom() -> Iterator[str]:
    """A name that no other test registers, and that is forgotten afterwards."""
    name = "custom-encoding"
    yield name
    unregister_estimator(name)


@pytest.mark.parametrize("name", sorted(ENCODING_NAMES))
def test_public_encodings_are_counted_exactly(name: str) -> None:
    text = (
        "Don't estimate what can be counted: 12345 \u00fcber \u4f60\u597d \U0001f600 <|endoftext|>"
    )
    count = count_tokens(text, name)
    assert count == len(load_encoding(name).encode(text))
    assert count.encoding == name
    assert count.estimated is False


@pytest.mark.parametrize(("name", "ratio"), BYTES_PER_TOKEN.items())
@given(text=st.text())
def test_heuristics_divide_utf8_bytes_and_round_up(name: str, ratio: float, text: str) -> None:
    count = count_tokens(text, name)
    assert count == math.ceil(len(text.encode()) / ratio)
    assert count.encoding == name
    assert count.estimated is True


def test_thirty_five_ascii_characters_are_ten_claude_tokens() -> None:
    assert count_tokens("x" * 35, "claude") == 10
    assert count_tokens("x" * 36, "claude") == 11


def test_heuristics_count_lone_surrogates_without_raising() -> None:
    assert count_tokens("\ud800\udfff", "llama2") == 3


@pytest.mark.parametrize("name", builtin_encodings())
def test_empty_text_is_no_tokens_in_any_builtin_encoding(name: str) -> None:
    assert count_tokens("", name) == 0


def test_empty_text_is_no_tokens_in_a_registered_encoding(custom: str) -> None:
    register_estimator(custom, lambda text: len(text) + 7)
    assert count_tokens("", custom) == 0
    assert count_tokens("a", custom) == 8


def test_an_unknown_encoding_counts_characters_and_warns_once_where_it_was_counted() -> None:
    with pytest.warns(UnknownEncodingWarning, match="register_estimator") as caught:
        count = count_tokens("\u00fcber", "unknown-encoding")
    assert (count, count.encoding, count.estimated) == (4, "unknown-encoding", True)
    assert [warning.filename for warning in caught] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert count_tokens("", "unknown-encoding") == 0
    with pytest.warns(UnknownEncodingWarning, match="another-unknown-encoding"):
        count_tokens("", "another-unknown-encoding")


def test_a_registered_estimator_counts_and_says_whether_it_is_exact(custom: str) -> None:
    register_estimator(custom, len)
    assert repr(count_tokens("abc", custom)) == (
        "TokenCount(3, encoding='custom-encoding', estimated=True)"
    )
    register_estimator(custom, lambda text: 2 * len(text), estimated=False)
    assert repr(count_tokens("abc", custom)) == (
        "TokenCount(6, encoding='custom-encoding', estimated=False)"
    )


def test_an_unregistered_estimator_is_forgotten_and_forgetting_twice_is_harmless() -> None:
    register_estimator("short-lived", len)
    assert count_tokens("abc", "short-lived") == 3
    unregister_estimator("short-lived")
    unregister_estimator("short-lived")
    with pytest.warns(UnknownEncodingWarning):
        count_tokens("abc", "short-lived")


@pytest.mark.parametrize("name", builtin_encodings())
def test_builtin_names_cannot_be_registered_or_forgotten(name: str) -> None:
    with pytest.raises(TokenEstimatorShadowsBuiltin, match=name):
        register_estimator(name, len)
    before = count_tokens("some text", name)
    unregister_estimator(name)
    assert count_tokens("some text", name) == before


@pytest.mark.parametrize("answer", [-1, 1.0, "3", None, True])
def test_an_estimator_that_returns_no_count_is_named_in_the_error(
    answer: object, custom: str
) -> None:
    def estimator(text: str) -> int:
        return answer  # type: ignore[return-value]  # pyright: ignore[reportReturnType]

    register_estimator(custom, estimator)
    with pytest.raises(ValueError, match=f"{custom}.*{answer!r}"):
        count_tokens("text", custom)


def test_an_estimator_may_answer_with_the_count_of_another_encoding(custom: str) -> None:
    register_estimator(custom, lambda text: count_tokens(text, "o200k_base"))
    assert count_tokens("hello world", custom).encoding == custom


def test_builtin_encodings_are_the_exact_and_the_estimated_ones_in_order() -> None:
    assert builtin_encodings() == tuple(sorted([*ENCODING_NAMES, *BYTES_PER_TOKEN]))


def test_a_token_count_behaves_as_an_int() -> None:
    count = TokenCount(12, encoding="claude", estimated=True)
    assert count == 12
    assert hash(count) == hash(12)
    assert f"{count} {count:>4} {count!s}" == "12   12 12"
    assert json.dumps({"tokens": count}) == '{"tokens": 12}'
    assert type(count + 1) is int


@pytest.mark.parametrize("attribute", ["encoding", "estimated"])
def test_what_a_token_count_carries_is_read_only(attribute: str) -> None:
    count = TokenCount(12, encoding="claude", estimated=True)
    with pytest.raises(AttributeError):
        setattr(count, attribute, "other")


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_token_count_survives_pickling(protocol: int) -> None:
    count = TokenCount(12, encoding="claude", estimated=True)
    restored = pickle.loads(pickle.dumps(count, protocol))
    assert repr(restored) == repr(count)
    assert type(restored) is TokenCount


def test_a_token_count_survives_copying() -> None:
    count = TokenCount(12, encoding="claude", estimated=True)
    assert repr(copy.copy(count)) == repr(count)
    assert repr(copy.deepcopy(count)) == repr(count)
