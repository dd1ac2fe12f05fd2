"""What a hostile disk, source, embedder or user can do, and what must hold nevertheless."""

from __future__ import annotations

import errno
import gc
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

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
from tether.core.errors import InputRefused
from tether.retrieval.errors import (
    DocumentUnreadable,
    EmbedderMismatch,
    IndexDamaged,
    IndexFormatUnsupported,
    IndexLocked,
)
from tether.retrieval.index import folder as folders
from tether.retrieval.index import garbage
from tether.retrieval.index import snapshot as snapshots
from tether.retrieval.index.files import Files
from tether.retrieval.index.index import Index
from tether.retrieval.index.plan import Plan
from tether.retrieval.index.rows import Rows
from tether.retrieval.index.store import writing
from tether.retrieval.reading.requests import ReadRequest, ReadResult
from tether.retrieval.source import DocumentState, SourceItem


def changed(folder: Path, *statements: str) -> None:
    """Change the database behind the index's back."""
    connection = sqlite3.connect(folder / "index.sqlite", isolation_level=None)
    connection.execute("PRAGMA foreign_keys = OFF")
    for statement in statements:
        connection.execute(statement)
    connection.close()


# What a source says


@pytest.mark.parametrize("gone", [" ", "---\ndraft: true\n---\nx"], ids=["empty", "draft"])
def test_after_rolling_back_a_document_that_is_no_more_leaves_again(
    tmp_path: Path, gone: str
) -> None:
    texts = {**FIRST, "guide/start.md": gone}
    index = built(tmp_path / "index", FIRST, texts)
    index.rollback()
    plan = index.plan(source(texts))
    assert plan.removed == ("guide/start.md",)
    index.apply(plan)
    assert answers(index) == answers(built(tmp_path / "clean", texts))


def test_a_folder_that_cannot_be_listed_keeps_everything_below_it(tmp_path: Path) -> None:
    index = built(tmp_path / "index", {**FIRST, "guide/none.md": " "})
    shut = source({key: text for key, text in FIRST.items() if not key.startswith("guide/")})
    shut.states = [DocumentState(key="guide/", state="failed", reason="may not be listed")]
    del shut.texts["notes.txt"]
    plan = index.plan(shut)
    assert plan.removed == ("notes.txt",)
    assert plan.shut == ("guide/",)
    report = index.apply(plan)
    kept = [(state.key, state.state, state.reason) for state in report.states]
    assert ("guide/", "failed", "may not be listed") in kept
    with index.snapshot() as opened:
        assert opened.document_keys() == ("guide/start.md", "guide/volumes.md", "über.md")
    assert index.status().states == {"empty": 1, "failed": 1, "indexed": 3}
    back = source({**FIRST, "guide/none.md": " "})
    del back.texts["notes.txt"]
    assert index.apply(index.plan(back)).is_new is False
    assert back.loaded == []
    assert index.status().states == {"empty": 1, "indexed": 3}


KEYS = [
    "new\nline.md",
    "quo'te\".md",
    "per%cent?x=1#y.md",
    "nul\0.md",
    "lone\udcff.md",
    "k" * 5_000 + ".md",
    "Case.md",
    "case.md",
    "e\u0301.md",
    "\u00e9.md",
    "' OR 1=1 --.md",
]


def test_no_key_is_too_odd_and_none_harms_another(tmp_path: Path) -> None:
    texts = {key: f"# Page\n\nText number {at}." for at, key in enumerate(KEYS)}
    index = Index.create(tmp_path / "index", parts())
    report = applied(index, texts, HashEmbedder())
    assert len(report.states) == len(KEYS)
    assert {state.state for state in report.states} == {"indexed"}
    assert index.plan(source(texts)).is_empty
    for at, key in enumerate(KEYS):
        shown = index.show(key.replace("\0", "").replace("\udcff", "\ufffd"))
        assert shown.document.text.endswith(f"number {at}.")
    assert index.check() == ()


def test_states_and_evidence_that_no_database_takes_are_cleaned(tmp_path: Path) -> None:
    index = Index.create(tmp_path / "index", parts())
    odd = source({}, name="odd\udcff")
    odd.states = [DocumentState(key="a\udcff", state="skipped", reason="b\udcff")]

    def scan() -> Iterator[SourceItem | DocumentState]:
        yield from odd.states
        yield SourceItem(
            key="c.md", name="c\udcff.md", version="v\udcff", load=lambda: b"# C\n\nD."
        )

    odd.scan = scan  # type: ignore[method-assign]
    index.apply(index.plan(odd))
    assert index.plan(odd).is_empty
    assert index.status().states == {"indexed": 1, "skipped": 1}


def test_a_key_of_another_source_is_not_taken_over(tmp_path: Path) -> None:
    index = Index.create(tmp_path / "index", parts())
    first = source({"b/x.md": "# X\n\nOf the first."}, name="/home/a")
    second = source({"x.md": "# X\n\nOf the second.", "y.md": "# Y\n\nAlso."}, name="/home/b")
    index.apply(index.plan(first))
    broken = source({}, name="/home/b")
    broken.states = [DocumentState(key="x.md", state="failed", reason="unreadable")]
    index.apply(index.plan(broken))
    assert index.status().states == {"indexed": 1, "skipped": 1}
    report = index.apply(index.plan(second))
    assert [(state.key, state.state) for state in report.states] == [
        ("b/x.md (again in /home/b)", "skipped"),
        ("b/y.md", "indexed"),
    ]
    assert "Of the first" in index.show("b/x.md").document.text
    index.apply(index.plan(first, second))
    with index.snapshot() as opened:
        assert opened.document_keys() == ("a/b/x.md", "b/x.md", "b/y.md")


def test_evidence_of_another_source_is_no_evidence(tmp_path: Path) -> None:
    def one(name: str, text: bytes) -> Any:
        found = source({}, name=name)
        item = SourceItem(key="https://a.example/", name="a.md", version="1", load=lambda: text)
        found.scan = lambda: iter([item])  # type: ignore[method-assign]
        return found

    index = Index.create(tmp_path / "index", parts())
    index.apply(index.plan(one("one", b"# One\n\nText.")))
    index.apply(index.plan(one("two", b"# Two\n\nText."), forget=["one"]))
    assert index.show("https://a.example/").document.title == "Two"


def test_a_document_goes_over_to_another_source(tmp_path: Path) -> None:
    page = {"https://a.example/x": "# Page\n\nAbout pages."}
    index = Index.create(tmp_path / "index", parts())
    index.apply(index.plan(source(page, name="one")))
    index.apply(index.plan(source(page, name="two"), forget=["one"]))
    assert index.status().documents == 1
    index.apply(index.plan(source({}, name="two")))
    assert index.status().documents == 0


@dataclass(kw_only=True)
class Hurried:
    """Fails while the machine is busy."""

    busy: bool = True

    def __call__(self, requests: Iterable[ReadRequest]) -> Iterator[ReadResult]:
        reader = CountingReader()
        for request in requests:
            if self.busy:
                outcome = DocumentUnreadable("it took too long", retryable=True)
                yield ReadResult(key=request.key, outcome=outcome)
            else:
                yield from reader([request])


def test_what_failed_for_the_moment_is_tried_again(tmp_path: Path) -> None:
    reader = Hurried()
    index = Index.create(tmp_path / "index", replace(parts(), read=reader))
    assert {state.state for state in applied(index, FIRST).states} == {"failed"}
    reader.busy = False
    assert {state.state for state in applied(index, FIRST).states} == {"indexed"}


def test_what_failed_for_good_is_tried_again_when_asked(tmp_path: Path) -> None:
    texts = {"a.md": "UNREADABLE"}
    index = built(tmp_path / "index", texts)
    assert index.plan(source(texts)).added == ()
    assert len(index.plan(source(texts), rebuild=True).added) == 1


def test_titles_and_anchors_reach_the_reader_and_a_new_one_is_a_change(tmp_path: Path) -> None:
    reader = CountingReader()
    index = Index.create(tmp_path / "index", parts(reader=reader))

    def titled(title: str, anchors: Any) -> Any:
        found = source({})
        item = SourceItem(
            key="a.md",
            name="a.md",
            version="1",
            load="Text.\n\n## Ä b\n\nMore.".encode,
            title=title,
            anchors=anchors,
        )
        found.scan = lambda: iter([item])  # type: ignore[method-assign]
        return found

    for title, anchors in [("One", "github"), ("Two", "github"), ("Two", "mkdocs")]:
        index.apply(index.plan(titled(title, anchors)))
        assert index.show("a.md").document.title == title
    assert index.show("a.md").chunks[-1].anchor == "a-b"
    assert len(reader.seen) == 3
    assert index.plan(titled("Two", "mkdocs")).is_empty


def test_other_readers_read_everything_again(tmp_path: Path) -> None:
    built(tmp_path / "index", FIRST)
    index = Index.open(tmp_path / "index", replace(parts(), readers="another"))
    assert len(index.plan(source(FIRST)).changed) == len(FIRST)


def test_a_plan_prints_no_control_characters() -> None:
    reads: list[Any] = [
        type("Read", (), {"item": SourceItem(key=key, name="", version="", load=bytes)})()
        for key in ("plain.md", "bell\x1b]0;x\x07.md", "two\u2028lines.md", "rtl\u202e.md")
    ]
    lines = str(Plan(base=1, sources=(), added=tuple(reads))).splitlines()
    assert lines[1:] == [
        "+ plain.md",
        r"+ 'bell\x1b]0;x\x07.md'",
        r"+ 'two\u2028lines.md'",
        r"+ 'rtl\u202e.md'",
    ]


# What an embedder does


def test_an_embedder_that_changed_its_size_is_refused_and_no_vector_is_lost(
    tmp_path: Path,
) -> None:
    index = built(tmp_path / "index", FIRST, embedder=HashEmbedder())
    before = answers(index)
    with pytest.raises(EmbedderMismatch, match="8 dimensions"):
        index.embed(HashEmbedder(dimensions=4))
    with pytest.raises(EmbedderMismatch, match="8 dimensions"):
        applied(index, SECOND, HashEmbedder(dimensions=4))
    with pytest.raises(EmbedderMismatch, match="8 dimensions"):
        index.migrate(HashEmbedder(dimensions=4))
    assert answers(index) == before
    other = HashEmbedder(fingerprint="other", dimensions=4)
    index.migrate(other)
    assert answers(index) == answers(built(tmp_path / "clean", FIRST, embedder=other))


def test_a_damaged_size_of_vectors_drops_none_of_them(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST, embedder=HashEmbedder())
    changed(tmp_path / "index", "UPDATE embedders SET dimensions = 9")
    assert any("vector" in damage.what for damage in index.check())
    with pytest.raises(IndexDamaged, match="9"):
        applied(index, SECOND)
    changed(tmp_path / "index", "UPDATE embedders SET dimensions = 8")
    embedder = HashEmbedder()
    applied(index, FIRST, embedder)
    assert embedder.embedded == []


def test_calibrations_that_embedding_drops_are_told(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST)
    index.store_calibration('{"floor": 0.5}')
    assert "calibrat" in applied(index, SECOND, HashEmbedder()).notes[0]
    index.store_calibration('{"floor": 0.5}')
    assert index.embed(HashEmbedder()).notes == ()
    assert "calibrat" in index.migrate(HashEmbedder(fingerprint="other")).notes[0]


def test_a_calibration_of_another_generation_is_refused(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST, SECOND)
    with pytest.raises(InputRefused, match="calibrate again"):
        index.store_calibration('{"floor": 0.5}', generation=1)
    index.store_calibration('{"floor": 0.5}', generation=2)
    assert index.status().is_calibrated


def test_many_unused_vectors_go_in_several_transactions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {f"{page}.md": f"Text number {page}." for page in range(20)}
    index = built(tmp_path / "index", texts, embedder=HashEmbedder())
    monkeypatch.setattr(garbage, "VECTORS_AT_ONCE", 7)
    index.migrate(HashEmbedder(fingerprint="other"))
    for kept in ({"0.md": texts["0.md"]}, {}, {"1.md": texts["1.md"]}):
        applied(index, kept, HashEmbedder(fingerprint="other"))
    assert _count(tmp_path / "index", "embedders") == 1
    assert _count(tmp_path / "index", "embeddings") == 1
    assert index.check() == ()


def _count(folder: Path, table: str) -> int:
    connection = sqlite3.connect(folder / "index.sqlite")
    try:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
    finally:
        connection.close()


# What happens on the disk


def test_going_back_to_a_damaged_generation_is_refused(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST, SECOND)
    before = answers(index)
    (tmp_path / "index/generations/1/rows.starts.array").unlink()
    with pytest.raises(IndexDamaged, match=r"rows\.starts"):
        index.rollback()
    assert answers(index) == before
    changed(tmp_path / "index", "DELETE FROM entries WHERE generation = 1")
    with pytest.raises(IndexDamaged):
        index.rollback()
    assert answers(index) == before


def test_foreign_files_in_the_folders_are_left_alone(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST)
    strays = [
        tmp_path / "index/.DS_Store",
        tmp_path / "index/generations/.DS_Store",
        tmp_path / "index/generations/1/.DS_Store",
        tmp_path / "index/generations/1/dense-notes.txt",
    ]
    for stray in strays:
        stray.touch()
    applied(index, SECOND, HashEmbedder())
    Index.create(tmp_path / "index", parts())
    assert [stray.exists() for stray in strays] == [True] * 4
    link = tmp_path / "index/generations/link"
    (tmp_path / "precious").mkdir()
    link.symlink_to(tmp_path / "precious")
    applied(index, FIRST, HashEmbedder())
    assert (tmp_path / "precious").is_dir()
    Index.recreate(tmp_path / "index", parts())


def test_removing_the_lock_by_hand_lets_no_second_writer_in(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST)
    with writing(tmp_path / "index"):
        (tmp_path / "index/writer.lock").unlink()
        with pytest.raises(IndexLocked, match="another process"):
            applied(index, SECOND)
    assert applied(index, SECOND).is_new


def test_nothing_is_collected_where_nobody_knows_what_is_searched(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST, SECOND)
    changed(tmp_path / "index", "DELETE FROM heads")
    for use in (index.collect, index.rollback, lambda: applied(index, FIRST)):
        with pytest.raises(IndexDamaged, match="heads"):
            use()
    assert len(list((tmp_path / "index/generations").iterdir())) == 2


def test_beginning_anew_on_a_disk_where_a_file_has_one_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built(tmp_path / "index", FIRST, embedder=HashEmbedder())

    def refused(*_: object) -> None:
        raise PermissionError(errno.EPERM, "no links here")

    monkeypatch.setattr(Path, "hardlink_to", refused)
    embedder = HashEmbedder()
    applied(Index.recreate(tmp_path / "index", parts()), FIRST, embedder)
    (tmp_path / "index/index.sqlite").replace(tmp_path / "index/index.sqlite.damaged")
    applied(Index.recreate(tmp_path / "index", parts()), FIRST, embedder)
    assert embedder.embedded == []


class Folders(Files):
    """Remembers which folders were synced."""

    def __init__(self) -> None:
        self.synced: list[Path] = []

    def sync_folder(self, path: Path) -> None:
        self.synced.append(path)
        super().sync_folder(path)


def test_every_folder_that_was_made_is_synced_where_its_name_is(tmp_path: Path) -> None:
    files = Folders()
    Index.create(tmp_path / "a/b/index", parts(files))
    assert {tmp_path, tmp_path / "a", tmp_path / "a/b", tmp_path / "a/b/index"} <= set(files.synced)


class NoDatabase(Files):
    """Removing a folder meets a database that takes no more."""

    def remove_folder(self, path: Path) -> None:
        raise sqlite3.OperationalError("database or disk is full")


def test_a_database_that_is_full_while_collecting_does_not_undo_the_switch(tmp_path: Path) -> None:
    built(tmp_path / "index", FIRST, SECOND)
    report = applied(Index.open(tmp_path / "index", parts(NoDatabase())), FIRST)
    assert report.is_new
    assert "full" in report.notes[-1]


def test_a_snapshot_follows_vectors_that_are_replaced_while_it_opens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = built(tmp_path / "index", FIRST, embedder=HashEmbedder())
    other = HashEmbedder(fingerprint="other")
    really = snapshots.dense_set
    calls: list[int] = []

    def late(*given: Any) -> Any:
        calls.append(1)
        if len(calls) == 1:
            index.migrate(other)
        return really(*given)

    monkeypatch.setattr(snapshots, "dense_set", late)
    with index.snapshot() as opened:
        assert opened.problems == ()
        assert opened.dense is not None
        assert opened.embedder == "other"
    assert len(calls) == 2


def test_a_snapshot_that_nobody_closed_lets_its_generation_go(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST, embedder=HashEmbedder())
    gc.collect()
    before = len(list(Path("/proc/self/fd").glob("*")))
    forgotten = index.snapshot()
    assert forgotten.size > 0
    with pytest.warns(ResourceWarning):
        del forgotten
    gc.collect()
    assert len(list(Path("/proc/self/fd").glob("*"))) == before
    applied(index, SECOND)
    applied(index, FIRST)
    assert len(list((tmp_path / "index/generations").iterdir())) == 2


def test_a_closed_snapshot_is_not_called_damaged(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST)
    with index.snapshot() as opened:
        pass
    with pytest.raises(InputRefused, match="closed"):
        opened.chunk(0)


def test_a_path_that_is_no_unicode_holds_an_index(tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/od\xff%d?#"))
    index = built(folder, FIRST)
    assert index.check() == ()
    Index.recreate(folder, parts())


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("UPDATE outcomes SET notes = 'x'", "outcome"),
        ("UPDATE outcomes SET evidence = evidence || 'x' WHERE key = 'notes.txt'", "outcome"),
        ("UPDATE outcomes SET state = 'empty' WHERE key = 'notes.txt'", "outcome"),
        ("UPDATE heads SET current = 1, previous = 2", "head"),
        ("UPDATE heads SET previous = NULL", "head"),
        ("DELETE FROM heads", "head"),
        ("UPDATE sqlite_sequence SET seq = 1 WHERE name = 'versions'", "number"),
        ("UPDATE sqlite_sequence SET seq = 0 WHERE name = 'generations'", "number"),
        ("DELETE FROM sqlite_sequence", "number"),
        ("UPDATE embedders SET dimensions = 7", "vector"),
        ("UPDATE embedders SET fingerprint = 'x'", "embedder"),
        ("UPDATE sources SET name = 'other'", "source"),
    ],
)
def test_the_check_names_every_row_that_changed(tmp_path: Path, statement: str, says: str) -> None:
    index = built(tmp_path / "index", SECOND, FIRST, embedder=HashEmbedder())
    assert index.check() == ()
    changed(tmp_path / "index", statement)
    damage = index.check()
    assert [found for found in damage if says in found.what], damage
    assert {found.file for found in damage} == {"index.sqlite"}


def test_a_damaged_sequence_does_not_stop_the_next_run(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST, SECOND)
    changed(tmp_path / "index", "UPDATE sqlite_sequence SET seq = 0")
    applied(index, {**FIRST, "z.md": "# Z\n\nText."})
    assert answers(index) == answers(built(tmp_path / "clean", {**FIRST, "z.md": "# Z\n\nText."}))


def test_the_check_says_nothing_of_a_generation_that_goes_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = built(tmp_path / "index", FIRST, SECOND)
    heads = Rows.heads
    calls: list[int] = []

    def late(self: Rows) -> Any:
        found = heads(self)
        if not calls:
            calls.append(1)
            applied(index, FIRST)
            applied(index, SECOND, HashEmbedder())
        return found

    monkeypatch.setattr(Rows, "heads", late)
    assert index.check() == ()
    assert calls


def test_a_check_keeps_what_it_looks_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = built(tmp_path / "index", FIRST, SECOND, embedder=HashEmbedder())
    entries = Rows.entries
    calls: list[int] = []

    def late(self: Rows, generation: int) -> Any:
        found = entries(self, generation)
        if not calls:
            calls.append(1)
            index.migrate(HashEmbedder(fingerprint="other"))
            for texts in (FIRST, SECOND, {}, FIRST):
                applied(index, texts)
        return found

    monkeypatch.setattr(Rows, "entries", late)
    assert index.check() == ()
    assert calls


def test_arrays_of_another_format_are_refused(tmp_path: Path) -> None:
    from hashlib import sha256

    index = built(tmp_path / "index", FIRST)
    path = tmp_path / "index/generations/1/manifest.json"
    text = path.read_text().replace('"format":1', '"format":2')
    path.write_text(text)
    with writing(tmp_path / "index") as store, store.transaction():
        checksum = sha256(text.encode()).hexdigest()
        store.put_generation(replace(store.current(), manifest=checksum))
    with pytest.raises(IndexFormatUnsupported, match="format 2"):
        index.snapshot()


class Stopped(Exception):
    """The process ends here."""


@pytest.mark.parametrize("call", range(1, 9))
def test_beginning_anew_may_stop_anywhere_and_loses_no_vector(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: int
) -> None:
    built(tmp_path / "index", FIRST, embedder=HashEmbedder())
    calls: list[int] = []

    def counted(name: str, module: Any) -> None:
        really = getattr(module, name)

        def stopping(*given: Any, **named: Any) -> Any:
            calls.append(1)
            if len(calls) == call:
                raise Stopped
            return really(*given, **named)

        monkeypatch.setattr(module, name, stopping)

    for name in ("replace", "link", "fsync", "unlink"):
        counted(name, os)
    counted("save_vectors", folders)
    with suppress(Stopped):
        Index.recreate(tmp_path / "index", parts())
    monkeypatch.undo()
    index = Index.recreate(tmp_path / "index", parts())
    embedder = HashEmbedder()
    applied(index, FIRST, embedder)
    assert embedder.embedded == []
    assert index.check() == ()


def test_vectors_whose_folder_is_gone_are_named(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST, embedder=HashEmbedder())
    (tmp_path / "index/generations/1/dense-1").rename(tmp_path / "elsewhere")
    with index.snapshot() as opened:
        assert opened.dense is None
        assert "dense-1" in opened.problems[0]
    assert [damage.file for damage in index.check()] == ["dense-1/manifest.json"]


def test_vectors_are_saved_as_far_as_they_can_be_read(tmp_path: Path) -> None:
    texts = {f"{page}.md": f"Text number {page}." for page in range(600)}
    index = built(tmp_path / "index", texts, embedder=HashEmbedder())
    path = tmp_path / "index/index.sqlite"
    connection = sqlite3.connect(path)
    statement = "SELECT pageno FROM dbstat WHERE name = 'embeddings' AND pagetype = 'leaf'"
    try:
        pages = [row[0] for row in connection.execute(f"{statement} ORDER BY path")]
    except sqlite3.OperationalError:
        pytest.skip("this SQLite does not tell where a table lies")
    finally:
        connection.close()
    data = bytearray(path.read_bytes())
    data[(pages[-1] - 1) * 8192 : pages[-1] * 8192] = b"\xa5" * 8192
    path.write_bytes(data)
    embedder = HashEmbedder()
    applied(Index.recreate(tmp_path / "index", parts()), texts, embedder)
    assert 0 < len(embedder.embedded) < 600
    assert index.check() == ()


def test_a_database_without_vectors_saves_none(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST, embedder=HashEmbedder())
    changed(tmp_path / "index", "DROP TABLE embeddings", "DROP TABLE embedders")
    embedder = HashEmbedder()
    applied(Index.recreate(tmp_path / "index", parts()), FIRST, embedder)
    assert len(embedder.embedded) > 0
    assert index.check() == ()


def test_a_table_whose_text_is_no_unicode_is_damage(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST)
    path = tmp_path / "index/index.sqlite"
    data = path.read_bytes()
    for word in (b"CREATE TABLE outcomes", b"STRICT"):
        for byte in (b"\xd3", b"\xff"):
            path.write_bytes(data.replace(word, word[:2] + byte + word[3:]))
            with pytest.raises(IndexDamaged):
                index.snapshot()
            assert [damage.file for damage in index.check()] == ["index.sqlite"]
    path.write_bytes(data)
    assert index.check() == ()


def test_a_size_of_vectors_that_is_no_number_is_damage(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST, embedder=HashEmbedder())
    path = tmp_path / "index/index.sqlite"
    data = path.read_bytes()
    at = data.index(b"\x01\x08hash/1\x08")  # the types of its last two columns, then the row
    path.write_bytes(data[:at] + b"\x00" + data[at + 1 :])  # the size is NULL now
    assert any("vector" in damage.what for damage in index.check())
    with pytest.raises(IndexDamaged):
        applied(index, SECOND)
