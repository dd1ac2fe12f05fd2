"""Terms and postings: the passages of each term and its frequency there, in flat arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_OCCURRENCES = 65_535
"""More occurrences of a term in one passage do not count."""

_SEGMENT_POSTINGS = 1 << 22
_SEGMENT_TERMS = 1 << 16
_ROW_BITS = 31
_COUNT_BITS = 16


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Postings:
    """Runs of rows with frequencies, one run for each of `terms`, divided at `offsets`.

    `offsets` has one entry more than there are terms; no run is empty. The rows of a run ascend
    after `merged`.
    """

    terms: NDArray[np.int32]
    offsets: NDArray[np.int64]
    rows: NDArray[np.int32]
    frequencies: NDArray[np.uint16]

    def segments(self) -> Iterator[slice]:
        """Yield ranges of terms whose runs fit into memory together."""
        return segments(self.offsets)


def segments(offsets: NDArray[np.int64]) -> Iterator[slice]:
    """Yield ranges of runs, in order, that hold about four million postings at most each."""
    start, last = 0, len(offsets) - 1
    while start < last:
        reach = int(offsets[start]) + _SEGMENT_POSTINGS
        end = int(np.searchsorted(offsets, reach, side="right")) - 1
        end = min(max(end, start + 1), start + _SEGMENT_TERMS, last)
        yield slice(start, end)
        start = end


def counted(terms: NDArray[np.int32], rows: NDArray[np.int32]) -> Postings:
    """Return the postings of single occurrences, sorted by term and row."""
    keys = (terms.astype(np.int64) << 32) | rows
    keys.sort()
    starts = _starts(keys)
    frequencies = np.diff(starts, append=len(keys))
    unique = keys[starts]
    owners = (unique >> 32).astype(np.int32)
    runs = _starts(owners)
    return Postings(
        terms=owners[runs],
        offsets=np.append(runs, len(owners)).astype(np.int64),
        rows=(unique & 0xFFFFFFFF).astype(np.int32),
        frequencies=np.minimum(frequencies, MOST_OCCURRENCES).astype(np.uint16),
    )


def moved(postings: Postings, kept: NDArray[np.int32]) -> Iterator[Postings]:
    """Yield the postings of the kept rows under their new numbers, in segments.

    `kept` has the new number of each row, or -1.
    """
    for segment in postings.segments():
        first, last = int(postings.offsets[segment.start]), int(postings.offsets[segment.stop])
        rows = kept[postings.rows[first:last]]
        stay = rows >= 0
        starts = postings.offsets[segment.start : segment.stop] - first
        counts = np.add.reduceat(stay, starts, dtype=np.int64)
        alive = counts > 0
        if alive.any():
            yield Postings(
                terms=postings.terms[segment][alive],
                offsets=_offsets(counts[alive]),
                rows=rows[stay],
                frequencies=postings.frequencies[first:last][stay],
            )


def merged(parts: list[Postings], terms: int) -> Postings:
    """Merge all parts, for the terms 0 to `terms` - 1; the list is emptied on the way.

    No pair of term and row may be in two parts, and every term is in at least one.
    """
    counts = np.zeros(terms, dtype=np.int64)
    for part in parts:
        counts[part.terms] += np.diff(part.offsets)
    offsets = _offsets(counts)
    rows = np.empty(int(offsets[-1]), dtype=np.int32)
    frequencies = np.empty(len(rows), dtype=np.uint16)
    ahead = offsets[:-1].copy()
    parts.reverse()
    while parts:
        part = parts.pop()
        lengths = np.diff(part.offsets)
        places = np.repeat(ahead[part.terms] - part.offsets[:-1], lengths)
        places += np.arange(len(places))
        rows[places] = part.rows
        frequencies[places] = part.frequencies
        ahead[part.terms] += lengths
    whole = Postings(
        terms=np.arange(terms, dtype=np.int32), offsets=offsets, rows=rows, frequencies=frequencies
    )
    _sort(whole)
    return whole


def _sort(postings: Postings) -> None:
    for segment in postings.segments():
        first, last = int(postings.offsets[segment.start]), int(postings.offsets[segment.stop])
        rows, frequencies = postings.rows[first:last], postings.frequencies[first:last]
        lengths = np.diff(postings.offsets[segment.start : segment.stop + 1])
        keys = np.repeat(np.arange(len(lengths), dtype=np.int64) << _ROW_BITS, lengths)
        keys |= rows
        if (keys[1:] > keys[:-1]).all():
            continue
        keys <<= _COUNT_BITS
        keys |= frequencies
        keys.sort()
        frequencies[:] = keys & MOST_OCCURRENCES
        rows[:] = (keys >> _COUNT_BITS) & ((1 << _ROW_BITS) - 1)


def _starts(values: NDArray[np.int64] | NDArray[np.int32]) -> NDArray[np.int64]:
    changes = np.empty(len(values), dtype=np.bool_)
    changes[:1] = True
    np.not_equal(values[1:], values[:-1], out=changes[1:])
    return np.flatnonzero(changes)


def _offsets(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    offsets = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets


HASHES = "term_hashes"
ENDS = "term_ends"
SPELLINGS = "term_spellings"


def vocabulary_arrays(terms: Iterable[str]) -> tuple[dict[str, NDArray[np.generic]], list[str]]:
    """Return the arrays of a set of terms, and the terms in the order of the arrays."""
    known = [(_hash(spelling), spelling) for spelling in map(_encoded, terms)]
    known.sort()
    spellings = [spelling for _, spelling in known]
    arrays: dict[str, NDArray[np.generic]] = {
        HASHES: np.array([number for number, _ in known], dtype=np.uint64),
        ENDS: np.cumsum([len(spelling) for spelling in spellings], dtype=np.int64),
        SPELLINGS: np.frombuffer(b"".join(spellings), dtype=np.uint8),
    }
    return arrays, [_decoded(spelling) for spelling in spellings]


class Vocabulary:
    """Finds terms in the arrays of `vocabulary_arrays`, reading only a few entries."""

    def __init__(self, arrays: Mapping[str, NDArray[np.generic]]) -> None:
        self._hashes = np.asarray(arrays[HASHES])
        self._ends = np.asarray(arrays[ENDS])
        self._spellings = np.asarray(arrays[SPELLINGS])

    def __iter__(self) -> Iterator[str]:
        spellings = self._spellings.tobytes()
        start = 0
        for end in self._ends.tolist():
            yield _decoded(spellings[start:end])
            start = end

    def numbers(self, terms: list[str]) -> list[int]:
        """Return the number of each term, -1 if the index does not contain it."""
        spellings = [_encoded(term) for term in terms]
        hashes = np.array([_hash(spelling) for spelling in spellings], dtype=np.uint64)
        places = np.searchsorted(self._hashes, hashes).tolist()
        return [
            self._confirmed(place, number, spelling)
            for place, number, spelling in zip(places, hashes.tolist(), spellings, strict=True)
        ]

    def _confirmed(self, place: int, number: int, spelling: bytes) -> int:
        while place < len(self._hashes) and int(self._hashes[place]) == number:
            start = int(self._ends[place - 1]) if place else 0
            if self._spellings[start : int(self._ends[place])].tobytes() == spelling:
                return place
            place += 1
        return -1


def _encoded(term: str) -> bytes:
    return term.encode("utf-8", "surrogatepass")


def _decoded(spelling: bytes) -> str:
    return spelling.decode("utf-8", "surrogatepass")


def _hash(spelling: bytes) -> int:
    return int.from_bytes(blake2b(spelling, digest_size=8).digest(), "little")
