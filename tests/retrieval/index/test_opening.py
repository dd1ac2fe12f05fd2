"""Folders that are no index, no longer one, or one of another time."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from retrieval.index.made import (
    FIRST,
    SECOND,
    HashEmbedder,
    answers,
    applied,
    built,
    environment,
    parts,
    source,
)
from tether.core.errors import InputRefused, TetherError
from tether.retrieval.errors import IndexDamaged, IndexFormatUnsupported, IndexLocked, IndexMissing
from tether.retrieval.index.files import writer_lock
from tether.retrieval.index.index import Index


def test_a_folder_without_an_index_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(IndexMissing, match="tether index apply"):
        Index.open(tmp_path, parts())
    with pytest.raises(IndexMissing):
        Index.open(tmp_path / "missing", parts())


def test_an_unfinished_creation_is_missing_and_is_completed(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    folder.mkdir()
    (folder / "index.sqlite").touch()
    with pytest.raises(IndexMissing, match="never finished"):
        Index.open(folder, parts())
    Index.create(folder, parts())
    Index.open(folder, parts())


def test_creating_twice_keeps_what_is_there(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST)
    assert answers(Index.create(tmp_path / "index", parts())) == answers(index)


def test_a_folder_of_other_things_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.md").write_text("mine")
    with pytest.raises(InputRefused, match=r"thesis\.md"):
        Index.create(tmp_path, parts())


def test_a_folder_of_another_owner_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    with pytest.raises(InputRefused, match="another user"):
        Index.create(tmp_path / "index", parts())


def test_everything_is_private_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        (tmp_path / "index").mkdir(mode=0o777)
        built(tmp_path / "index", FIRST, embedder=HashEmbedder())
    finally:
        os.umask(before)
    for path in [tmp_path / "index", *(tmp_path / "index").rglob("*")]:
        assert path.stat().st_mode & 0o077 == 0, path


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("PRAGMA user_version = 2", "format 2, and this version reads 1. Update tether"),
        ("PRAGMA user_version = 0", "format 0, and this version reads 1. Run `tether index apply"),
        ("PRAGMA application_id = 7", "another program"),
    ],
)
def test_another_format_is_refused_with_the_way_out(
    tmp_path: Path, statement: str, says: str
) -> None:
    index = built(tmp_path / "index", FIRST)
    _changed(tmp_path / "index", statement)
    for use in (index.snapshot, index.status, index.check, index.collect):
        with pytest.raises(IndexFormatUnsupported) as caught:
            use()
        assert says in str(caught.value)


def test_foreign_tables_and_triggers_are_damage(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST)
    _changed(tmp_path / "index", "CREATE TRIGGER t AFTER INSERT ON heads BEGIN SELECT 1; END")
    with pytest.raises(IndexDamaged, match="tables"):
        index.snapshot()
    assert [damage.file for damage in index.check()] == ["index.sqlite"]


def _changed(folder: Path, statement: str) -> None:
    connection = sqlite3.connect(folder / "index.sqlite", isolation_level=None)
    connection.execute(statement)
    connection.close()


def test_a_database_that_is_a_folder_or_no_database(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST)
    path = tmp_path / "index/index.sqlite"
    path.write_bytes(b"no database at all" * 1000)
    with pytest.raises(IndexDamaged, match="cannot be read") as caught:
        index.snapshot()
    assert caught.value.file == "index.sqlite"
    with pytest.raises(IndexDamaged):
        index.collect()
    path.unlink()
    path.mkdir()
    with pytest.raises(IndexDamaged, match="is a folder"):
        index.snapshot()
    again = Index.recreate(tmp_path / "index", parts())
    applied(again, FIRST)
    assert answers(again) == answers(built(tmp_path / "clean", FIRST))
    assert Index.recreate(tmp_path / "index", parts()).plan(source()).base is None


def test_a_damaged_database_is_replaced_and_its_vectors_are_kept(tmp_path: Path) -> None:
    built(tmp_path / "index", FIRST, SECOND, embedder=HashEmbedder())
    _changed(tmp_path / "index", "UPDATE embeddings SET vector = zeroblob(3) WHERE id = 1")
    _changed(tmp_path / "index", "DROP TABLE heads")
    with pytest.raises(IndexDamaged):
        Index.open(tmp_path / "index", parts())
    again = Index.recreate(tmp_path / "index", parts())
    embedder = HashEmbedder()
    report = applied(again, SECOND, embedder)
    assert len(embedder.embedded) == 1
    assert report.generation == 3
    assert answers(again) == answers(built(tmp_path / "clean", SECOND, embedder=HashEmbedder()))
    names = {path.name for path in (tmp_path / "index").iterdir()}
    ours = {"generations", "in-step", "index.sqlite", "index.sqlite.damaged", "writer.lock"}
    assert names == ours


def test_an_index_in_a_read_only_folder_is_read(tmp_path: Path) -> None:
    built(tmp_path / "index", FIRST, embedder=HashEmbedder())
    paths = [tmp_path, tmp_path / "index", *(tmp_path / "index").rglob("*")]
    for path in reversed(paths):
        path.chmod(0o555 if path.is_dir() else 0o444)
    program = (
        "import os, sys; from pathlib import Path\n"
        "from retrieval.index.made import answers, applied, parts, SECOND, Index\n"
        "from tether.retrieval.errors import IndexWriteFailed\n"
        "index = Index.open(Path(sys.argv[1]), parts()); before = answers(index)\n"
        "if os.geteuid() == 0: os.setuid(65534)\n"  # nothing is read-only for the superuser
        "assert answers(index) == before; assert index.check() == (); index.status()\n"
        "try: applied(index, SECOND)\n"
        "except IndexWriteFailed: print('read only')\n"
    )
    try:
        said = subprocess.run(
            [sys.executable, "-c", program, str(tmp_path / "index")],
            capture_output=True,
            check=False,
            env=environment(),
        )
    finally:
        for path in paths:
            path.chmod(0o700)
    assert said.stdout == b"read only\n", said.stderr


def test_a_copy_of_the_folder_is_the_index(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST, embedder=HashEmbedder())
    shutil.copytree(tmp_path / "index", tmp_path / "copy")
    assert answers(Index.open(tmp_path / "copy", parts())) == answers(index)


def test_a_second_writer_is_told_who_the_first_is(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST)
    with writer_lock(tmp_path / "index"):
        with pytest.raises(IndexLocked, match=f"process {os.getpid()} since 20"):
            applied(index, SECOND)
        (tmp_path / "index/writer.lock").write_bytes(b"")
        with pytest.raises(IndexLocked, match="another process"):
            index.rollback()
        answers(index)
    assert applied(index, SECOND).is_new


def test_the_lock_of_a_killed_writer_is_free_and_the_database_is_checked(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST)
    program = (
        "import sys, time; from pathlib import Path\n"
        "from tether.retrieval.index.files import writer_lock\n"
        "with writer_lock(Path(sys.argv[1])): print('held', flush=True); time.sleep(60)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path / "index")], stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"held\n"
        with pytest.raises(IndexLocked, match=f"process {child.pid} "):
            applied(index, SECOND)
        child.send_signal(signal.SIGKILL)
    assert (tmp_path / "index/writer.lock").stat().st_size > 0
    assert applied(index, SECOND).is_new
    assert (tmp_path / "index/writer.lock").stat().st_size == 0


def test_the_work_of_a_killed_writer_is_rolled_back_by_a_reader(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST)
    before = answers(index)
    with index.snapshot() as held:
        _left_half_done(tmp_path / "index")
        assert held.document_keys() == tuple(sorted(FIRST))
        _left_half_done(tmp_path / "index")
    assert answers(index) == before
    assert index.check() == ()


def test_what_cannot_be_rolled_back_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = built(tmp_path / "index", FIRST)
    _left_half_done(tmp_path / "index")

    def refused(*given: object, **named: object) -> sqlite3.Connection:
        raise sqlite3.OperationalError("attempt to write a readonly database")

    from tether.retrieval.index import connection as connections

    real = connections.connected
    monkeypatch.setattr(
        connections, "connected", lambda path, mode: refused() if mode == "rw" else real(path, mode)
    )
    with pytest.raises(IndexDamaged, match="cannot be rolled back") as caught:
        index.snapshot()
    assert "with write permission" in str(caught.value)


def _left_half_done(folder: Path) -> None:
    """Leave what a writer leaves that is killed between writing its pages and committing."""
    program = (
        "import sqlite3, sys, os\n"
        "c = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "c.execute('PRAGMA cache_size = 1'); c.execute('PRAGMA cache_spill = 1')\n"
        "c.execute('BEGIN IMMEDIATE'); c.execute('DELETE FROM heads')\n"
        "c.execute('CREATE TABLE filler (x)')\n"
        "c.executemany('INSERT INTO filler VALUES (zeroblob(5000))', [()] * 200)\n"
        "os._exit(0)\n"
    )
    subprocess.run([sys.executable, "-c", program, str(folder / "index.sqlite")], check=True)
    assert (folder / "index.sqlite-journal").stat().st_size > 0


def test_a_journal_that_was_deleted_is_damage_and_no_traceback(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST)
    _left_half_done(tmp_path / "index")
    (tmp_path / "index/index.sqlite-journal").unlink()
    with pytest.raises(TetherError):
        answers(index)


def test_a_database_that_stays_locked_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tether.retrieval.index import connection as connections

    index = built(tmp_path / "index", FIRST)
    monkeypatch.setattr(connections, "WAIT_SECONDS", 0.01)
    monkeypatch.setattr(connections, "CAREFUL", ("PRAGMA busy_timeout = 10",))
    connection = sqlite3.connect(tmp_path / "index/index.sqlite", isolation_level=None)
    connection.execute("BEGIN EXCLUSIVE")
    with pytest.raises(IndexLocked, match="was locked"):
        index.snapshot()
    connection.close()


def test_an_index_is_removed_whole_or_not_at_all(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST)
    with index.snapshot() as snapshot:
        words = snapshot.words
        with writer_lock(index.folder), pytest.raises(IndexLocked):
            index.remove()
        assert index.check() == ()
        (index.folder / "mine.txt").write_text("x")
        with pytest.raises(InputRefused, match=r"mine\.txt"):
            index.remove()
        (index.folder / "mine.txt").unlink()
        index.remove()
        assert list(tmp_path.iterdir()) == []
        assert len(words.search("volume")) > 0, "who reads it goes on"
    with pytest.raises(IndexMissing):
        index.remove()
