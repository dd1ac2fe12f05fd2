"""Snapshots: one generation, whatever writers do meanwhile."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from retrieval.index.made import (
    FIRST,
    SECOND,
    HashEmbedder,
    answers,
    answers_of,
    applied,
    built,
    parts,
)
from tether.core.errors import InputRefused
from tether.retrieval.errors import IndexFormatUnsupported, IndexMissing
from tether.retrieval.index.index import Index
from tether.retrieval.lexical.bm25 import WordSettings
from tether.retrieval.lexical.lanes import WordLane


def test_a_snapshot_answers_the_same_while_generations_go_by(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST, embedder=HashEmbedder())
    with index.snapshot() as old:
        before = answers_of(old)
        for number in range(6):
            applied(index, {**SECOND, "n.md": f"# N\n\nNumber {number}."}, HashEmbedder())
            assert answers_of(old) == before
        assert (tmp_path / "index/generations/1").exists()
    index.collect()
    names = sorted(path.name for path in (tmp_path / "index/generations").iterdir())
    assert names == ["6", "7"]
    assert answers(index) == answers(
        built(tmp_path / "clean", {**SECOND, "n.md": "# N\n\nNumber 5."}, embedder=HashEmbedder())
    )


def test_a_snapshot_keeps_its_vectors_while_others_are_made(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST, embedder=HashEmbedder())
    with index.snapshot() as old:
        before = answers_of(old)
        index.migrate(HashEmbedder(fingerprint="hash/2"))
        assert answers_of(old) == before
        assert old.dense is not None
        assert len(old.dense.search_many(HashEmbedder().embed_questions(["x"]))) == old.size
        assert len(list((tmp_path / "index/generations/1").glob("dense-*"))) == 2
    index.collect()
    assert len(list((tmp_path / "index/generations/1").glob("dense-*"))) == 1


def test_what_nobody_needs_any_more_gives_its_room_back(tmp_path: Path) -> None:
    words = [f"{number * 7919:x}" for number in range(60_000)]
    many = {f"{page}.md": " ".join(words[page * 1_000 :][:1_000]) for page in range(60)}
    index = built(tmp_path / "index", FIRST)
    small = index.status().bytes
    applied(index, many)
    assert index.status().bytes > 3 * small
    applied(index, FIRST)
    applied(index, {**FIRST, "x.md": "# X\n\nText."})
    applied(index, FIRST)
    assert index.status().bytes < 2 * small


def test_opening_and_closing_leaves_no_descriptor_behind(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST, embedder=HashEmbedder())
    answers(index)
    before = _descriptors()
    for _ in range(5):
        answers(index)
        applied(index, SECOND, HashEmbedder())
        applied(index, FIRST, HashEmbedder())
    assert _descriptors() == before


def _descriptors() -> int:
    """Return how many files are open, where the system tells."""
    return len(list(Path("/proc/self/fd").glob("*")))


def test_threads_share_a_snapshot(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST, embedder=HashEmbedder())
    with index.snapshot() as snapshot, ThreadPoolExecutor(4) as pool:
        seen = list(pool.map(lambda _: answers_of(snapshot), range(8)))
    assert all(found == seen[0] for found in seen)


def test_rows_and_documents_that_are_not_there_are_refused(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST)
    with index.snapshot() as snapshot:
        for row in (-1, snapshot.size):
            with pytest.raises(InputRefused, match="row"):
                snapshot.chunk(row)
        for number in (-1, len(FIRST)):
            with pytest.raises(InputRefused, match="document"):
                snapshot.links(number)
        with pytest.raises(InputRefused, match="no document"):
            snapshot.document("other.md")
        assert snapshot.document_number("other.md") is None
        assert snapshot.document_number("guide/start.md") == 0
        assert {snapshot.chunk(row).document for row in snapshot.rows_of(0)} == {"guide/start.md"}
        assert snapshot.links(0).tolist() == [1]
        assert snapshot.pages.tolist().count(0) == len(snapshot.rows_of(0))
        assert snapshot.generation == 1
        assert snapshot.chunker == parts().chunker.fingerprint
        assert snapshot.words.terms("volume sizes") != ()
        assert snapshot.words.scores("pods", snapshot.words.search("pods").rows).tolist() == (
            snapshot.words.search("pods").scores.tolist()
        )
        assert snapshot.words.coverage("pods", snapshot.words.search("pods").rows).tolist() == [1]
        snapshot.verify()


def test_a_lane_with_other_settings_is_refused_and_says_what_to_do(tmp_path: Path) -> None:
    built(tmp_path / "index", FIRST)
    other = replace(parts(), words=WordLane(WordSettings(k1=1.0)))
    with Index.open(tmp_path / "index", other).snapshot() as snapshot:
        with pytest.raises(IndexFormatUnsupported, match="tether index apply"):
            snapshot.words  # noqa: B018
        assert len(snapshot.grams.search("pods")) > 0


def test_an_index_without_a_generation_says_so(tmp_path: Path) -> None:
    index = Index.create(tmp_path / "index", parts())
    with pytest.raises(IndexMissing, match="no generation"):
        index.snapshot()
    with pytest.raises(IndexMissing, match="no generation"):
        index.status()
    assert index.check() == ()
    index.collect()


def test_a_document_is_shown_with_its_chunks(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST)
    shown = index.show("guide/volumes.md")
    assert shown.document.title == "Volumes"
    assert [chunk.number for chunk in shown.chunks] == list(range(1, len(shown.chunks) + 1))
    assert all(shown.document.text[chunk.start : chunk.end] == chunk.text for chunk in shown.chunks)
    assert all(chunk.tokens > 0 for chunk in shown.chunks)
    assert shown.state is not None
    assert shown.state.state == "indexed"
