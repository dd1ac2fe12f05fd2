"""Vectors added beside the work of others: the lock is held for moments, and all count or none."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrieval.index.made import FIRST, SECOND, HashEmbedder, answers, applied, built, source
from tether.retrieval.errors import EmbedderMismatch, EmbeddingFailed
from tether.retrieval.index.files import writer_lock
from tether.retrieval.index.parts import Step

MANY = {f"{number}.md": f"# Page {number}\n\nText {number}." for number in range(100)}


def test_the_vectors_are_those_of_a_run_that_holds_the_lock(tmp_path: Path) -> None:
    beside, alone = built(tmp_path / "beside", FIRST), built(tmp_path / "alone", FIRST)
    done = beside.embed_beside(HashEmbedder())
    assert (done.rows, done.texts) == (done.size, 0)
    alone.embed(HashEmbedder())
    assert answers(beside) == answers(alone)


def test_others_write_meanwhile_and_see_no_vector_before_all_are_there(tmp_path: Path) -> None:
    index = built(tmp_path / "index", MANY)
    seen: list[tuple[int, int, int]] = []

    def write(step: Step) -> None:
        if len(seen) == 2:
            applied(index, {**MANY, **SECOND})
        seen.append((step.done, step.total, index.generation().embedded))

    done = index.embed_beside(HashEmbedder(), progress=write)
    assert seen[0] == (0, 100, 0)
    assert {embedded for _, _, embedded in seen} == {0}
    assert done.rows == done.size == index.generation().size > 100
    assert index.status().documents == len(MANY) + len(SECOND)


def test_it_waits_while_another_process_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = built(tmp_path / "index", FIRST)
    lock = writer_lock(index.folder)
    lock.__enter__()
    waited: list[float] = []

    def wait(seconds: float) -> None:
        waited.append(seconds)
        if len(waited) == 3:
            lock.__exit__(None, None, None)

    monkeypatch.setattr("tether.retrieval.index.embedding_beside.sleep", wait)
    assert index.embed_beside(HashEmbedder()).rows == index.generation().size
    assert len(waited) == 3


def test_stopped_or_failed_it_keeps_what_it_has_and_goes_on_there(tmp_path: Path) -> None:
    index = built(tmp_path / "index", MANY)

    def stop(step: Step) -> None:
        if step.done == 32:
            raise KeyboardInterrupt

    first = HashEmbedder()
    with pytest.raises(KeyboardInterrupt):
        index.embed_beside(first, progress=stop)
    second = HashEmbedder(limit=16)
    with pytest.raises(EmbeddingFailed):
        index.embed_beside(second)
    third = HashEmbedder()
    index.embed_beside(third)
    counts = [len(embedder.embedded) for embedder in (first, second, third)]
    assert counts == [32, 16, 52]


def test_vectors_of_another_embedder_are_refused(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST, embedder=HashEmbedder())
    with pytest.raises(EmbedderMismatch):
        index.embed_beside(HashEmbedder(fingerprint="other/1"))


def test_more_than_wanted_are_left_to_it(tmp_path: Path) -> None:
    index, embedder = built(tmp_path / "index"), HashEmbedder()
    report = index.apply(index.plan(source(MANY)), embedder=embedder, most=99)
    assert (report.embedded, embedder.embedded) == (0, [])
    report = index.apply(index.plan(source(MANY)), embedder=embedder, most=100)
    assert report.embedded == 100
