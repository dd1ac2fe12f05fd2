"""Exact, offline byte-pair encoding for the public OpenAI vocabularies.

`load_encoding("cl100k_base").count(text)` is the number of tokens that `tiktoken` makes of the
text, found with the standard library and data inside the package. Text that spells a special
token, such as `<|endoftext|>`, is encoded as the plain text it is.

The published splitting patterns use Unicode classes (`\\p{Lu}`), which `re` lacks. A pattern only
needs the class of a character. So each character outside ASCII is replaced by one stand-in
for its class, the pattern runs over that shadow of the text, and the text is cut at the same
places. Patterns stay small, and no table of Unicode is built.

Classes come from the `unicodedata` of this interpreter, those of tiktoken from Unicode 16.0. They
are equal for every code point that both know. Letters, marks and numbers that only tiktoken knows
(9485 in Python 3.11, 5055 in 3.12, 4433 in 3.13: new scripts and rare ideographs) are taken for
symbols, so a text that holds them may be counted a few tokens off.
"""

from __future__ import annotations

import functools
import pkgutil
import re
import struct
import unicodedata
import zlib
from heapq import heappop, heappush
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

# Stand-ins for classes without a member in ASCII. A shadow has no other use for the upper half of
# Latin-1, because characters found there are replaced themselves.
_CASELESS = "\xaa"  # Lm and Lo: letters that are neither upper nor lower case
_MARK = "\xb4"  # M: combining marks
_LONG_S = "\xdf"  # U+017F, which matches "s" where case is ignored
_SYMBOL = "!"

# By general category, or else by its first letter.
_STAND_INS = {"Lu": "A", "Lt": "A", "Ll": "a", "L": _CASELESS, "M": _MARK, "N": "0", "Z": "\t"}
_EXCEPTIONS = {0x85: "\t", 0x17F: _LONG_S}

# The patterns of tiktoken_ext/openai_public.py in terms of the stand-ins. Compiled with re.ASCII,
# \s is the white space of Unicode; otherwise it would match U+001C to U+001F too.
_UPPER = f"A-Z{_CASELESS}{_MARK}"
_LOWER = f"a-z{_LONG_S}{_CASELESS}{_MARK}"
_LETTER = f"A-Za-z{_LONG_S}{_CASELESS}"
_ENDING = f"'(?:[sdmtSDMT{_LONG_S}]|[lL][lL]|[vV][eE]|[rR][eE])"
_OTHERS = rf" ?[^\s{_LETTER}0-9]"

_R50K = rf"'(?:[sdmt]|ll|ve|re)| ?[{_LETTER}]++| ?[0-9]++|{_OTHERS}++|\s++\Z|\s+(?!\S)|\s"
_CL100K = (
    rf"{_ENDING}|[^\r\n{_LETTER}0-9]?+[{_LETTER}]++|[0-9]{{1,3}}+"
    rf"|{_OTHERS}++[\r\n]*+|\s++\Z|\s*[\r\n]|\s+(?!\S)|\s"
)
_O200K = (
    rf"[^\r\n{_LETTER}0-9]?[{_UPPER}]*[{_LOWER}]+(?:{_ENDING})?"
    rf"|[^\r\n{_LETTER}0-9]?[{_UPPER}]+[{_LOWER}]*(?:{_ENDING})?"
    rf"|[0-9]{{1,3}}|{_OTHERS}+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)

_PATTERNS = {"r50k_base": _R50K, "p50k_base": _R50K, "cl100k_base": _CL100K, "o200k_base": _O200K}
# These differ from the other in their special tokens only.
_ALIASES = {"gpt2": "r50k_base", "p50k_edit": "p50k_base", "o200k_harmony": "o200k_base"}

ENCODING_NAMES: frozenset[str] = frozenset(_PATTERNS | _ALIASES)
"""Every name that `load_encoding` accepts."""

_MEMO_CAPACITY = 1 << 16
_LONGEST_REMEMBERED_PIECE = 64  # characters: longer ones seldom come back, and cost memory
_LONGEST_RESCANNED_PIECE = 256  # bytes: beyond, a queue is quicker than rescanning
_NO_RANK = 1 << 32


class _StandIns(dict[int, str]):
    """Code point to stand-in, worked out when `str.translate` first needs it."""

    def __missing__(self, code_point: int) -> str:
        category = unicodedata.category(chr(code_point))
        stand_in = _STAND_INS.get(category) or _STAND_INS.get(category[0], _SYMBOL)
        if len(self) < _MEMO_CAPACITY:
            self[code_point] = stand_in
        return stand_in


class _PieceCounts(dict[str, int]):
    """Piece to number of tokens, worked out once: prose repeats a few thousand pieces."""

    def __init__(self, encoding: BytePairEncoding) -> None:
        super().__init__()
        self._encoding = encoding

    def __missing__(self, piece: str) -> int:
        count = self._encoding.count_piece(piece.encode())
        if len(piece) <= _LONGEST_REMEMBERED_PIECE:
            if len(self) >= _MEMO_CAPACITY:
                self.clear()
            self[piece] = count
        return count


class _Places:
    """The places of each rank, by ascending rank and then from left to right."""

    def __init__(self) -> None:
        self._starts: dict[int, list[int]] = {}
        self._ranks: list[int] = []

    def add(self, rank: int | None, start: int) -> None:
        """Add a place. `None` is the rank of bytes that are not a token, and is ignored."""
        if rank in self._starts:
            self._starts[rank].append(start)
        elif rank is not None:
            self._starts[rank] = [start]
            heappush(self._ranks, rank)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        while self._ranks:
            rank = heappop(self._ranks)
            for start in sorted(self._starts.pop(rank)):
                yield rank, start


class BytePairEncoding:
    """A pattern that cuts text into pieces, and ranks that merge the bytes of a piece to tokens.

    Again and again the two neighbours that make up the token of lowest rank are merged, leftmost
    first, until no two make up a token. `ranks` must hold the 256 single bytes, and merging the
    bytes of any token must take ascending ranks only: `scripts/build_vocabularies.py` checks it.
    Instances are made to be shared. Their caches are bounded and do not affect results.
    """

    def __init__(self, name: str, pattern: str, ranks: Mapping[bytes, int]) -> None:
        self.name = name
        self.ranks = ranks
        self._find_pieces = re.compile(pattern, re.ASCII).findall
        self._replace_runs = re.compile(r"[^\x00-\x7f]+").sub
        self._stand_ins = _StandIns(_EXCEPTIONS)
        self._piece_counts = _PieceCounts(self)

    def encode(self, text: str) -> list[int]:
        """Return the tokens of the text, by rank. Any string has some: nothing is raised."""
        tokens: list[int] = []
        for piece in map(str.encode, self._pieces(text)):
            if piece in self.ranks:
                tokens.append(self.ranks[piece])
            else:
                bounds = pairwise(self._merge(piece))
                tokens.extend(self.ranks[piece[start:end]] for start, end in bounds)
        return tokens

    def count(self, text: str) -> int:
        """Return `len(self.encode(text))` without listing the tokens."""
        return sum(map(self._piece_counts.__getitem__, self._pieces(text)))

    def count_piece(self, piece: bytes) -> int:
        """Return how many tokens one piece, as the pattern cuts it, is merged into."""
        return 1 if piece in self.ranks else len(self._merge(piece)) - 1

    def _pieces(self, text: str) -> Iterable[str]:
        return self._find_pieces(text) if text.isascii() else self._pieces_by_shadow(text)

    def _pieces_by_shadow(self, text: str) -> Iterator[str]:
        # Surrogates have no UTF-8 form: pairs are joined and lone ones replaced, as tiktoken does.
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        shadow = self._replace_runs(lambda run: run[0].translate(self._stand_ins), text)
        start = 0
        for piece in self._find_pieces(shadow):
            end = start + len(piece)
            yield text[start:end]
            start = end

    def _merge(self, piece: bytes) -> list[int]:
        """Return where the tokens of the piece begin, and at last its length."""
        if len(piece) > _LONGEST_RESCANNED_PIECE:
            return self._merge_long(piece)
        rank_of = self.ranks.get
        bounds = list(range(len(piece) + 1))
        pair_ranks = [rank_of(piece[at : at + 2], _NO_RANK) for at in range(len(piece) - 1)]
        while pair_ranks and (lowest := min(pair_ranks)) != _NO_RANK:
            at = pair_ranks.index(lowest)
            del bounds[at + 1], pair_ranks[at]
            if at > 0:
                pair_ranks[at - 1] = rank_of(piece[bounds[at - 1] : bounds[at + 1]], _NO_RANK)
            if at < len(pair_ranks):
                pair_ranks[at] = rank_of(piece[bounds[at] : bounds[at + 2]], _NO_RANK)
        return bounds

    def _merge_long(self, piece: bytes) -> list[int]:
        """Merge in O(n log n), with a linked list of tokens and a queue of places by rank.

        A rank leaves the queue with all its places at once. None can turn up later: two tokens
        that a merge makes neighbours cannot form one of the same or a lower rank, see the class.
        """
        rank_of, size = self.ranks.get, len(piece)
        following = [*range(1, size + 1), 0]  # 0: beyond the last token there is an empty slice
        preceding = list(range(-1, size))
        places = _Places()
        for start in range(size - 1):
            places.add(rank_of(piece[start : start + 2]), start)
        for rank, start in places:
            middle = following[start]
            end = following[middle]
            if rank_of(piece[start:end]) != rank:
                continue  # one of the two has been merged with its other neighbour since
            following[start], preceding[end] = end, start
            following[middle] = middle  # a token no more: from now on an empty slice
            places.add(rank_of(piece[start : following[end]]), start)
            if (before := preceding[start]) >= 0:
                places.add(rank_of(piece[before:end]), before)
        bounds = [0]
        while bounds[-1] < size:
            bounds.append(following[bounds[-1]])
        return bounds


@functools.cache
def load_encoding(name: str) -> BytePairEncoding:
    """Return the one instance of an encoding, reading its vocabulary the first time.

    Raises `KeyError` for a name that is not in `ENCODING_NAMES`.
    """
    vocabulary = _ALIASES.get(name, name)
    return BytePairEncoding(name, _PATTERNS[vocabulary], _load_ranks(vocabulary))


@functools.cache
def _load_ranks(vocabulary: str) -> dict[bytes, int]:
    if vocabulary == "p50k_base":  # r50k_base and runs of spaces; 50256 is <|endoftext|>
        return _load_ranks("r50k_base") | {b" " * run: 50255 + run for run in range(2, 26)}
    compressed = pkgutil.get_data("tether.core.vocabularies", f"{vocabulary}.merges")
    if compressed is None:
        raise FileNotFoundError(f"the loader of this package cannot read {vocabulary}.merges")
    tokens = _read_merges(zlib.decompress(compressed))
    return {token: rank for rank, token in enumerate(tokens)}


def _read_merges(data: bytes) -> list[bytes]:
    """Return tokens in rank order; `scripts/build_vocabularies.py` describes the format."""
    tokens = [data[at : at + 1] for at in range(256)]
    size = (len(data) - 256) // 6
    pairs = bytearray(8 * size)
    for plane, offset in enumerate((0, 1, 2, 4, 5, 6)):
        pairs[offset::8] = data[256 + plane * size : 256 + (plane + 1) * size]
    for left, right in struct.iter_unpack("<II", pairs):
        tokens.append(tokens[left] + tokens[right])
    return tokens
