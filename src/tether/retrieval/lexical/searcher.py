"""Exact BM25 search over the arrays of a lane, which reads long runs only if it has to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from tether.retrieval.hit import Ranking
from tether.retrieval.lexical.bm25 import (
    STEPS,
    Analysis,
    Forms,
    LexicalSettings,
    best,
    lower_bound,
    rarity,
)
from tether.retrieval.lexical.build import (
    BOUNDS,
    IMPACTS,
    OFFSETS,
    ROW_LANGUAGES,
    ROWS,
)
from tether.retrieval.lexical.postings import Vocabulary
from tether.retrieval.lexical.synonyms import related
from tether.text.stems import LANGUAGES, known_language

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LONG_RUN = 1_000
_CHECK_COST = 4
_SEEK_COST = 8
_ABOVE_ZERO = 5e-324
_ROUNDING = 1e-9
_LEAST_SPOKEN = 0.002
_LONGEST_QUESTION = 16_384
_MOST_TERMS = 96


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sought:
    """A term of a question: its run, its weight, the score of one step, and its highest score."""

    first: int
    last: int
    weight: float
    step: float
    most: float


class ArraySearcher:
    """Searches the arrays of a lane. Terms are read from the highest possible score down.

    When a row that has only the remaining terms can no longer be among the best, these terms are
    looked up for the candidate rows instead of being read (the MaxScore rule). The score of a row
    is summed in the same order either way, so results do not depend on this shortcut. Scores are
    within a millionth of the formula, because impacts are stored in steps of 2 ** -32 of the weight
    of a term. Only the first 16,384 characters of a question are read, and the 96 terms that can
    add most to a score.
    """

    def __init__(
        self,
        analysis: Analysis,
        settings: LexicalSettings,
        arrays: Mapping[str, NDArray[np.generic]],
    ) -> None:
        self._analysis = analysis
        self._synonyms = settings.synonyms
        self._step = (settings.k1 + 1.0) / STEPS
        self._vocabulary = Vocabulary(arrays)
        self._offsets: NDArray[np.int64] = np.asarray(arrays[OFFSETS], dtype=np.int64)
        self._rows: NDArray[np.int32] = np.asarray(arrays[ROWS], dtype=np.int32)
        self._impacts: NDArray[np.uint32] = np.asarray(arrays[IMPACTS], dtype=np.uint32)
        self._bounds = np.asarray(arrays[BOUNDS])
        row_languages = np.asarray(arrays[ROW_LANGUAGES], dtype=np.uint8)
        self._size = len(row_languages)
        self._languages = _spoken(row_languages)

    def terms(self, text: str, *, language: str = "") -> tuple[str, ...]:
        """Return the terms of the text; () if it has no word."""
        groups = self._question(text, language)
        return tuple(dict.fromkeys(form for forms in groups for form in forms))

    def search(self, text: str, *, language: str = "", limit: int = 100) -> Ranking:
        """Return the best rows with scores above zero; equal scores are ordered by row."""
        sought = self._sought(text, language)
        if not sought or limit < 1:
            return Ranking(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float64))
        rows, scores = self._scored(sought, limit)
        return best(rows, scores, limit)

    def scores(
        self, text: str, rows: NDArray[np.int64], *, language: str = ""
    ) -> NDArray[np.float64]:
        """Return the score of each given row, in the given order; 0 without a match."""
        sums = np.zeros(self._size, dtype=np.float64)
        distinct = np.unique(rows)
        for term in self._sought(text, language):
            self._look_up(term, distinct, sums)
        return sums[rows]

    def coverage(
        self, text: str, rows: NDArray[np.int64], *, language: str = ""
    ) -> NDArray[np.float64]:
        """Return the share of the terms, weighted by rarity, that each given row contains."""
        narrow = rows.astype(np.int32)
        held = np.zeros(len(rows), dtype=np.float64)
        total = 0.0
        for times, runs in self._groups(text, language):
            weight = runs[0].weight if runs else times * rarity(self._size, 1)
            total += weight
            held += weight * self._hold_any(runs, narrow)
        return held / total if total else held

    def holders(self, words: Sequence[str]) -> list[int]:
        """Return how many passages have each word, in the language that most of them have it in.

        Of an identifier, all parts count.
        """
        terms = [
            [self._analysis.terms(word, language) for language in self._languages or ("",)]
            for word in words
        ]
        listed = list(dict.fromkeys(term for word in terms for one in word for term in one))
        numbers = np.array(self._vocabulary.numbers(listed), dtype=np.int64)
        counts = np.where(numbers < 0, 0, self._offsets[numbers + 1] - self._offsets[numbers])
        by_term = dict(zip(listed, counts.tolist(), strict=True))
        return [max(min((by_term[it] for it in one), default=0) for one in word) for word in terms]

    def _hold_any(self, runs: list[_Sought], rows: NDArray[np.int32]) -> NDArray[np.bool_]:
        found = np.zeros(len(rows), dtype=np.bool_)
        for term in runs:
            run = self._rows[term.first : term.last]
            found |= run[np.minimum(np.searchsorted(run, rows), len(run) - 1)] == rows
        return found

    def _question(self, text: str, language: str) -> Counter[Forms]:
        asked = known_language(language)
        languages = dict.fromkeys((asked, *self._languages) if asked else self._languages)
        read = text[:_LONGEST_QUESTION]
        return Counter(self._analysis.question(read, tuple(languages)))

    def _sought(self, text: str, language: str) -> list[_Sought]:
        groups = self._groups(text, language)
        sought = [term for _, runs in groups for term in runs]
        sought += self._related(text, {term.first for term in sought})
        sought.sort(key=lambda term: (-term.most, term.first))
        return sought[:_MOST_TERMS]

    def _related(self, text: str, known: set[int]) -> list[_Sought]:
        """Return the runs of other words for those of an English question, with low weights."""
        share = self._synonyms if "en" in self._languages else 0.0
        others = related(self._analysis.words(text[:_LONGEST_QUESTION])) if share else []
        runs = [run for _, runs in self._groups(" ".join(others), "") for run in runs]
        return [
            replace(run, weight=run.weight * share, step=run.step * share, most=run.most * share)
            for run in runs
            if run.first not in known
        ]

    def _groups(self, text: str, language: str) -> list[tuple[int, list[_Sought]]]:
        """Return the count of each word of the question, and the runs of its known spellings."""
        groups = self._question(text, language)
        spellings = list(dict.fromkeys(form for forms in groups for form in forms))
        numbers = dict(zip(spellings, self._vocabulary.numbers(spellings), strict=True))
        return [
            (times, self._runs([numbers[form] for form in forms if numbers[form] >= 0], times))
            for forms, times in groups.items()
        ]

    def _runs(self, numbers: list[int], times: int) -> list[_Sought]:
        runs = [(int(self._offsets[n]), int(self._offsets[n + 1]), n) for n in numbers]
        holders = min(self._size, sum(last - first for first, last, _ in runs))
        weight = times * rarity(self._size, holders)
        step = weight * self._step
        return [
            _Sought(
                first=first, last=last, weight=weight, step=step, most=step * int(self._bounds[n])
            )
            for first, last, n in runs
        ]

    def _scored(
        self, sought: list[_Sought], limit: int
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return rows that include the best `limit`, with their full scores."""
        sums = np.zeros(self._size, dtype=np.float64)
        long_run = _LONG_RUN + len(sums) // _CHECK_COST
        rests = _rests(sought)
        for place, term in enumerate(sought):
            rest = rests[place]
            if 2.0 * rest < rests[0] and term.last - term.first > long_run:
                floor = lower_bound(sums, limit)
                if floor > rest * (1.0 + _ROUNDING):
                    return self._finish(sought[place:], sums, floor, limit)
            self._read(term, sums)
        rows = np.flatnonzero(sums >= max(lower_bound(sums, limit), _ABOVE_ZERO))
        return rows, sums[rows]

    def _read(self, term: _Sought, sums: NDArray[np.float64]) -> None:
        """Add the whole run of a term to the sums."""
        rows = self._rows[term.first : term.last].astype(np.intp)
        np.add.at(sums, rows, self._impacts[term.first : term.last] * term.step)

    def _finish(
        self, sought: list[_Sought], sums: NDArray[np.float64], floor: float, limit: int
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Add the remaining terms to the rows that can still be among the best."""
        first, *rests = _rests(sought)
        rows = np.flatnonzero(sums >= _least(floor, first))
        for term, rest in zip(sought, rests, strict=True):
            if term.last - term.first < _SEEK_COST * len(rows):
                self._read(term, sums)
            else:
                self._look_up(term, rows, sums)
            scores = sums[rows]
            rows = rows[scores >= _least(lower_bound(scores, limit), rest)]
        return rows, sums[rows]

    def _look_up(self, term: _Sought, rows: NDArray[np.intp], sums: NDArray[np.float64]) -> None:
        """Add a term to the sums of those given rows that contain it."""
        run = self._rows[term.first : term.last]
        places = run.searchsorted(rows.astype(np.int32))
        np.minimum(places, len(run) - 1, out=places)
        holds = run[places] == rows
        holders = rows[holds]
        sums[holders] += self._impacts[places[holds] + term.first] * term.step


def _rests(sought: list[_Sought]) -> list[float]:
    """Return the most that each term and those after it can add together, and 0 at the end."""
    return list(accumulate((term.most for term in reversed(sought)), initial=0.0))[::-1]


def _least(floor: float, rest: float) -> float:
    """Return the score with which a row reaches `floor` if it gets all of `rest`."""
    return floor - rest - _ROUNDING * (floor + rest)


def _spoken(row_languages: NDArray[np.uint8]) -> tuple[str, ...]:
    """Return the languages of the index, the most frequent first, without rare ones."""
    counts = np.bincount(row_languages, minlength=len(LANGUAGES)).tolist()
    ranked = sorted((-count, place) for place, count in enumerate(counts) if count)
    least = _LEAST_SPOKEN * len(row_languages)
    return tuple(LANGUAGES[place] for count, place in ranked if -count >= least or not place)
