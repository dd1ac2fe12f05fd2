"""The tokens of a text, beside those that the package `tokenizers` finds."""

from __future__ import annotations

import tracemalloc
import unicodedata
from functools import cache
from importlib.resources import files
from pathlib import Path
from string import punctuation

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

from tether.retrieval.dense import word_pieces
from tether.retrieval.dense.word_pieces import WordPieces, read_vocabulary
from tether.retrieval.errors import EmbeddingFailed, InvalidRetrievalSettings

VOCABULARY = Path(str(files("tether.retrieval").joinpath("models", "vocab.txt")))
TINY = ["[UNK]", "[CLS]", "[SEP]", "un", "##able", "##a", "##ble", "able", "to", ",", "日"]
DOCUMENTS = sorted(Path(__file__).parents[3].glob("docs/**/*.md"))


@cache
def vocabulary() -> list[str]:
    return read_vocabulary(VOCABULARY, EmbeddingFailed)


@cache
def ours() -> WordPieces:
    return WordPieces(vocabulary())


@cache
def theirs() -> Tokenizer:
    """The same model without special tokens, which they would read out of the text."""
    numbers = {token: number for number, token in enumerate(vocabulary())}
    tokenizer = Tokenizer(WordPiece(numbers, unk_token="[UNK]", max_input_chars_per_word=100))
    normalizer = BertNormalizer(
        clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=True
    )
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = BertPreTokenizer()
    return tokenizer


def is_settled(character: str) -> bool:
    """Whether the character means the same in every edition of Unicode.

    Their tables are of an older edition than Python's.
    """
    now = unicodedata.category(character)
    return now not in ("Cs", "Cn") and unicodedata.ucd_3_2_0.category(character) == now


@cache
def settled() -> list[str]:
    return [chr(code) for code in range(0x30000) if is_settled(chr(code))]


TEXTS = st.deferred(
    lambda: st.text(
        st.one_of(st.sampled_from(settled()), st.sampled_from("aeioußÉçñ .,-_#[]'\t\n"))
    )
)


@given(TEXTS)
@example("Σίσυφος ΟΔΟΣ İstanbul ﬁne Ⅻ ½")
@example("日本語 한국어 ไทย हिन्दी 豈")
@example("a\u0301e\u0308 \u200bzero\u00adwidth\ufffd\x00\x07")
@example("[CLS] kubectl get pods -n kube-system [SEP][MASK]")
@example("x" * 100 + " " + "x" * 101)
def test_tokens_are_those_of_the_other_implementation(text: str) -> None:
    assert ours().ids(text) == theirs().encode(text).ids


@pytest.mark.unmeasured
def test_every_settled_character_is_read_as_the_other_implementation_reads_it() -> None:
    step = 512
    for start in range(0, len(settled()), step):
        text = "".join(f"a{character}b " for character in settled()[start : start + step])
        assert ours().ids(text) == theirs().encode(text).ids


def test_whole_documents_have_the_tokens_of_the_other_implementation() -> None:
    for path in DOCUMENTS:
        text = path.read_text(encoding="utf-8")
        assert ours().ids(text) == theirs().encode(text).ids


def test_words_are_cut_into_the_longest_pieces_from_the_left() -> None:
    words = WordPieces(TINY)
    assert words.ids("Unable") == [3, 4]
    assert words.ids("UNÁBLE, to") == [3, 4, 9, 8]
    assert words.ids("unabl") == [0], "a word that cannot be finished is unknown as a whole"
    assert words.ids("to日to") == [8, 10, 8]


def test_a_text_cannot_smuggle_in_a_separator() -> None:
    words = WordPieces([*TINY, "[", "]", "sep"])
    assert words.ids("to [SEP] able") == [8, 11, 13, 12, 7]


def test_lone_surrogates_are_passed_over() -> None:
    assert ours().ids("pods\ud800 and\udfff nodes") == ours().ids("pods and nodes")


def test_a_single_text_is_cut_at_its_end() -> None:
    words = WordPieces(TINY)
    assert words.single("to to able", most=8) == ([1, 8, 8, 7, 2], [0] * 5)
    assert words.single("to to able", most=4) == ([1, 8, 8, 2], [0] * 4)
    assert words.single("", most=4) == ([1, 2], [0, 0])


def test_of_a_pair_the_second_is_cut_and_the_first_only_beyond_its_cap() -> None:
    words = WordPieces(TINY)
    whole = words.pair("able", "to to to", most=12, most_first=4)
    assert whole == ([1, 7, 2, 8, 8, 8, 2], [0, 0, 0, 1, 1, 1, 1])
    assert words.pair("able", "to to to", most=6, most_first=4).ids == [1, 7, 2, 8, 8, 2]
    assert words.pair("able able", "to to", most=6, most_first=1).ids == [1, 7, 2, 8, 8, 2]


@given(TEXTS, TEXTS, st.integers(20, 40), st.integers(1, 12))
def test_a_pair_is_never_longer_than_allowed(
    first: str, second: str, most: int, most_first: int
) -> None:
    ids, types = ours().pair(first, second, most=most, most_first=most_first)
    head = types.index(1)
    assert len(ids) == len(types) <= most
    assert ids[1 : head - 1] == ours().ids(first)[:most_first]
    assert ids[head:-1] == ours().ids(second)[: most - head - 1]


def test_what_is_remembered_stays_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_pieces, "MOST_REMEMBERED", 4)
    monkeypatch.setattr(word_pieces, "MOST_CHARACTERS", 4)
    table, words = word_pieces.UncasedCharacters(), WordPieces(vocabulary())
    text = "many different words, and each of them again: many different words"
    assert words.ids(text) == words.ids(text) == ours().ids(text)
    assert "Áccénts and more".translate(table) == "accents and more"
    assert len(table) == 4


def test_every_printable_sign_of_ascii_is_a_word_of_its_own() -> None:
    assert all(ours().ids(f"a{sign}b")[1:-1] == ours().ids(sign) for sign in punctuation)


def test_a_vocabulary_without_special_tokens_is_refused() -> None:
    with pytest.raises(InvalidRetrievalSettings, match=r"\[SEP\], \[UNK\]"):
        WordPieces(["[CLS]", "word"])


def test_a_vocabulary_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingFailed, match=r"gone\.txt"):
        read_vocabulary(tmp_path / "gone.txt", EmbeddingFailed)
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9\n")
    with pytest.raises(EmbeddingFailed, match=r"latin\.txt"):
        read_vocabulary(tmp_path / "latin.txt", EmbeddingFailed)


def test_words_that_are_no_words_are_not_remembered() -> None:
    pieces = WordPieces(vocabulary())
    tracemalloc.start()
    try:
        for number in range(30):
            assert len(pieces.ids(f"{number}" + "x" * 100_000)) == 1
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 1_000_000
