"""What happens rarely: limits, faults in the middle, races, and parts that misbehave."""

from __future__ import annotations

import errno
import fcntl
import os
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from retrieval.index.made import (
    FIRST,
    SECOND,
    CountingReader,
    HashEmbedder,
    answers,
    applied,
    built,
    parts,
    source,
)
from tether.retrieval.chunk import Chunk
from tether.retrieval.dense.lane import DenseLane, DenseSettings
from tether.retrieval.document import Document
from tether.retrieval.errors import IndexDamaged, IndexLocked, IndexWriteFailed
from tether.retrieval.hit import Ranking
from tether.retrieval.index import connection as connections
from tether.retrieval.index import intake
from tether.retrieval.index import snapshot as snapshots
from tether.retrieval.index.arrays import ArraySet, Draft
from tether.retrieval.index.files import Files, lock_for_reading, lock_for_removing
from tether.retrieval.index.guards import GuardedDense, GuardedLexical
from tether.retrieval.index.index import Index
from tether.retrieval.index.parts import default_parts
from tether.retrieval.index.rows import Rows
from tether.retrieval.index.store import writing
from tether.retrieval.lexical.bm25 import WordSettings
from tether.retrieval.lexical.lanes import WordLane
from tether.retrieval.reading.requests import ReadRequest, ReadResult
from tether.retrieval.sources.folder import FolderSource


def test_the_default_parts_index_a_real_folder(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text("# Pods\n\nA pod runs containers.")
    (tmp_path / "docs/b.rst").write_text("Nodes\n=====\n\nA node runs pods.\n")
    index = Index.create(tmp_path / "index", default_parts())
    report = index.apply(index.plan(FolderSource(tmp_path / "docs")))
    assert [(state.key, state.state) for state in report.states] == [
        ("a.md", "indexed"),
        ("b.rst", "indexed"),
    ]
    with index.snapshot() as snapshot:
        assert snapshot.chunk(int(snapshot.grams.search("containers").rows[0])).document == "a.md"
    assert index.status().created[:2] == "20"
    assert index.plan(FolderSource(tmp_path / "docs")).is_empty


def test_many_documents_are_written_in_several_transactions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "BATCH_DOCUMENTS", 2)
    index = built(tmp_path / "index", FIRST)
    monkeypatch.undo()
    assert answers(index) == answers(built(tmp_path / "clean", FIRST))


def test_many_vectors_are_written_in_several_transactions(tmp_path: Path) -> None:
    texts = {f"{page}.md": f"Text number {page}." for page in range(100)}
    index = built(tmp_path / "index", texts, embedder=HashEmbedder())
    assert index.status().embedded == 100


class ManyChunks:
    """Cuts every document into more chunks than an index numbers."""

    fingerprint = "many"

    def chunks(self, document: Document) -> tuple[Chunk, ...]:
        (first, *_) = parts().chunker.chunks(document)
        return (first,) * (1 << 20)


def test_a_document_of_too_many_chunks_fails_alone(tmp_path: Path) -> None:
    index = Index.create(tmp_path / "index", replace(parts(), chunker=ManyChunks()))
    report = applied(index, {"a.md": "# A\n\nText."})
    assert [(state.state, state.reason) for state in report.states] == [
        ("failed", "would be 1048576 chunks")
    ]


class WrongSpans:
    """Cuts documents and says that the chunks lie elsewhere."""

    fingerprint = "wrong"

    def chunks(self, document: Document) -> tuple[Chunk, ...]:
        return tuple(replace(chunk, start=1) for chunk in parts().chunker.chunks(document))


def test_chunks_that_are_not_where_they_say_are_found_by_the_check(tmp_path: Path) -> None:
    index = Index.create(tmp_path / "index", replace(parts(), chunker=WrongSpans()))
    applied(index, {"a.md": "# A\n\nText."})
    assert ["is not in its document" in damage.what for damage in index.check()] == [True]


def surrogates(requests: Iterable[ReadRequest]) -> Iterator[ReadResult]:
    for result in CountingReader()(requests):
        assert isinstance(result.outcome, Document)
        yield replace(result, outcome=replace(result.outcome, title="\ud800"))


def test_text_that_cannot_be_stored_fails_alone(tmp_path: Path) -> None:
    index = Index.create(tmp_path / "index", replace(parts(), read=surrogates))
    report = applied(index, {"a.md": "# A\n\nText."})
    (state,) = report.states
    assert state.state == "failed"
    assert "surrogate" in state.reason
    assert index.check() == ()


def test_arrays_beside_the_vectors_are_kept_and_found(tmp_path: Path) -> None:
    clusters = replace(parts(), dense=DenseLane(DenseSettings(exact_up_to=0)))
    index = Index.create(tmp_path / "index", clusters)
    texts = {f"{page}.md": f"Text number {page}." for page in range(64)}
    applied(index, texts, HashEmbedder())
    with index.snapshot() as snapshot:
        assert any(name.startswith("dense.") for name, _ in snapshot.checksums())
        assert snapshot.dense is not None
        question = HashEmbedder().embed_questions([snapshot.chunk(7).indexed])
        assert snapshot.dense.search_many(question, limit=1).rows.tolist() == [7]
    assert index.check() == ()


class NoRemoving(Files):
    def remove_folder(self, path: Path) -> None:
        raise OSError(errno.EACCES, "may not be removed")


def test_what_cannot_be_removed_does_not_undo_the_switch(tmp_path: Path) -> None:
    built(tmp_path / "index", FIRST, SECOND)
    report = applied(Index.open(tmp_path / "index", parts(NoRemoving())), FIRST)
    assert report.is_new
    assert any("could not be removed" in note for note in report.notes)
    index = Index.open(tmp_path / "index", parts())
    index.collect()
    assert len(list((tmp_path / "index/generations").iterdir())) == 2


class NoRenaming(Files):
    def rename(self, source: Path, target: Path) -> None:
        raise OSError(errno.ENOSPC, "no room")


def test_a_write_that_fails_is_told_and_leaves_the_old_generation(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST)
    before = answers(index)
    with pytest.raises(IndexWriteFailed, match="no room"):
        applied(Index.open(tmp_path / "index", parts(NoRenaming())), SECOND)
    assert answers(index) == before


def test_a_full_database_is_told_and_leaves_the_old_generation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = built(tmp_path / "index", FIRST)
    before = answers(index)
    words = " ".join(f"{number * 7919:x}" for number in range(30_000))
    monkeypatch.setattr(connections, "WRITING", (*connections.WRITING, "PRAGMA max_page_count = 1"))
    with pytest.raises(IndexWriteFailed, match="full"):
        applied(index, {"big.txt": words})
    assert answers(index) == before


def test_an_interruption_inside_a_transaction_undoes_it(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST, SECOND)
    with pytest.raises(KeyboardInterrupt):
        _interrupted(tmp_path / "index")
    assert index.status().generation == 2
    with pytest.raises(IndexDamaged), writing(tmp_path / "index") as store, store.transaction():
        store.set_heads(77, None)


def _interrupted(folder: Path) -> None:
    with writing(folder) as store, store.transaction():
        store.set_heads(1, None)
        raise KeyboardInterrupt


def _overwritten(path: Path, start: int) -> None:
    with path.open("r+b") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(start)
        file.write(b"\xa5" * (size - start))


def test_a_database_that_breaks_while_it_is_read(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST)
    with index.snapshot() as snapshot:
        _overwritten(tmp_path / "index/index.sqlite", 8192)
        with pytest.raises(IndexDamaged, match="cannot be read"):
            snapshot.document_keys()
    assert {damage.file for damage in index.check()} == {"index.sqlite"}
    (tmp_path / "index/writer.lock").write_text("killed")
    with pytest.raises(IndexDamaged):
        index.collect()


def test_an_unsound_database_is_not_written_after_a_kill(tmp_path: Path) -> None:
    built(tmp_path / "index", FIRST)
    path = tmp_path / "index/index.sqlite"
    connection = sqlite3.connect(path)
    (page,) = connection.execute(
        "SELECT rootpage FROM sqlite_schema WHERE name = 'entries_by_version'"
    ).fetchone()
    connection.close()
    data = bytearray(path.read_bytes())
    data[(page - 1) * 8192 + 3 : (page - 1) * 8192 + 5] = b"\0\1"  # one row instead of four
    path.write_bytes(data)
    index = Index.open(tmp_path / "index", parts())
    assert any("wrong # of entries" in damage.what for damage in index.check())
    (tmp_path / "index/writer.lock").write_text("killed")
    with pytest.raises(IndexDamaged, match="is damaged"):
        index.collect()


def test_a_database_that_is_locked_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = built(tmp_path / "index", FIRST)
    monkeypatch.setattr(connections, "CAREFUL", ("PRAGMA busy_timeout = 10",))
    with index.snapshot() as snapshot:
        connection = sqlite3.connect(tmp_path / "index/index.sqlite", isolation_level=None)
        connection.execute("BEGIN EXCLUSIVE")
        with pytest.raises(IndexLocked):
            snapshot.document_keys()
        connection.close()
        assert snapshot.document_keys() == tuple(sorted(FIRST))


def test_a_generation_that_goes_while_it_is_opened_is_followed_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = built(tmp_path / "index", FIRST)
    gone = iter([False, True])
    monkeypatch.setattr(Rows, "has_generation", lambda *_: next(gone))
    with index.snapshot() as snapshot:
        assert snapshot.size > 0
    assert next(gone, None) is None


def test_a_generation_that_is_being_removed_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = built(tmp_path / "index", FIRST)
    descriptor = lock_for_removing(tmp_path / "index/generations/1/manifest.json")
    assert descriptor is not None
    waits: list[float] = []

    def let_go(seconds: float) -> None:
        waits.append(seconds)
        os.close(descriptor)

    monkeypatch.setattr(snapshots, "sleep", let_go)
    with index.snapshot() as opened:
        assert opened.size > 0
    assert len(waits) == 1


def test_a_lock_that_the_system_cannot_give(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    path.touch()

    def refused(descriptor: int, kind: int) -> None:
        raise OSError(errno.ENOLCK, "no locks")

    monkeypatch.setattr(fcntl, "flock", refused)
    with pytest.raises(OSError, match="no locks"):
        lock_for_reading(path)


def test_a_manifest_that_is_a_folder_is_damage(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST)
    path = tmp_path / "index/generations/1/manifest.json"
    path.unlink()
    path.mkdir()
    with pytest.raises(IndexDamaged):
        index.snapshot()
    assert [damage.file for damage in index.check()] != []


def test_an_array_that_changed_is_found_by_the_check_and_by_verifying(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST)
    path = tmp_path / "index/generations/1/links.targets.array"
    data = bytearray(path.read_bytes())
    data[0] ^= 1
    path.write_bytes(data)
    assert [damage.file for damage in index.check()] == ["1/links.targets.array"]
    with index.snapshot() as snapshot, pytest.raises(IndexDamaged, match="links"):
        snapshot.verify()
    path.write_bytes(data[:-1])
    with pytest.raises(IndexDamaged, match="cut"):
        index.snapshot()


def test_a_check_with_other_settings_leaves_that_lane_unopened(tmp_path: Path) -> None:
    built(tmp_path / "index", FIRST)
    other = replace(parts(), words=WordLane(WordSettings(k1=1.0)))
    assert Index.open(tmp_path / "index", other).check() == ()


def test_a_generation_that_does_not_add_up(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST, embedder=HashEmbedder())
    with writing(tmp_path / "index") as store, store.transaction():
        store.put_generation(replace(store.current(), size=99))
    said = [damage.what for damage in index.check()]
    assert said == ["generation 1 does not add up", "has other rows"]
    with pytest.raises(IndexDamaged, match="lost documents"):
        index.plan(source())


def test_a_generation_whose_folder_is_gone_is_collected(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST, SECOND)
    (tmp_path / "index/generations/1").rename(tmp_path / "elsewhere")
    applied(index, FIRST)
    assert index.check() == ()
    with index.snapshot() as snapshot:
        assert snapshot.generation == 3


def test_a_row_that_is_missing_is_damage(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST)
    with writing(tmp_path / "index") as store, store.transaction():
        store.connection.execute("DELETE FROM chunks")
    with index.snapshot() as snapshot, pytest.raises(IndexDamaged, match="missing"):
        snapshot.chunk(0)
    with writing(tmp_path / "index") as store, pytest.raises(IndexDamaged, match="missing"):
        store.document(99)


def test_arrays_have_plain_types_and_names(tmp_path: Path) -> None:
    draft = Draft(Files(), tmp_path / "set")
    with pytest.raises(ValueError, match="no form"):
        draft.add("objects", np.array([{}]))
    with pytest.raises(ValueError, match="no form"):
        draft.add("../out", np.zeros(3))
    numbers = np.arange(6, dtype=">i4").reshape(2, 3)
    draft.add("numbers", numbers)
    draft.add("nothing", np.zeros((0, 3), dtype=np.float32))
    arrays = ArraySet(tmp_path / "set", draft.finish({"a": 1}))
    assert arrays.facts == {"a": 1}
    assert arrays.array("numbers").tolist() == [[0, 1, 2], [3, 4, 5]]
    assert arrays.verify("nothing").shape == (0, 3)
    assert not arrays.array("numbers").flags.writeable
    with pytest.raises(IndexDamaged, match="lists no array"):
        arrays.array("other")
    arrays.close()
    arrays.close()


class BrokenSearcher:
    """A searcher over damaged arrays."""

    def __init__(self, rows: list[int], scores: list[float]) -> None:
        self._found = Ranking(np.array(rows, np.int64), np.array(scores, np.float64))

    def terms(self, text: str, *, language: str = "") -> tuple[str, ...]:
        raise UnicodeDecodeError("utf-8", b"\xff", 0, 1, "damaged")

    def search(self, text: str, *, language: str = "", limit: int = 100) -> Ranking:
        return self._found

    def scores(self, text: str, rows: Any, *, language: str = "") -> Any:
        raise IndexError("index 7 is out of bounds")

    def coverage(self, text: str, rows: Any, *, language: str = "") -> Any:
        raise OverflowError("damaged")

    def holders(self, words: Any) -> Any:
        raise IndexError("index 9 is out of bounds")

    def search_many(self, vectors: Any, *, limit: int = 100) -> Ranking:
        return self._found

    def scores_many(self, vectors: Any, rows: Any) -> Any:
        raise ValueError("damaged")


@pytest.mark.parametrize(
    ("rows", "scores"),
    [([3], [1.0]), ([-1], [1.0]), ([0], [float("nan")]), ([0], [float("inf")])],
    ids=["beyond", "before", "nan", "infinite"],
)
def test_searchers_never_name_rows_or_scores_that_cannot_be(
    rows: list[int], scores: list[float]
) -> None:
    broken = BrokenSearcher(rows, scores)
    with pytest.raises(IndexDamaged, match="cannot be"):
        GuardedLexical(lane="words", size=3, searcher=broken).search("x")
    with pytest.raises(IndexDamaged, match="cannot be"):
        GuardedDense(size=3, searcher=broken).search_many(np.zeros((1, 2), np.float32))


def test_what_damaged_arrays_raise_is_named() -> None:
    broken = BrokenSearcher([], [])
    lexical = GuardedLexical(lane="words", size=3, searcher=broken)
    dense = GuardedDense(size=3, searcher=broken)
    with pytest.raises(IndexDamaged, match="words"):
        lexical.terms("x")
    with pytest.raises(IndexDamaged, match="IndexError"):
        lexical.scores("x", np.array([0]))
    with pytest.raises(IndexDamaged, match="OverflowError"):
        lexical.coverage("x", np.array([0]))
    with pytest.raises(IndexDamaged, match="words"):
        lexical.holders(["x"])
    with pytest.raises(IndexDamaged, match="dense"):
        dense.scores_many(np.zeros((1, 2), np.float32), np.array([0]))
