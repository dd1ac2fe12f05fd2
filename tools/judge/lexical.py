"""BM25 as a sparse matrix of term weights, built on the processor and multiplied on the device."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from judge.record import Pool
from judge.weights import Array

K1 = 1.2
B = 0.75

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Postings:
    """Weights of terms in passages, and counts of terms in questions, both as sparse rows."""

    terms: int
    passages: tuple[Array, Array, Array]
    """Row starts, term numbers, weights."""
    questions: tuple[Array, Array, Array]


def postings(pool: Pool) -> Postings:
    """The matrices of a pool; headings count twice."""
    counts = []
    for passage in pool.passages:
        path = " ".join([passage.title or "", *passage.headings])
        counts.append(Counter(words(f"{path} {path} {passage.text}")))
    vocabulary: dict[str, int] = {}
    for count in counts:
        for term in count:
            vocabulary.setdefault(term, len(vocabulary))
    asked = [Counter(words(question.text)) for question in pool.questions]
    known = [{term: count[term] for term in count if term in vocabulary} for count in asked]
    return Postings(
        terms=len(vocabulary),
        passages=_weighted(counts, vocabulary),
        questions=_rows([(vocabulary, count) for count in known]),
    )


def words(text: str) -> list[str]:
    """Lower-case words, lightly stemmed."""
    return [_stem(word) for word in _WORD.findall(text.lower())]


def _stem(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        word = word[:-1]
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            word = word[: -len(ending)]
            break
    return word[:-1] if word.endswith("e") and len(word) > 4 else word


def _weighted(counts: list[Counter[str]], vocabulary: dict[str, int]) -> tuple[Array, Array, Array]:
    starts, columns, values = _rows([(vocabulary, count) for count in counts])
    lengths = np.array([sum(count.values()) for count in counts], np.float64)
    seen_in = np.bincount(columns, minlength=len(vocabulary))
    rarity = np.log(1 + (len(counts) - seen_in + 0.5) / (seen_in + 0.5))
    norms = np.repeat(K1 * (1 - B + B * lengths / max(lengths.mean(), 1)), np.diff(starts))
    return (
        starts,
        columns,
        (rarity[columns] * values * (K1 + 1) / (values + norms)).astype(np.float32),
    )


def _rows(entries: Iterable[tuple[dict[str, int], dict[str, int]]]) -> tuple[Array, Array, Array]:
    starts, columns, values = [0], [], []
    for vocabulary, count in entries:
        for term, number in sorted((vocabulary[term], number) for term, number in count.items()):
            columns.append(term)
            values.append(number)
        starts.append(len(columns))
    return np.array(starts, np.int64), np.array(columns, np.int64), np.array(values, np.float32)
