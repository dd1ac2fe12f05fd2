"""The nearest vectors, beside a slow and obvious search."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tether.retrieval.dense.clusters import Clusters
from tether.retrieval.dense.lane import DenseLane, DenseSearcher, DenseSettings
from tether.retrieval.errors import EmbedderMismatch, EmbeddingFailed, InvalidRetrievalSettings

Vectors = NDArray[np.float32]
CLUSTERED = DenseLane(DenseSettings(exact_up_to=0))


def unit(rows: NDArray[Any]) -> Vectors:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: Vectors = (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    return scaled


def topical(count: int, dimensions: int, *, topics: int, seed: int = 7) -> Vectors:
    """Vectors in heaps, as texts are."""
    generator = np.random.default_rng(seed)
    heaps = generator.standard_normal((topics, dimensions))
    noise = generator.standard_normal((count, dimensions))
    return unit(heaps[generator.integers(0, topics, count)] + 0.7 * noise)


def slow(vectors: Vectors, questions: Vectors, limit: int) -> list[tuple[int, float]]:
    """Every row that is embedded, its best cosine summed in plain Python."""
    found: list[tuple[int, float]] = []
    for row, vector in enumerate(vectors.tolist()):
        if any(vector):
            cosines = [
                sum(a * b for a, b in zip(vector, question, strict=True))
                for question in questions.tolist()
            ]
            found.append((row, max(cosines)))
    return sorted(found, key=lambda pair: (-round(pair[1], 9), pair[0]))[:limit]


small_vectors = st.lists(
    st.lists(st.integers(-3, 3), min_size=4, max_size=4), min_size=1, max_size=40
).map(lambda rows: unit(np.array(rows, float)))


@given(small_vectors, st.integers(1, 50), st.integers(1, 3))
def test_the_exact_search_finds_what_comparing_all_finds(
    vectors: Vectors, limit: int, forms: int
) -> None:
    questions = unit(np.arange(1.0, 4 * forms + 1).reshape(forms, 4) - 2.0)
    found = DenseLane().open(vectors, {}).search_many(questions, limit=limit)
    expected = slow(vectors, questions, limit)
    assert found.rows.tolist() == [row for row, _ in expected]
    assert found.scores == pytest.approx([score for _, score in expected], abs=1e-9)


def test_equal_vectors_are_ordered_by_row_however_many_there_are() -> None:
    """More of them than one product takes, so that they have different places in it."""
    vectors = np.repeat(topical(1, 384, topics=1), 3001, axis=0)
    found = DenseSearcher(vectors).search(topical(1, 384, topics=1, seed=8)[0], limit=50)
    assert found.rows.tolist() == list(range(50))
    assert len(set(found.scores.tolist())) == 1


def test_passages_that_are_not_embedded_yet_are_never_found() -> None:
    vectors = topical(50, 8, topics=3)
    vectors[::2] = 0
    question = -vectors.sum(axis=0)
    found = DenseSearcher(vectors).search(unit(question[np.newaxis])[0])
    assert sorted(found.rows.tolist()) == list(range(1, 50, 2))
    assert found.scores.min() < 0, "a passage that is unlike the question is still one"


def test_scores_of_chosen_rows_are_those_of_the_search() -> None:
    vectors = topical(3000, 32, topics=9)
    vectors[5] = 0
    question = topical(1, 32, topics=1, seed=3)[0]
    searcher = DenseSearcher(vectors)
    found = searcher.search(question, limit=20)
    assert searcher.scores(question, found.rows).tolist() == found.scores.tolist()
    assert searcher.scores(question, np.array([5])).tolist() == [0.0]
    assert searcher.scores(question, np.empty(0, np.int64)).tolist() == []


def test_scores_of_many_forms_are_the_best_of_each() -> None:
    vectors, forms = topical(60, 16, topics=4), topical(3, 16, topics=3, seed=5)
    vectors[4] = 0
    searcher, rows = DenseSearcher(vectors), np.array([7, 3, 59])
    each = [searcher.scores(form, rows) for form in forms]
    assert searcher.scores_many(forms, rows).tolist() == np.max(each, axis=0).tolist()
    assert np.isnan(searcher.scores_many(forms, np.array([4, 7]))).tolist() == [True, False]


def test_nothing_is_found_in_nothing() -> None:
    vectors = topical(5, 8, topics=1)
    assert len(DenseSearcher(np.empty((0, 8), np.float32)).search(vectors[0])) == 0
    assert len(DenseSearcher(vectors).search(vectors[0], limit=0)) == 0
    assert len(DenseSearcher(vectors).search_many(vectors[:0])) == 0
    assert len(DenseSearcher(np.zeros((5, 8), np.float32)).search(vectors[0], limit=3)) == 0


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_vector_that_holds_no_numbers_is_an_embedding_that_failed(number: float) -> None:
    with pytest.raises(EmbeddingFailed, match="not a finite number"):
        DenseSearcher(topical(5, 8, topics=1)).search(np.full(8, number, np.float32))


@pytest.mark.parametrize("dimensions", [8, 3_072])
def test_near_ties_are_ordered_by_exact_cosines(dimensions: int) -> None:
    generator = np.random.default_rng(3)
    question = unit(generator.standard_normal((1, dimensions)))
    vectors = unit(question + 3e-4 * generator.standard_normal((600, dimensions)))
    wide = vectors.astype(np.float64) @ question[0].astype(np.float64)
    found = DenseSearcher(vectors).search(question[0], limit=20)
    assert found.rows.tolist() == np.lexsort((np.arange(600), -wide))[:20].tolist()


def test_a_vector_of_another_length_is_of_another_embedder() -> None:
    with pytest.raises(EmbedderMismatch, match="has 3 numbers, those of the index 8"):
        DenseSearcher(topical(5, 8, topics=1)).search(np.zeros(3, np.float32))


def test_a_small_index_stores_nothing_beside_its_vectors() -> None:
    assert DenseLane().build(topical(100, 8, topics=2)) == {}
    assert CLUSTERED.build(np.zeros((100, 8), np.float32)) == {}


def test_clusters_find_nearly_all_and_read_a_part() -> None:
    vectors = topical(9000, 32, topics=60)
    questions = topical(30, 32, topics=60, seed=7)
    arrays = CLUSTERED.build(vectors)
    searcher, exact = CLUSTERED.open(vectors, arrays), DenseSearcher(vectors)
    shares = []
    for question in questions:
        found = searcher.search(question)
        true = exact.search(question)
        shares.append(len(np.intersect1d(found.rows, true.rows)) / 100)
        assert exact.scores(question, found.rows).tolist() == found.scores.tolist()
    assert np.mean(shares) >= 0.97
    clusters = Clusters.of(arrays)
    assert clusters is not None
    read = clusters.near(questions[:1], probes=clusters.probes, least=100)
    assert len(read) < len(vectors) / 2


def test_every_embedded_row_is_in_one_cluster_the_nearest() -> None:
    vectors = topical(700, 16, topics=8)
    vectors[100:200] = 0
    clusters = Clusters.of(CLUSTERED.build(vectors))
    assert clusters is not None
    assert sorted(clusters.members.tolist()) == [*range(100), *range(200, 700)]
    for number, center in enumerate(clusters.centers):
        assert np.linalg.norm(center) == pytest.approx(1, abs=1e-5)
        for row in clusters.members[clusters.offsets[number] : clusters.offsets[number + 1]]:
            assert vectors[row] @ center >= (clusters.centers @ vectors[row]).max() - 1e-5


@given(st.integers(1, 40), st.integers(1, 60), st.integers(0, 5))
def test_a_search_of_clusters_fills_the_limit_where_it_can(
    size: int, limit: int, seed: int
) -> None:
    vectors = topical(size, 6, topics=4, seed=seed)
    searcher = CLUSTERED.open(vectors, CLUSTERED.build(vectors))
    found = searcher.search_many(topical(2, 6, topics=2, seed=9), limit=limit)
    assert len(found) == min(limit, size)
    assert len(set(found.rows.tolist())) == len(found)
    assert (np.diff(found.scores) <= 0).all()


def test_equal_vectors_give_equal_arrays() -> None:
    vectors = topical(500, 16, topics=5)
    one, other = CLUSTERED.build(vectors), CLUSTERED.build(vectors.copy())
    assert one.keys() == other.keys()
    assert all(one[name].tobytes() == other[name].tobytes() for name in one)


def test_clusters_are_kept_until_the_index_has_doubled() -> None:
    vectors = topical(1000, 16, topics=5)
    first = CLUSTERED.build(vectors[:400])
    grown = CLUSTERED.build(vectors[:799], first)
    assert grown["centers"].tobytes() == first["centers"].tobytes()
    assert len(grown["members"]) == 799
    outgrown = CLUSTERED.build(vectors[:800], first)
    assert len(outgrown["centers"]) > len(first["centers"])
    other_length = CLUSTERED.build(topical(500, 8, topics=5), first)
    assert other_length["centers"].shape[1] == 8


def test_a_larger_index_is_clustered_from_a_sample() -> None:
    vectors = topical(12_000, 4, topics=5)
    clusters = Clusters.of(CLUSTERED.build(vectors))
    assert clusters is not None
    assert len(clusters.centers) == 218  # 2 * isqrt(12,000), and 218 * 48 < 12,000
    assert len(clusters.members) == 12_000


@pytest.mark.parametrize(
    ("settings", "field"), [({"exact_up_to": -1}, "exact_up_to"), ({"recall": 0.0}, "recall")]
)
def test_settings_that_cannot_work_are_refused(settings: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidRetrievalSettings, match=field):
        DenseSettings(**settings)
