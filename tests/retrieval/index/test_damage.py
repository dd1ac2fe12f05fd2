"""Bits flip, files are cut and swapped: never a wrong quote, and `check` names the file."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

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
from tether.core.errors import TetherError
from tether.retrieval.chunk import Chunk
from tether.retrieval.errors import IndexDamaged
from tether.retrieval.index import snapshot as snapshots
from tether.retrieval.index.index import Index

DEEP = os.environ.get("EXPLORE") == "deep"
FLIPS = 1000 if DEEP else 50
CUTS = 100 if DEEP else 24


@dataclass(frozen=True, kw_only=True)
class Truth:
    """An index, and what it held before it was damaged."""

    index: Index
    chunks: list[Chunk]
    texts: dict[str, str]
    files: list[Path]

    def trial(self, path: Path, damage: Callable[[bytes], bytes]) -> str:
        """Damage a file, look whether anything wrong is said, and repair it."""
        sound = path.read_bytes()
        path.write_bytes(damage(sound))
        try:
            told = self._told()
            named = self._named(path)
        finally:
            path.write_bytes(sound)
        assert named or told == "the same", f"{path.name} is damaged and nobody says so"
        return told

    def _told(self) -> str:
        """Read everything; what is read must be true. Any error must be one of ours."""
        try:
            with self.index.snapshot() as snapshot:
                for row, chunk in enumerate(self.chunks):
                    assert snapshot.chunk(row) == chunk
                for key, text in self.texts.items():
                    assert snapshot.document(key).text == text
                return self._searched(snapshot)
        except TetherError:
            return "an error"

    def _searched(self, snapshot: Any) -> str:
        questions = HashEmbedder().embed_questions(["a question"])
        rankings = [
            lane.search(text, limit=20)
            for lane in (snapshot.words, snapshot.grams)
            for text in ("volume size data", "pods", "snapshots of nodes")
        ]
        if snapshot.dense is not None:
            rankings.append(snapshot.dense.search_many(questions, limit=20))
        for ranking in rankings:
            found = snapshot.chunks(ranking.rows.tolist())
            assert found == [self.chunks[row] for row in ranking.rows.tolist()]
        try:
            snapshot.verify()
        except IndexDamaged:
            return "other ranks"
        return "a lane less" if snapshot.problems else "the same"

    def _named(self, path: Path) -> bool:
        try:
            damage = self.index.check()
        except TetherError:
            return True
        return any(Path(found.file).name == path.name for found in damage)


@pytest.fixture
def truth(tmp_path: Path) -> Truth:
    texts = {**FIRST, **SECOND} | {
        f"more/{page}.md": f"# Page {page}\n\nPods and nodes {page}.\n\n## Size\n\nData {page}."
        for page in range(12)
    }
    index = built(tmp_path / "index", texts, embedder=HashEmbedder())
    with index.snapshot() as snapshot:
        chunks = snapshot.chunks(range(snapshot.size))
    files = [path for path in sorted((tmp_path / "index").rglob("*")) if path.is_file()]
    kept = [path for path in files if path.name != "writer.lock"]
    return Truth(index=index, chunks=chunks, texts=texts, files=kept)


def places(truth: Truth, count: int, seed: int) -> Iterator[tuple[Path, int]]:
    """Yield places, half of them in the database and half in the arrays, by size."""
    chance = random.Random(seed)
    arrays = [path for path in truth.files if path.name != "index.sqlite"]
    sizes = [path.stat().st_size for path in arrays]
    database = next(path for path in truth.files if path.name == "index.sqlite")
    for at in range(count):
        path = database if at % 2 else chance.choices(arrays, sizes)[0]
        yield path, chance.randrange(path.stat().st_size)


@pytest.mark.unmeasured
def test_flipped_bits_never_make_a_wrong_quote(truth: Truth) -> None:
    told: dict[str, int] = {}
    for at, (path, offset) in enumerate(places(truth, FLIPS, seed=1)):
        flipped = 1 << (at % 8)

        def damage(data: bytes, offset: int = offset, flipped: int = flipped) -> bytes:
            return data[:offset] + bytes([data[offset] ^ flipped]) + data[offset + 1 :]

        end = truth.trial(path, damage)
        told[end] = told.get(end, 0) + 1
    assert sum(told.values()) == FLIPS
    assert told["an error"] > 0


@pytest.mark.unmeasured
def test_cut_files_and_zeroed_pages_never_make_a_wrong_quote(truth: Truth) -> None:
    for at, (path, offset) in enumerate(places(truth, CUTS, seed=2)):
        page = offset // 4096 * 4096

        def cut(data: bytes, offset: int = offset) -> bytes:
            return data[:offset]

        def zeroed(data: bytes, page: int = page) -> bytes:
            return data[:page] + bytes(len(data[page : page + 4096])) + data[page + 4096 :]

        truth.trial(path, zeroed if at % 4 > 1 else cut)


@pytest.mark.unmeasured
def test_swapped_files_are_noticed(truth: Truth) -> None:
    arrays = [path for path in truth.files if path.suffix == ".array"]
    for first, second in pairwise(arrays):
        if first.read_bytes() == second.read_bytes():
            continue
        other = second.read_bytes()

        def swapped(data: bytes, other: bytes = other) -> bytes:
            return other

        assert truth.trial(first, swapped) != "the same"


def test_files_of_another_generation_are_noticed(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST, {**FIRST, "notes.txt": "Other notes entirely."})
    for name in ("rows.pages.array", "manifest.json"):
        old = (tmp_path / "index/generations/1" / name).read_bytes()
        new = tmp_path / "index/generations/2" / name
        kept = new.read_bytes()
        if old == kept:
            continue
        new.write_bytes(old)
        with pytest.raises(IndexDamaged, match=f"2/{name}"):
            index.snapshot()
        new.write_bytes(kept)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST, embedder=HashEmbedder())
    folder = tmp_path / "index/generations/1"
    (folder / "dense-1/vectors.array").unlink()
    with index.snapshot() as snapshot:
        assert snapshot.dense is None
        assert "vectors.array" in snapshot.problems[0]
        assert len(snapshot.words.search("pods")) > 0
    assert [damage.file for damage in index.check()] == ["dense-1/vectors.array"]
    (folder / "rows.starts.array").unlink()
    with pytest.raises(IndexDamaged, match=r"1/rows\.starts\.array"):
        index.snapshot()
    index.embed(HashEmbedder())
    report = index.apply(index.plan(source(FIRST), rebuild=True))
    assert report.is_new
    with index.snapshot() as snapshot:
        assert snapshot.embedded == snapshot.size
        assert snapshot.problems == ()


def test_a_missing_generation_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "TRIES", 2)
    index = built(tmp_path / "index", FIRST)
    (tmp_path / "index/generations/1").rename(tmp_path / "index/generations/9")
    with pytest.raises(IndexDamaged, match=r"generations/1/manifest\.json is missing"):
        index.snapshot()
    assert [damage.what[:30] for damage in index.check()] != []
    assert applied(index, SECOND).is_new
    assert answers(index) == answers(built(tmp_path / "clean", SECOND))


def test_damaged_postings_are_not_carried_over(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST)
    for path in (tmp_path / "index/generations/1").glob("words.*.array"):
        data = bytearray(path.read_bytes())
        if len(data) > 64:
            data[0] ^= 1
            path.write_bytes(data)
    applied(index, SECOND)
    assert answers(index) == answers(built(tmp_path / "clean", SECOND))


def test_a_damaged_row_is_named_and_a_new_database_repairs_it(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST, embedder=HashEmbedder())
    for statement, says in (
        ("UPDATE chunks SET record = zeroblob(9)", "chunk"),
        ("UPDATE versions SET links = '[1'", "version"),
        ("DELETE FROM chunks", "lost chunks"),
        ("UPDATE entries SET source = 'x' WHERE position = 0", "entry"),
        ("UPDATE generations SET record = 'x'", "generation"),
        ("UPDATE outcomes SET notes = 'x'", "outcome"),
        ("DELETE FROM versions", "refers to nothing"),
        ("DELETE FROM entries", "does not add up"),
        ("DELETE FROM generations", "is missing"),
    ):
        _changed(tmp_path / "index", statement)
        damage = index.check()
        assert any(says in found.what for found in damage), statement
        assert all(found.file == "index.sqlite" for found in damage if says in found.what)
        for use in (index.status, index.rollback, index.collect, partial(answers, index)):
            with suppress(TetherError):
                use()
        with suppress(TetherError):
            applied(index, SECOND)
        index = Index.recreate(tmp_path / "index", parts())
        applied(index, FIRST, HashEmbedder())
        assert index.check() == ()


def _changed(folder: Path, statement: str) -> None:
    import sqlite3

    connection = sqlite3.connect(folder / "index.sqlite", isolation_level=None)
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute(statement)
    connection.close()
