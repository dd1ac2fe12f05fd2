"""The terms of an index as arrays: found by hash, verified by spelling."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
