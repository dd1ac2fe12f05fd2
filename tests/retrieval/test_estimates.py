"""What a text costs: exact for what people write, and never too little."""

from __future__ import annotations

import functools
import importlib

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from tether.core.bpe import load_encoding
from tether.core.tokens import register_estimator, unregister_estimator
from tether.retrieval.chunking.chunker import ChunkSettings
from tether.retrieval.estimates import token_estimator

ESTIMATE = token_estimator("cl100k_base")
RUNS = ["a", "Ab1", "é", "漢", "e\u0301", "👨\u200d👩", "-=", " ", "\n", "🇩🇪", "ไท", "\u0301", "_"]


@functools.cache
def oracle() -> tiktoken.Encoding:
    """Return tiktoken with the published pattern and our ranks, which are proven elsewhere."""
    definitions = importlib.import_module("tiktoken_ext.openai_public")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(definitions, "load_tiktoken_bpe", lambda *_, **__: {})
        pattern = definitions.cl100k_base()["pat_str"]
    return tiktoken.Encoding(
        "cl100k_base",
        pat_str=pattern,
        mergeable_ranks=dict(load_encoding("cl100k_base").ranks),
        special_tokens={},
    )


def exact(text: str) -> int:
    return len(oracle().encode_ordinary(text))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The quick brown fox jumps over the lazy dog. " * 20,
        "Ein Satz über Größe und Maß. " * 20,
        "漢字と仮名の文です。短い文が続きます。" * 20,
        "| name | use |\n|------|-----|\n| x    | y   |\n" * 10,
        "def f(x):\n    return x + 1\n" * 20,
        "-" * 256 + " and " + "a" * 256,
    ],
)
def test_what_people_write_is_counted_exactly(text: str) -> None:
    assert ESTIMATE(text) == exact(text)


@pytest.mark.parametrize("run", RUNS)
def test_a_long_run_never_counts_too_little(run: str) -> None:
    text = "before " + run * 300 + " after"
    assert ESTIMATE(text) >= exact(text)


@given(st.lists(st.tuples(st.sampled_from(RUNS), st.integers(1, 300)), max_size=6))
def test_no_mixture_of_runs_counts_too_little(runs: list[tuple[str, int]]) -> None:
    text = "".join(run * times for run, times in runs)
    assert ESTIMATE(text) >= exact(text)


def test_a_long_run_counts_its_bytes() -> None:
    assert ESTIMATE("a" * 257) == 257 + 1
    assert ESTIMATE("漢" * 65) == 3 * 65 + 1


def test_characters_are_counted_in_the_character_mode() -> None:
    assert ChunkSettings(unit="characters").estimator("漢字 ab") == 5


def test_another_encoding_can_be_registered() -> None:
    register_estimator("words-of-test", lambda text: len(text.split()))
    try:
        assert ChunkSettings(encoding="words-of-test").estimator("one two three") == 3
    finally:
        unregister_estimator("words-of-test")
