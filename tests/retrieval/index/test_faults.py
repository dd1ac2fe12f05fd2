"""The disk fails at each single operation, and then at every one after it."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from retrieval.index.made import (
    FIRST,
    SECOND,
    HashEmbedder,
    Texts,
    answers,
    applied,
    built,
    parts,
    room,
    source,
)
from tether.retrieval.errors import IndexWriteFailed
from tether.retrieval.index import connection as connections
from tether.retrieval.index.files import Files
from tether.retrieval.index.index import Index

pytestmark = pytest.mark.unmeasured


class FailingFiles(Files):
    """Fails at the n-th operation, and where `lasting` at every one after it."""

    def __init__(self, nth: int, error: int, *, lasting: bool) -> None:
        self._left = nth
        self._error = error
        self._lasting = lasting
        self.has_failed = False

    def _count(self) -> None:
        self._left -= 1
        if self._left == 0 or (self._lasting and self._left < 0):
            self.has_failed = True
            raise OSError(self._error, "the disk fails")

    def make_folder(self, path: Path) -> None:
        self._count()
        super().make_folder(path)

    def create(self, path: Path) -> int:
        self._count()
        return super().create(path)

    def write(self, descriptor: int, data: bytes | memoryview) -> None:
        half = memoryview(data)[: len(data) // 2]
        super().write(descriptor, half)
        self._count()
        super().write(descriptor, memoryview(data)[len(half) :])

    def sync(self, descriptor: int) -> None:
        self._count()
        super().sync(descriptor)

    def rename(self, source: Path, target: Path) -> None:
        self._count()
        super().rename(source, target)

    def remove_folder(self, path: Path) -> None:
        self._count()
        super().remove_folder(path)


DEEP = os.environ.get("EXPLORE") == "deep"
ERRORS = [errno.EIO, errno.ENOSPC, errno.EMFILE]
FAULTS = [(error, lasting) for error in ERRORS for lasting in (True, False)]
USUAL = [(errno.ENOSPC, True), (errno.EIO, False)]


@pytest.mark.parametrize(("error", "lasting"), FAULTS if DEEP else USUAL)
def test_each_operation_may_fail_and_the_old_or_the_new_generation_answers(
    error: int, *, lasting: bool
) -> None:
    with room() as folder:
        rounds = _fail_everywhere(folder, error, lasting=lasting)
    assert rounds > 50


def _fail_everywhere(folder: Path, error: int, *, lasting: bool) -> int:
    built(folder / "base", {}, SECOND, FIRST, embedder=HashEmbedder())
    old = answers(Index.open(folder / "base", parts()))
    new = answers(built(folder / "clean", SECOND, embedder=HashEmbedder()))
    for nth in range(1, 1000):
        shutil.copytree(folder / "base", folder / "tried")
        files = FailingFiles(nth, error, lasting=lasting)
        reported = _tried(folder / "tried", files)
        index = Index.open(folder / "tried", parts())
        seen = answers(index)
        assert seen.without_vectors in (old.without_vectors, new.without_vectors), nth
        assert not reported or seen.without_vectors == new.without_vectors, nth
        assert index.check() == ()
        applied(index, SECOND, HashEmbedder())
        index.collect()
        assert answers(index) == new, nth
        _no_leftovers(folder / "tried")
        shutil.rmtree(folder / "tried")
        if not files.has_failed:
            return nth
    raise AssertionError("it never went through")


def _tried(folder: Path, files: Files, texts: Texts = SECOND) -> bool:
    """Return whether success was reported."""
    index = Index.open(folder, parts(files))
    try:
        applied(index, texts, HashEmbedder())
    except IndexWriteFailed:
        return False
    return True


def _no_leftovers(folder: Path) -> None:
    names = {path.name for path in folder.iterdir()}
    assert names - {"in-step"} == {"index.sqlite", "generations", "writer.lock"}
    generations = sorted((folder / "generations").iterdir())
    assert len(generations) == 2
    assert not [path for path in folder.rglob("*") if path.name.endswith(".draft")]
    for generation in generations:
        assert len([path for path in generation.iterdir() if path.is_dir()]) == 1


def test_the_database_may_run_out_of_room_at_each_page(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    words = [f"{number * 7919:x}" for number in range(20_000)]
    larger = {f"{page}.md": " ".join(words[page * 500 :][:500]) for page in range(20)}
    built(tmp_path / "base", FIRST, embedder=HashEmbedder())
    old = answers(Index.open(tmp_path / "base", parts()))
    pages = (tmp_path / "base/index.sqlite").stat().st_size // 8192
    clean = answers(built(tmp_path / "clean", larger, embedder=HashEmbedder()))
    settings: Any = connections.WRITING
    ends: list[bool] = []
    for most in range(pages, pages + 40, 4):
        shutil.copytree(tmp_path / "base", tmp_path / "tried")
        limit = (*settings, f"PRAGMA max_page_count = {most}")
        monkeypatch.setattr(connections, "WRITING", limit)
        ends.append(_tried(tmp_path / "tried", Files(), larger))
        monkeypatch.setattr(connections, "WRITING", settings)
        index = Index.open(tmp_path / "tried", parts())
        assert answers(index).without_vectors in (old.without_vectors, clean.without_vectors)
        assert index.check() == ()
        applied(index, larger, HashEmbedder())
        assert answers(index) == clean
        shutil.rmtree(tmp_path / "tried")
    assert ends == sorted(ends)
    assert not ends[0]
    assert ends[-1]


def test_creating_may_fail_anywhere_and_is_completed_by_the_next_run(tmp_path: Path) -> None:
    for nth in range(1, 10):
        files = FailingFiles(nth, errno.ENOSPC, lasting=True)
        try:
            Index.create(tmp_path / "index", parts(files))
        except IndexWriteFailed:
            assert files.has_failed
        index = Index.create(tmp_path / "index", parts())
        assert index.plan(source()).base is None
        shutil.rmtree(tmp_path / "index")
        if not files.has_failed:
            return
    raise AssertionError("it never went through")


def test_the_disk_may_be_full_at_any_point(tmp_path: Path) -> None:
    """A real disk of 4 MB, with less and less room left on it."""
    disk = tmp_path / "disk"
    disk.mkdir()
    texts = {f"{page}.md": f"# Page {page}\n\nPods and nodes {page}." for page in range(40)}
    built(tmp_path / "base", FIRST, embedder=HashEmbedder())
    old = answers(Index.open(tmp_path / "base", parts()))
    new = answers(built(tmp_path / "clean", texts, embedder=HashEmbedder()))
    ends = []
    for left in range(0, 400_000, 20_000 if DEEP else 66_000):
        with _small_disk(disk):
            shutil.copytree(tmp_path / "base", disk / "index")
            room_left = shutil.disk_usage(disk).free - left
            (disk / "filled").write_bytes(bytes(max(room_left, 0)))
            ends.append(_tried(disk / "index", Files(), texts))
            index = Index.open(disk / "index", parts())
            seen = answers(index).without_vectors
            assert seen == (new if ends[-1] else old).without_vectors
            assert index.check() == ()
            (disk / "filled").unlink()
            applied(index, texts, HashEmbedder())
            assert answers(index) == new
    assert not ends[0]
    assert ends[-1]


@contextmanager
def _small_disk(place: Path) -> Generator[None]:
    mount = shutil.which("mount")
    command = [str(mount), "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(place)]
    if mount is None or subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("nothing may be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", str(place)], check=True)
