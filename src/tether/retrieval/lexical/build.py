"""Builds the arrays of a lane from chunks, in bounded memory."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from tether.core.errors import Problem
from tether.retrieval.errors import InvalidRetrievalSettings
from tether.retrieval.lexical.bm25 import Analysis, LexicalSettings, impacts, length_norms
from tether.retrieval.lexical.postings import (
    Postings,
    Vocabulary,
    counted,
    merged,
    moved,
    vocabulary_arrays,
)
from tether.text.stems import LANGUAGES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tether.retrieval.chunk import Chunk

OFFSETS = "posting_offsets"
ROWS = "posting_rows"
FREQUENCIES = "posting_frequencies"
LENGTHS = "row_lengths"
ROW_LANGUAGES = "row_languages"
BOUNDS = "term_bounds"
IMPACTS = "posting_impacts"

Arrays = Mapping[str, "NDArray[np.generic]"]

_BLOCK = 1 << 22
_REMEMBERED = 1 << 19
_LONGEST_REMEMBERED = 256


class Build:
    """One build of the arrays of a lane: `carry` kept rows, `read` new chunks, then `arrays`.

    Occurrences are counted in blocks of about four million, so memory holds the vocabulary and six
    bytes for each pair of term and passage, twice while they are merged, and four more when they
    are weighted.
    """

    def __init__(self, analysis: Analysis, settings: LexicalSettings, size: int) -> None:
        self._analysis = analysis
        self._settings = settings
        self._lengths = np.zeros(size, dtype=np.int32)
        self._languages = np.zeros(size, dtype=np.uint8)
        self._taken = np.zeros(size, dtype=np.bool_)
        self._numbers: dict[str, int] = {}
        self._remembered: dict[str, _Remembered] = {}
        self._parts: list[Postings] = []
        self._occurrences = array("i")
        self._block_rows: list[int] = []
        self._block_lengths: list[int] = []
        self._block_languages: list[int] = []

    def carry(self, previous: Arrays, kept: NDArray[np.int32]) -> None:
        """Copy the rows of earlier arrays to the numbers that `kept` gives them."""
        stay = kept >= 0
        rows = kept[stay]
        self._take(rows)
        self._lengths[rows] = previous[LENGTHS][stay]
        self._languages[rows] = previous[ROW_LANGUAGES][stay]
        numbers = self._numbers
        terms = [numbers.setdefault(term, len(numbers)) for term in Vocabulary(previous)]
        postings = Postings(
            terms=np.array(terms, dtype=np.int32),
            offsets=np.asarray(previous[OFFSETS], dtype=np.int64),
            rows=np.asarray(previous[ROWS], dtype=np.int32),
            frequencies=np.asarray(previous[FREQUENCIES], dtype=np.uint16),
        )
        self._parts.extend(moved(postings, kept))

    def read(self, fresh: Iterable[tuple[int, Chunk]]) -> None:
        """Analyse chunks into their rows."""
        for row, chunk in fresh:
            self._read(row, chunk)
            if len(self._occurrences) >= _BLOCK:
                self._count()
        self._count()

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return the finished arrays; the build cannot be used again."""
        used = np.zeros(len(self._numbers), dtype=np.bool_)
        for part in self._parts:
            used[part.terms] = True
        living = [term for term, number in self._numbers.items() if used[number]]
        arrays, ordered = vocabulary_arrays(living)
        places = np.full(len(self._numbers), -1, dtype=np.int32)
        places[[self._numbers[term] for term in ordered]] = np.arange(len(ordered))
        self._parts = [_renamed(part, places) for part in self._parts]
        postings = merged(self._parts, len(ordered))
        weighed, bounds = self._weighed(postings)
        return arrays | {
            OFFSETS: postings.offsets,
            ROWS: postings.rows,
            FREQUENCIES: postings.frequencies,
            LENGTHS: self._lengths,
            ROW_LANGUAGES: self._languages,
            IMPACTS: weighed,
            BOUNDS: bounds,
        }

    def _take(self, rows: NDArray[np.int32]) -> None:
        size = len(self._taken)
        outside = rows.size and (int(rows.min()) < 0 or int(rows.max()) >= size)
        if outside or self._taken[rows].any() or len(np.unique(rows)) < len(rows):
            problem = Problem("rows", f"every row is given once, from 0 to below {size}")
            raise InvalidRetrievalSettings([problem])
        self._taken[rows] = True

    def _read(self, row: int, chunk: Chunk) -> None:
        analysis = self._analysis
        heading = analysis.words(" \n".join(chunk.heading_path or (chunk.title,)))
        body = analysis.words(chunk.body)
        language = analysis.language(chunk.language, body or heading)
        before = len(self._occurrences)
        if self._settings.title_weight:
            self._occurrences.extend(self._terms(heading, language) * self._settings.title_weight)
        self._occurrences.extend(self._terms(body, language))
        self._block_rows.append(row)
        self._block_lengths.append(len(self._occurrences) - before)
        self._block_languages.append(LANGUAGES.index(language))

    def _terms(self, words: list[str], language: str) -> list[int]:
        remembered = self._remembered.get(language)
        if remembered is None:
            remembered = _Remembered(self._analysis, language, self._numbers)
            self._remembered[language] = remembered
        return list(chain.from_iterable(map(remembered.__getitem__, words)))

    def _count(self) -> None:
        rows = np.array(self._block_rows, dtype=np.int32)
        lengths = np.array(self._block_lengths, dtype=np.int64)
        self._take(rows)
        self._lengths[rows] = lengths
        self._languages[rows] = self._block_languages
        if self._occurrences:
            terms = np.array(self._occurrences, dtype=np.int32)
            self._parts.append(counted(terms, np.repeat(rows, lengths)))
        self._occurrences = array("i")
        self._block_rows.clear()
        self._block_lengths.clear()
        self._block_languages.clear()

    def _weighed(self, postings: Postings) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """Return the impact of each posting, and the highest of each term."""
        norms = length_norms(self._lengths, self._settings.k1, self._settings.b)
        weighed = np.empty(len(postings.rows), dtype=np.uint32)
        bounds = np.empty(len(postings.terms), dtype=np.uint32)
        for segment in postings.segments():
            first, last = postings.offsets[[segment.start, segment.stop]]
            rows, frequencies = postings.rows[first:last], postings.frequencies[first:last]
            starts = postings.offsets[segment.start : segment.stop] - first
            weighed[first:last] = impacts(frequencies, norms[rows])
            bounds[segment] = np.maximum.reduceat(weighed[first:last], starts)
        return weighed, bounds


class _Remembered(dict[str, tuple[int, ...]]):
    """A cache of the term numbers of words; cleared when it grows too large."""

    def __init__(self, analysis: Analysis, language: str, numbers: dict[str, int]) -> None:
        super().__init__()
        self._analysis = analysis
        self._language = language
        self._numbers = numbers

    def __missing__(self, word: str) -> tuple[int, ...]:
        if len(self) >= _REMEMBERED:
            self.clear()
        numbers = self._numbers
        terms = self._analysis.terms(word, self._language)
        found = tuple([numbers.setdefault(term, len(numbers)) for term in terms])
        if len(word) <= _LONGEST_REMEMBERED:
            self[word] = found
        return found


def _renamed(part: Postings, places: NDArray[np.int32]) -> Postings:
    return Postings(
        terms=places[part.terms],
        offsets=part.offsets,
        rows=part.rows,
        frequencies=part.frequencies,
    )
