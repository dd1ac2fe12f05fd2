"""Vectors: embedded once, kept for good, exchanged for those of another embedder."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from retrieval.index.made import (
    FIRST,
    SECOND,
    HashEmbedder,
    answers,
    applied,
    built,
    parts,
    source,
)
from tether.core.errors import InputRefused
from tether.retrieval.errors import EmbedderMismatch, EmbeddingFailed
from tether.retrieval.index.index import Index
from tether.retrieval.index.parts import Step


def texts_of(index: Index) -> set[str]:
    with index.snapshot() as snapshot:
        return {chunk.indexed for chunk in snapshot.chunks(range(snapshot.size))}


def test_the_lexical_lanes_answer_before_anything_is_embedded(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST)
    with index.snapshot() as snapshot:
        assert (snapshot.dense, snapshot.embedder, snapshot.embedded) == (None, "", 0)
        assert len(snapshot.words.search("volume")) > 0


def test_the_vectors_are_those_of_the_indexed_texts(tmp_path: Path) -> None:
    embedder = HashEmbedder()
    index = built(tmp_path / "index", FIRST)
    done = index.embed(embedder)
    assert done.rows == done.size == done.texts
    with index.snapshot() as snapshot:
        assert snapshot.embedded == snapshot.size
        assert snapshot.dense is not None
        for row in range(snapshot.size):
            question = embedder.embed_questions([snapshot.chunk(row).indexed])
            best = snapshot.dense.search_many(question, limit=1)
            assert best.rows.tolist() == [row]
            assert snapshot.dense.scores_many(question, np.array([row])) == pytest.approx([1.0])


def test_nothing_is_embedded_twice(tmp_path: Path) -> None:
    embedder = HashEmbedder()
    index = built(tmp_path / "index", FIRST, embedder=embedder)
    first = texts_of(index)
    assert sorted(embedder.embedded) == sorted(first)
    embedder.embedded.clear()
    applied(index, SECOND, embedder)
    assert set(embedder.embedded) == texts_of(index) - first
    embedder.embedded.clear()
    assert index.embed(embedder).texts == 0
    moved = {"moved/" + key: text for key, text in SECOND.items() if key.endswith(".md")}
    applied(index, {**SECOND, **moved}, embedder)
    assert embedder.embedded == []


def test_a_generation_without_its_embedder_keeps_the_vectors_that_are_known(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST, embedder=HashEmbedder())
    report = applied(index, SECOND)
    assert 0 < report.embedded < report.chunks
    with index.snapshot() as snapshot:
        assert snapshot.embedder == "hash/1"
        assert snapshot.embedded == report.embedded
    assert index.embed(HashEmbedder()).rows == report.chunks
    clean = built(tmp_path / "clean", SECOND, embedder=HashEmbedder())
    assert answers(index) == answers(clean)


def test_embedding_goes_on_where_it_failed(tmp_path: Path) -> None:
    texts = {f"{page}.md": f"# Page {page}\n\nText {page}." for page in range(40)}
    failing = HashEmbedder(limit=20)
    index = Index.create(tmp_path / "index", parts())
    report = applied(index, texts, failing)
    assert report.is_new
    assert any("the model went away" in note for note in report.notes)
    assert report.embedded == 0
    assert len(failing.embedded) == 16
    with pytest.raises(EmbeddingFailed):
        index.embed(HashEmbedder(limit=0))
    rest = HashEmbedder()
    assert index.embed(rest).rows == 40
    assert len(rest.embedded) == 24


def test_progress_counts_what_is_left_to_embed(tmp_path: Path) -> None:
    steps: list[Step] = []
    index = built(tmp_path / "index", {f"{page}.md": f"Text {page}." for page in range(20)})
    index.embed(HashEmbedder(), progress=steps.append)
    assert [(step.stage, step.done, step.total) for step in steps] == [
        ("embed", 16, 20),
        ("embed", 20, 20),
    ]


@dataclass(kw_only=True)
class WrongEmbedder(HashEmbedder):
    """Gives vectors that cannot be."""

    rows: int = 0
    scale: float = 1.0

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        right = self.embed_questions(texts)
        return np.asarray(right[self.rows :] * self.scale, dtype=np.float32)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (WrongEmbedder(rows=1), "shape"),
        (WrongEmbedder(scale=2.0), "length is not 1"),
        (WrongEmbedder(scale=float("nan")), "length is not 1"),
        (WrongEmbedder(scale=0.0), "length is not 1"),
    ],
    ids=["rows", "long", "nan", "zero"],
)
def test_vectors_that_cannot_be_are_refused(
    tmp_path: Path, wrong: WrongEmbedder, says: str
) -> None:
    index = built(tmp_path / "index", FIRST)
    with pytest.raises(EmbeddingFailed, match=says):
        index.embed(wrong)
    assert index.status().embedded == 0


def test_another_embedder_needs_a_migration(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST, embedder=HashEmbedder())
    other = HashEmbedder(fingerprint="hash/2", dimensions=4)
    with pytest.raises(EmbedderMismatch, match="hash/1"):
        index.embed(other)
    with pytest.raises(EmbedderMismatch, match="migrate"):
        applied(index, SECOND, other)
    assert index.status().generation == 1


def test_a_migration_reads_no_document_and_equals_a_clean_build(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST, embedder=HashEmbedder())
    index.store_calibration('{"floor": 1}')
    other = HashEmbedder(fingerprint="hash/2", dimensions=4, limit=3)
    with pytest.raises(EmbeddingFailed):
        index.migrate(other)
    assert index.status().embedder == "hash/1"
    other.limit = 1000
    done = index.migrate(other)
    assert (done.rows, done.generation) == (done.size, 1)
    status = index.status()
    assert (status.embedder, status.is_calibrated) == ("hash/2", False)
    clean = HashEmbedder(fingerprint="hash/2", dimensions=4)
    assert answers(index) == answers(built(tmp_path / "clean", FIRST, embedder=clean))
    assert index.check() == ()
    with sqlite3.connect(tmp_path / "index/index.sqlite") as connection:
        assert connection.execute("SELECT fingerprint FROM embedders").fetchall() == [("hash/2",)]
    connection.close()


def test_vectors_of_the_previous_generation_stay_after_a_migration(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST, SECOND, embedder=HashEmbedder())
    index.migrate(HashEmbedder(fingerprint="hash/2", dimensions=4))
    index.rollback()
    with index.snapshot() as snapshot:
        assert (snapshot.embedder, snapshot.embedded) == ("hash/1", snapshot.size)
    assert index.check() == ()


def test_a_damaged_vector_in_the_cache_is_embedded_again(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST, embedder=HashEmbedder())
    with sqlite3.connect(tmp_path / "index/index.sqlite") as connection:
        connection.execute("UPDATE embeddings SET vector = zeroblob(32) WHERE id = 1")
    connection.close()
    assert [damage.what for damage in index.check()] == [
        "vector 1 was changed after it was written"
    ]
    embedder = HashEmbedder()
    report = applied(index, {**FIRST, "x.md": "# X\n\nNew."}, embedder)
    assert report.embedded == report.chunks
    assert len(embedder.embedded) == 2
    assert index.check() == ()


def test_a_calibration_holds_until_what_it_depends_on_changes(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST, embedder=HashEmbedder())
    with pytest.raises(InputRefused, match="calibration"):
        index.store_calibration("[]")
    index.store_calibration('{"floor": 0.5}')
    report = applied(index, SECOND, HashEmbedder())
    with index.snapshot() as snapshot:
        assert snapshot.calibration == '{"floor": 0.5}'
    assert report.notes == ()
    assert index.status().is_calibrated
    assert index.status().calibration_is_stale
    index.rollback()
    assert not index.status().calibration_is_stale


def test_a_calibration_without_vectors_is_dropped_with_the_first_ones(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST)
    index.store_calibration('{"floor": 0.5}')
    index.embed(HashEmbedder())
    with index.snapshot() as snapshot:
        assert snapshot.calibration is None


def test_a_calibration_that_is_dropped_is_told(tmp_path: Path) -> None:
    from dataclasses import replace

    from tether.retrieval.lexical.bm25 import WordSettings
    from tether.retrieval.lexical.lanes import WordLane

    built(tmp_path / "index", FIRST).store_calibration('{"floor": 0.5}')
    other = Index.open(tmp_path / "index", replace(parts(), words=WordLane(WordSettings(k1=1.0))))
    report = other.apply(other.plan(source(FIRST)))
    assert any("calibrat" in note for note in report.notes)
    assert not other.status().is_calibrated
