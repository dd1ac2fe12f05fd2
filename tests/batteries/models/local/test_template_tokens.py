"""Template tokens are gone from a model's text, however it was cut into pieces (1.4)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.batteries.models.local.executor import (
    TEMPLATE_TOKENS,
    TokenStripper,
    strip_template_tokens,
)

PIECES = [token[begin:end] for token in TEMPLATE_TOKENS for begin in (0, 1) for end in range(2, 12)]
TEXTS = st.lists(
    st.one_of(
        st.sampled_from(TEMPLATE_TOKENS), st.sampled_from(PIECES), st.text("<|s>/im_ a", max_size=3)
    ),
    max_size=8,
)


@pytest.mark.parametrize(
    "token",
    [
        *("<|python_tag|>", "<|eom_id|>", "<|eot_id|>", "<|im_start|>", "<|im_end|>"),
        *("<|begin_of_text|>", "<|end_of_text|>", "<|start_header_id|>", "<|end_header_id|>"),
        *("<s>", "</s>", "<start_of_turn>", "<end_of_turn>", "<eos>", "<bos>", "<pad>"),
    ],
)
def test_the_tokens_of_the_contract_are_removed(token: str) -> None:
    assert strip_template_tokens(f"a{token}b{token}") == "ab"


@pytest.mark.parametrize(
    "kept", ["<think>", "</think>", "<tool_call>", "[TOOL_CALLS]", "a < b > c"]
)
def test_what_a_parser_or_a_reader_needs_stays(kept: str) -> None:
    assert strip_template_tokens(kept) == kept


def test_removing_one_token_does_not_make_another() -> None:
    assert strip_template_tokens("a<|im_<|im_end|>end|>b<</s>s>") == "ab"


@given(TEXTS)
def test_pieces_give_what_the_whole_gives(pieces: list[str]) -> None:
    stripper = TokenStripper()
    shown = "".join(stripper.feed(piece) for piece in pieces) + stripper.finish()
    assert shown == strip_template_tokens("".join(pieces))


@given(TEXTS)
def test_nothing_shown_ever_holds_a_token(pieces: list[str]) -> None:
    stripper, shown = TokenStripper(), ""
    for piece in pieces:
        shown += stripper.feed(piece)
        assert not any(token in shown for token in TEMPLATE_TOKENS)


def test_a_piece_that_begins_no_token_is_shown_at_once() -> None:
    stripper = TokenStripper()
    assert stripper.feed("one ") == "one "
    assert stripper.feed("two <|im") == "two "
    assert stripper.feed("age|>") == "<|image|>"
    assert stripper.finish() == ""
