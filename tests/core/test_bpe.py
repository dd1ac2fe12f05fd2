"""The byte-pair encoder against an independent one: tiktoken, which is written in Rust.

The oracle is built from our ranks and tiktoken's own patterns, so nothing is downloaded. That our
ranks are the published ones is proven apart, by the checksums that tiktoken carries.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import importlib
import importlib.util
import json
import pkgutil
import subprocess
import sys
import unicodedata
import zlib
from pathlib import Path
from typing import Any

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

from tether.core.bpe import ENCODING_NAMES, BytePairEncoding, load_encoding

NAMES = sorted(ENCODING_NAMES)
ONE_OF_EACH_VOCABULARY = ["r50k_base", "p50k_base", "cl100k_base", "o200k_base"]
ONE_OF_EACH_PATTERN = ["r50k_base", "cl100k_base", "o200k_base"]
SINGLE_BYTES = {bytes([byte]): byte for byte in range(256)}
SCRIPT = Path(__file__).parents[2] / "scripts" / "build_vocabularies.py"


def published(name: str) -> dict[str, Any]:
    """Return how tiktoken defines an encoding, with checksums in the place of downloaded ranks."""

    def checksums(*_: object, **options: str) -> dict[str, str]:
        return options

    definitions = importlib.import_module("tiktoken_ext.openai_public")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(definitions, "load_tiktoken_bpe", checksums)
        patch.setattr(definitions, "data_gym_to_mergeable_bpe_ranks", checksums)
        definition: dict[str, Any] = definitions.ENCODING_CONSTRUCTORS[name]()
    return definition


@functools.cache
def oracle(name: str) -> tiktoken.Encoding:
    return tiktoken.Encoding(
        name,
        pat_str=published(name)["pat_str"],
        mergeable_ranks=dict(load_encoding(name).ranks),
        special_tokens={},
    )


@functools.cache
def characters_known_to_both() -> frozenset[str]:
    """Return every character that is assigned in Python's Unicode and in that of the oracle.

    The oracle carries Unicode 16.0, Python 3.11 carries 14.0, and a later Python may be ahead. For
    what only one of them knows the two may disagree, which `tether.core.bpe` documents. Among the
    characters that both know, there is no disagreement to make room for.
    """
    assigned = tiktoken.Encoding(
        "assigned", pat_str=r"\P{Cn}", mergeable_ranks=SINGLE_BYTES, special_tokens={}
    )
    known = (chr(code) for code in range(sys.maxunicode + 1))
    known_here = (char for char in known if unicodedata.category(char) not in {"Cn", "Cs"})
    return frozenset(bytes(assigned.encode_ordinary("".join(known_here))).decode())


def tiktoken_lines(ranks: dict[bytes, int]) -> bytes:
    ordered = sorted(ranks.items(), key=lambda entry: entry[1])
    return b"".join(b"%s %d\n" % (base64.b64encode(token), rank) for token, rank in ordered)


@functools.cache
def builder() -> Any:
    specification = importlib.util.spec_from_file_location("build_vocabularies", SCRIPT)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def assert_equal_to_oracle(encoding: BytePairEncoding, text: str) -> None:
    expected = oracle(encoding.name).encode_ordinary(text)
    assert encoding.encode(text) == expected
    assert encoding.count(text) == len(expected)


NASTY = [
    "",
    " ",
    "\n",
    "\r\n",
    " \n",
    "\n ",
    "  \n\n  \r\n \t x",
    "trailing spaces   ",
    "   leading",
    "a  b   c    d",
    "tabs\t\tand\x0bvertical\x0cfeeds",
    "\x1c\x1d\x1e\x1f",
    "a\x1cb \x1d c\x1e\n\x1f",
    "\x85",
    "a\x85b \x85\x85 c",
    "\u00a0nb\u00a0\u00a0sp",
    "\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000",
    "x\u2028\ny \u2029 z",
    "\u180e\u200b\u200c\u200d\u2060\ufeff",
    "\ufeffbyte order mark",
    "it's IT'S it'S I'LL you'Re we'vE he'd 'tis ''s",
    "it'\u017f '\u017f \u017fee '\u017f\u017f",
    "'ll've're'd's't'm",
    "x'sy x'dy x'my x'ty x'lly x'vey x'rey",
    "X'SY X'DY X'MY X'TY X'LLY X'VEY X'REY",
    "'l 'v 'r 'll 'L 'lL",
    "can't\u2019s don\u2019t",
    "\u212a'\u212a \u0130'\u0130 \u0131",
    "1 12 123 1234 12345 3.14159 1,000,000",
    "\u0661\u0662\u0663\u0664 \u2160\u2161 \u00bd\u00b2 \u4e00\u4e8c \u0e51",
    "camelCase PascalCase SCREAMING_CASE snake_case kebab-case XMLHttpRequest",
    "\u01c5\u01c8 \u02b0\u02b1 \u00aa\u00ba \u0345",
    "e\u0301 \u0301e \u0301 \u0301\u0301A \u0301a1 .\u0301x",
    "A\u0301B\u0301c \u0915\u094d\u0937\u093f \u0e01\u0e33",
    "\u65e5\u672c\u8a9e\u306e\u30c6\u30ad\u30b9\u30c8\u3001\u3002\uff01",
    "\ud55c\uad6d\uc5b4 \u05e2\u05d1\u05e8\u05d9\u05ea \u0627\u0644\u0639\u0631\u0628\u064a\u0629",
    "\U0001f600\U0001f468\u200d\U0001f469\u200d\U0001f467\U0001f1e9\U0001f1ea \u2764\ufe0f",
    "\U00010400\U00010428 \U0001d400\U0001d41a \U0001d7d8 \U00020000",
    "\ue000\U000f0000\U0010ffff\ufffd",
    "<|endoftext|>",
    "<|fim_prefix|>a<|fim_suffix|><|endofprompt|><|start|><|reserved_200013|>",
    "def f(x):\n    return x  # comment\n\n\nclass A:\n\tpass\n",
    "if (a&&b||!c){d[e]->f;}//g\r\n/* h */\n\n",
    "https://example.org/a/b?c=d&e=f#g/\n//\n/",
    "!!!\n\n???\r\n...///\n",
    "\x00\x01\x7f\x80\x9f",
]


@pytest.mark.unmeasured
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", NASTY)
def test_nasty_strings_encode_as_tiktoken_encodes_them(name: str, text: str) -> None:
    assert_equal_to_oracle(load_encoding(name), text)


def test_documented_examples_encode_as_published() -> None:
    assert load_encoding("gpt2").encode("hello world") == [31373, 995]
    expected = [83, 1609, 5963, 374, 2294, 0]
    assert load_encoding("cl100k_base").encode("tiktoken is great!") == expected


any_text = st.text(
    st.characters(exclude_categories=("Cs", "Cn")).filter(
        lambda character: character in characters_known_to_both()
    )
)
# Single fragments collide far more often than characters drawn from all of Unicode do.
mixed_text = st.lists(
    st.sampled_from([fragment for text in NASTY for fragment in {text, *text}])
    | st.text(" \t\r\n\x0b\x0c\x1c\x85\xa0\u2028\u3000", max_size=5)
    | st.text("'sSdDmMtTlLvVeErR\u017f", max_size=5)
    | st.text("aA\u01c5\u02b0\u4e00\u0301\u0915\u093f1\u0663\u00bd./_-\U0001f600", max_size=8)
    | any_text
).map("".join)

# Two characters make for many equal pairs, which have to be merged from left to right.
repetitive_text = st.sampled_from([" \n", "\t ", "=-", "ha", "0 ", "a", "/*", ". "]).flatmap(
    lambda alphabet: st.text(alphabet, max_size=200)
)


@pytest.mark.unmeasured
@pytest.mark.parametrize("name", ONE_OF_EACH_VOCABULARY)
@settings(max_examples=60, deadline=None)
@given(text=any_text)
def test_all_of_unicode_encodes_as_in_tiktoken(name: str, text: str) -> None:
    assert_equal_to_oracle(load_encoding(name), text)


@pytest.mark.unmeasured
@pytest.mark.parametrize("name", ONE_OF_EACH_VOCABULARY)
@settings(max_examples=150, deadline=None)
@given(text=mixed_text)
def test_mixtures_of_scripts_spaces_and_contractions_encode_as_in_tiktoken(
    name: str, text: str
) -> None:
    assert_equal_to_oracle(load_encoding(name), text)


@pytest.mark.unmeasured
@pytest.mark.parametrize("name", ONE_OF_EACH_PATTERN)
@settings(max_examples=100, deadline=None)
@given(text=mixed_text | repetitive_text)
def test_the_way_of_long_pieces_gives_the_same_tokens_for_short_ones(name: str, text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tether.core.bpe._LONGEST_RESCANNED_PIECE", 0)
        assert load_encoding(name).encode(text) == oracle(name).encode_ordinary(text)


def assert_equal_to_oracle_over(ranks: dict[bytes, int], name: str, text: str) -> None:
    """Compare our pattern with tiktoken's over another vocabulary than the encoding's own."""

    def load_ranks(vocabulary: str) -> dict[bytes, int]:
        return ranks

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tether.core.bpe._load_ranks", load_ranks)
        ours = load_encoding.__wrapped__(name)
    pattern = published(name)["pat_str"]
    theirs = tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    assert ours.encode(text) == theirs.encode_ordinary(text)


def assert_cut_as_by_oracle(name: str, text: str) -> None:
    """Compare where text is cut, with every slice of it for a token: each piece is one token.

    With real ranks many a wrong cut goes unnoticed, because no token would have crossed it.
    """
    data = text.encode()
    lengths = range(2, len(data) + 1)
    slices = (data[at : at + size] for size in lengths for at in range(len(data) - size + 1))
    tokens = dict.fromkeys([*SINGLE_BYTES, *slices])
    assert_equal_to_oracle_over({token: rank for rank, token in enumerate(tokens)}, name, text)


@pytest.mark.parametrize("name", ONE_OF_EACH_PATTERN)
@pytest.mark.parametrize("text", NASTY)
def test_nasty_strings_are_cut_where_tiktoken_cuts_them(name: str, text: str) -> None:
    assert_cut_as_by_oracle(name, text)


@pytest.mark.unmeasured
@pytest.mark.parametrize("name", ONE_OF_EACH_PATTERN)
@settings(max_examples=200, deadline=None)
@given(text=mixed_text.map(lambda text: text[:24]))
def test_mixed_text_is_cut_where_tiktoken_cuts_it(name: str, text: str) -> None:
    assert_cut_as_by_oracle(name, text)


@pytest.mark.unmeasured
@pytest.mark.parametrize("name", ONE_OF_EACH_PATTERN)
def test_every_kind_of_character_is_classed_as_in_tiktoken(name: str) -> None:
    def is_worth_a_look(character: str) -> bool:
        # Ideographs, syllables and private use are large blocks of one kind: a sample will do.
        return unicodedata.category(character) not in {"Lo", "Co"} or ord(character) % 32 == 0

    chosen = filter(is_worth_a_look, sorted(characters_known_to_both()))
    text = "".join(f"a{one}B'{one}c {one}7" for one in chosen)
    pairs = [left + right for left in SINGLE_BYTES for right in SINGLE_BYTES]
    ranks = {token: rank for rank, token in enumerate([*SINGLE_BYTES, *pairs])}
    assert_equal_to_oracle_over(ranks, name, text)


LONG_RUNS = {
    "one letter": "a" * 20_000,
    "one capital": "A" * 20_000,
    "one ideograph": "\u7684" * 7_000,
    "one emoji": "\U0001f600" * 5_000,
    "spaces": " " * 20_000,
    "spaces before a word": " " * 20_000 + "word",
    "line breaks": "\n" * 20_000,
    "digits": "7" * 20_000,
    "apostrophes": "'" * 20_000,
    "marks": "\u0301" * 10_000,
    "marks and capitals": "\u0301A" * 7_000,
    "base64": base64.b64encode(hashlib.shake_256(b"seed").digest(15_000)).decode(),
    "lower case letters": hashlib.shake_256(b"seed")
    .hexdigest(10_000)
    .translate({ord(str(digit)): chr(ord("g") + digit) for digit in range(10)}),
    "varied ideographs": "".join(chr(0x4E00 + step * 7919 % 20_000) for step in range(7_000)),
}


@pytest.mark.unmeasured
@pytest.mark.parametrize("name", ONE_OF_EACH_PATTERN)
@pytest.mark.parametrize("run", LONG_RUNS)
def test_long_runs_encode_as_in_tiktoken(name: str, run: str) -> None:
    assert_equal_to_oracle(load_encoding(name), LONG_RUNS[run])


class CountingRanks(dict[bytes, int]):
    lookups = 0

    def get(self, key: bytes, default: Any = None, /) -> Any:
        self.lookups += 1
        return super().get(key, default)


@pytest.mark.parametrize("unit", ["a", "\u7684", "\U0001f600", "qzjx"])
def test_work_on_one_long_piece_grows_no_faster_than_the_piece(unit: str) -> None:
    def lookups(repetitions: int) -> int:
        ranks = CountingRanks(load_encoding("cl100k_base").ranks)
        BytePairEncoding("counted", r"(?s:.+)", ranks).count(unit * repetitions)
        return ranks.lookups

    assert lookups(8_000) <= 8.2 * lookups(1_000)


@pytest.mark.parametrize("name", ONE_OF_EACH_PATTERN)
@settings(max_examples=60, deadline=None)
@given(text=st.text(st.characters(categories=["Cs"]) | st.sampled_from("aA1 \n'\u00e9\U0001f600")))
def test_surrogates_are_joined_or_replaced_as_in_tiktoken(name: str, text: str) -> None:
    assert_equal_to_oracle(load_encoding(name), text)


@pytest.mark.parametrize("name", ONE_OF_EACH_PATTERN)
def test_forgetting_what_was_remembered_changes_no_count(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tether.core.bpe._MEMO_CAPACITY", 3)
    fresh = load_encoding.__wrapped__(name)
    text = "one two three four f\u00fcnf \u0441\u0435\u043c\u044c \u4e5d\u5341 " * 3 + "x" * 100
    assert_equal_to_oracle(fresh, text)


def test_an_encoding_is_loaded_once_and_shares_ranks_with_its_aliases() -> None:
    assert load_encoding("gpt2") is load_encoding("gpt2")
    assert load_encoding("gpt2").name == "gpt2"
    assert load_encoding("gpt2").ranks is load_encoding("r50k_base").ranks
    assert load_encoding("p50k_edit").ranks is load_encoding("p50k_base").ranks
    assert load_encoding("o200k_harmony").ranks is load_encoding("o200k_base").ranks


def test_every_encoding_that_tiktoken_publishes_is_here() -> None:
    definitions = importlib.import_module("tiktoken_ext.openai_public")
    assert set(definitions.ENCODING_CONSTRUCTORS) <= ENCODING_NAMES


def test_an_unknown_name_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        load_encoding("no_such_encoding")


def test_a_loader_without_data_is_reported_by_file_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_data(package: str, resource: str) -> None:
        return None

    monkeypatch.setattr("tether.core.bpe._PATTERNS", {"absent": "."})
    monkeypatch.setattr(pkgutil, "get_data", no_data)
    with pytest.raises(FileNotFoundError, match=r"absent\.merges"):
        load_encoding("absent")


def test_importing_the_module_opens_no_vocabulary() -> None:
    program = (
        "import sys\n"
        "opened = []\n"
        "sys.addaudithook(lambda event, given: event == 'open' and opened.append(str(given[0])))\n"
        "import tether.core.bpe\n"
        "assert not [path for path in opened if path.endswith('.merges')]\n"
        "tether.core.bpe.load_encoding('gpt2')\n"
        "assert [path for path in opened if path.endswith('.merges')]\n"
    )
    source = str(Path(__file__).parents[2] / "src")
    subprocess.run([sys.executable, "-B", "-c", program], check=True, env={"PYTHONPATH": source})


@pytest.mark.parametrize("name", [name for name in NAMES if name != "gpt2"])
def test_the_ranks_have_the_checksum_that_tiktoken_publishes(name: str) -> None:
    expected = published(name)["mergeable_ranks"]["expected_hash"]
    lines = tiktoken_lines(dict(load_encoding(name).ranks))
    assert hashlib.sha256(lines).hexdigest() == expected


def test_the_merges_of_gpt2_have_the_checksum_that_tiktoken_publishes() -> None:
    ranks = dict(load_encoding("gpt2").ranks)
    tokens = sorted(ranks, key=ranks.__getitem__)
    printable = [byte for byte in range(256) if chr(byte).isprintable() and chr(byte) != " "]
    others = [byte for byte in range(256) if byte not in printable]
    spelling = {byte: chr(byte) for byte in printable}
    spelling |= {byte: chr(256 + index) for index, byte in enumerate(others)}

    def spelled(rank: int) -> str:
        return "".join(spelling[byte] for byte in tokens[rank])

    pairs = [builder().merged_from(token, ranks) for token in tokens[256:]]
    lines = ["#version: 0.2", *(f"{spelled(left)} {spelled(right)}" for left, right in pairs), ""]
    digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    assert digest == published("gpt2")["mergeable_ranks"]["vocab_bpe_hash"]


@pytest.mark.unmeasured
@pytest.mark.parametrize(
    ("name", "step"), [("p50k_base", 1), ("cl100k_base", 8), ("o200k_base", 16)]
)
def test_tokens_merge_by_ascending_ranks_below_their_own(name: str, step: int) -> None:
    # The script checks this of every token when it builds a file; a sample of the large ones is
    # enough here, because their checksum is that of the ranks the files were built from.
    ranks = dict(load_encoding(name).ranks)
    longer_tokens = [token for token in ranks if len(token) > 1]
    for token in longer_tokens[::step]:
        assert max(builder().merged_from(token, ranks)) < ranks[token]


@pytest.mark.parametrize("kind", ["tiktoken", "js"])
def test_the_script_rebuilds_a_shipped_file_from_either_source(
    kind: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = tiktoken_lines(dict(load_encoding("r50k_base").ranks)).decode()
    if kind == "js":
        tokens = [line.split()[0] for line in lines.splitlines()]
        content = f"! 0 {' '.join(tokens[:300])}\n! 300 {' '.join(tokens[300:])}"
        lines = f"export default {json.dumps({'bpe_ranks': content})};"
    (tmp_path / f"r50k_base.{kind}").write_text(lines, "utf-8")
    monkeypatch.setattr(builder(), "VOCABULARIES", ("r50k_base",))

    builder().main([str(tmp_path), "--into", str(tmp_path)])

    assert capsys.readouterr().out.startswith("r50k_base.merges: ")
    shipped = pkgutil.get_data("tether.core.vocabularies", "r50k_base.merges")
    assert shipped is not None
    rebuilt = (tmp_path / "r50k_base.merges").read_bytes()
    assert zlib.decompress(rebuilt) == zlib.decompress(shipped)


@pytest.mark.parametrize(
    ("ranks", "complaint"),
    [
        ({**SINGLE_BYTES, b"ab": 257}, "without gaps"),
        ({b"ab": 0, **{byte: rank + 1 for byte, rank in SINGLE_BYTES.items()}}, "single bytes"),
        ({**SINGLE_BYTES, b"abc": 256}, "not a merge of earlier tokens"),
        ({**SINGLE_BYTES, b"bc": 256, b"abcd": 257, b"abc": 258}, "not a merge of earlier tokens"),
    ],
)
def test_the_script_refuses_ranks_that_the_encoder_cannot_rely_on(
    ranks: dict[bytes, int], complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        builder().to_merges(ranks)
