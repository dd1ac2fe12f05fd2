"""Applying plans: what is read, what is kept, what answers afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from retrieval.index.made import (
    FIRST,
    SECOND,
    CountingReader,
    HashEmbedder,
    answers,
    applied,
    built,
    parts,
    room,
    source,
)
from tether.core.errors import InputRefused
from tether.retrieval.errors import SourceUnavailable
from tether.retrieval.index.index import Index
from tether.retrieval.index.parts import Step
from tether.retrieval.source import DocumentState


def test_what_was_applied_is_found_and_quoted(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST)
    with index.snapshot() as snapshot:
        best = snapshot.words.search("setting size").rows.tolist()[0]
        chunk = snapshot.chunk(best)
    assert chunk.document == "guide/volumes.md"
    assert "The size is a setting." in chunk.text
    assert FIRST["guide/volumes.md"][chunk.start : chunk.end] == chunk.text


def test_every_document_ends_in_one_state(tmp_path: Path) -> None:
    texts = {
        "good.md": "# Good\n\nText.",
        "empty.md": "\n",
        "draft.md": "---\ndraft: true\n---\n# Draft\n\nText.",
        "bad.md": "UNREADABLE",
    }
    given = source(texts)
    given.states = [DocumentState(key="a.zip", state="skipped", reason="an archive")]
    index = Index.create(tmp_path / "index", parts())
    report = index.apply(index.plan(given))
    assert {state.key: (state.state, state.reason) for state in report.states} == {
        "a.zip": ("skipped", "an archive"),
        "good.md": ("indexed", ""),
        "empty.md": ("empty", "holds no text"),
        "draft.md": ("skipped", "draft"),
        "bad.md": ("failed", "holds what no reader takes"),
    }
    status = index.status()
    assert status.states == {"empty": 1, "failed": 1, "indexed": 1, "skipped": 2}
    assert [state.key for state in status.troubled] == ["bad.md"]


def test_an_unchanged_tree_is_neither_loaded_nor_read_nor_written(tmp_path: Path) -> None:
    texts = {**FIRST, "draft.md": "---\ndraft: true\n---\nx", "bad.md": "UNREADABLE", "e.md": ""}
    reader = CountingReader()
    index = Index.create(tmp_path / "index", parts(reader=reader))
    index.apply(index.plan(source(texts)))
    before = (tmp_path / "index" / "index.sqlite").read_bytes()
    reader.seen.clear()
    again = source(texts)
    plan = index.plan(again)
    report = index.apply(plan)
    assert plan.is_empty
    assert (again.loaded, reader.seen, report.is_new) == ([], [], False)
    assert {state.state for state in report.states} == {"unchanged", "skipped", "failed", "empty"}
    assert (tmp_path / "index" / "index.sqlite").read_bytes() == before
    assert [path.name for path in (tmp_path / "index" / "generations").iterdir()] == ["1"]


def test_touched_documents_are_loaded_and_not_read(tmp_path: Path) -> None:
    reader = CountingReader()
    index = Index.create(tmp_path / "index", parts(reader=reader))
    index.apply(index.plan(source(FIRST)))
    reader.seen.clear()
    touched = source(FIRST)
    touched.evidence = False
    assert index.plan(touched).is_empty
    assert sorted(touched.loaded) == sorted(FIRST)
    assert reader.seen == []


def test_new_evidence_for_the_same_bytes_is_remembered(tmp_path: Path) -> None:
    index = Index.create(tmp_path / "index", parts())
    without = source(FIRST)
    without.evidence = False
    index.apply(index.plan(without))
    index.apply(index.plan(source(FIRST)))
    again = source(FIRST)
    assert index.plan(again).is_empty
    assert again.loaded == []
    assert index.known_versions("memory").keys() == FIRST.keys()


def test_only_changed_documents_are_read(tmp_path: Path) -> None:
    reader = CountingReader()
    index = Index.create(tmp_path / "index", parts(reader=reader))
    index.apply(index.plan(source(FIRST)))
    reader.seen.clear()
    plan = index.plan(source(SECOND))
    assert [read.item.key for read in plan.added] == ["guide/new.md"]
    assert [read.item.key for read in plan.changed] == ["guide/volumes.md"]
    assert plan.removed == ("notes.txt",)
    assert str(plan).splitlines() == [
        "1 added, 1 changed, 2 unchanged, 1 removed, 0 skipped, 0 failed",
        "+ guide/new.md",
        "~ guide/volumes.md",
        "- notes.txt",
    ]
    index.apply(plan)
    assert sorted(reader.seen) == ["guide/new.md", "guide/volumes.md"]


def test_a_failed_read_keeps_what_was_indexed_before(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST)
    report = applied(index, {**FIRST, "notes.txt": "UNREADABLE"})
    state = next(state for state in report.states if state.key == "notes.txt")
    assert not report.is_new
    assert state.state == "failed"
    assert state.reason.endswith("; the version that was indexed before stays")
    assert index.show("notes.txt").document.text == FIRST["notes.txt"]
    assert index.plan(source({**FIRST, "notes.txt": "UNREADABLE"})).is_empty


@pytest.mark.parametrize("planned_before", [True, False])
def test_a_document_that_cannot_be_loaded_keeps_what_was_indexed_before(
    tmp_path: Path, *, planned_before: bool
) -> None:
    index = built(tmp_path / "index", FIRST)
    given = source({**FIRST, "notes.txt": "changed"})
    given.unloadable = set() if planned_before else {"notes.txt"}
    plan = index.plan(given)
    given.unloadable = {"notes.txt"}
    report = index.apply(plan)
    assert index.show("notes.txt").document.text == (
        "changed" if planned_before else FIRST["notes.txt"]
    )
    assert report.is_new == planned_before


def test_a_new_document_that_vanishes_fails_alone(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST)
    given = source({**FIRST, "new.md": "# New\n\nText."})
    given.unloadable = {"new.md"}
    report = index.apply(index.plan(given))
    state = next(state for state in report.states if state.key == "new.md")
    assert (state.state, state.reason) == ("failed", "vanished while it was read")
    assert index.status().states["failed"] == 1
    given.unloadable = set()
    assert index.apply(index.plan(given)).is_new
    assert index.status().states == {"indexed": 5}


def test_a_source_state_that_failed_keeps_the_document_and_one_that_skips_removes_it(
    tmp_path: Path,
) -> None:
    index = built(tmp_path / "index", FIRST)
    left = {key: text for key, text in FIRST.items() if key not in ("notes.txt", "über.md")}
    given = source(left)
    given.states = [
        DocumentState(key="notes.txt", state="failed", reason="may not be opened"),
        DocumentState(key="über.md", state="skipped", reason="ignored"),
    ]
    plan = index.plan(given)
    assert plan.removed == ("über.md",)
    assert [outcome.key for outcome in plan.failed] == ["notes.txt"]
    assert [outcome.key for outcome in plan.skipped] == ["über.md"]
    assert "! notes.txt: may not be opened" in str(plan)
    index.apply(plan)
    with index.snapshot() as snapshot:
        assert snapshot.document_keys() == ("guide/start.md", "guide/volumes.md", "notes.txt")


def test_nothing_is_removed_because_a_source_cannot_be_seen(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST)
    gone = source({})
    gone.is_gone = True
    with pytest.raises(SourceUnavailable):
        index.plan(gone)
    assert index.status().documents == len(FIRST)


def test_a_document_that_becomes_empty_or_a_draft_leaves_the_index(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST)
    applied(index, {**FIRST, "notes.txt": " ", "über.md": "---\ndraft: true\n---\nx"})
    with index.snapshot() as snapshot:
        assert snapshot.document_keys() == ("guide/start.md", "guide/volumes.md")


def test_a_plan_for_another_generation_is_refused(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST)
    stale = index.plan(source(SECOND))
    applied(index, SECOND)
    with pytest.raises(InputRefused, match="plan again"):
        index.apply(stale)


def test_an_empty_source_gives_an_index_that_finds_nothing(tmp_path: Path) -> None:
    index = built(tmp_path / "index", {})
    with index.snapshot() as snapshot:
        assert snapshot.size == 0
        assert len(snapshot.words.search("anything")) == 0
    assert index.check() == ()
    assert applied(index, FIRST).is_new


def test_several_sources_have_keys_of_their_own(tmp_path: Path) -> None:
    index = Index.create(tmp_path / "index", parts())
    docs = source({"index.md": "# Docs\n\nAbout docs."}, name="/home/docs")
    blog = source({"index.md": "# Blog\n\nAbout a blog."}, name="/srv/blog/")
    other = source({"index.md": "# Other\n\nAbout others."}, name="/other/docs")
    pages = source({"https://a.example/x": "# Page\n\nAbout pages."}, name="https://a.example/")
    index.apply(index.plan(docs, blog, other, pages))
    keys = ("blog/index.md", "docs/index.md", "docs~2/index.md", "https://a.example/x")
    with index.snapshot() as snapshot:
        assert snapshot.document_keys() == keys
        assert "About docs" in snapshot.document("docs/index.md").text
    assert index.known_versions("/srv/blog/").keys() == {"index.md"}
    index.apply(index.plan(blog))
    assert index.status().documents == 4
    index.apply(index.plan(forget=["/home/docs", "/other/docs", "https://a.example/"]))
    assert index.status().sources == ("/srv/blog/",)
    index.apply(index.plan(blog))
    with index.snapshot() as snapshot:
        assert snapshot.document_keys() == ("index.md",)


def test_a_key_that_is_named_twice_is_told(tmp_path: Path) -> None:
    index = Index.create(tmp_path / "index", parts())
    page = {"https://a.example/x": "# Page\n\nAbout pages."}
    report = index.apply(index.plan(source(page, name="one"), source(page, name="two")))
    assert [(state.key, state.state) for state in report.states] == [
        ("https://a.example/x", "indexed"),
        ("https://a.example/x (again in two)", "skipped"),
    ]


def test_another_address_of_the_same_bytes_is_a_change(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST)
    moved = source(FIRST)
    moved.base_url = "https://docs.example/"
    assert len(index.plan(moved).changed) == len(FIRST)
    index.apply(index.plan(moved))
    assert index.show("notes.txt").document.url == "https://docs.example/notes.txt"


def test_text_without_a_form_in_unicode_fails_alone(tmp_path: Path) -> None:
    notebook = (
        '{"cells": [{"cell_type": "markdown", "source": ["# A\\n", "\\ud800 alone"]}], '
        '"metadata": {}, "nbformat": 4, "nbformat_minor": 5}'
    )
    index = Index.create(tmp_path / "index", parts())
    report = applied(index, {"a.ipynb": notebook, "b.md": "# B\n\nText."})
    assert report.documents >= 1
    assert len(report.states) == 2


def test_progress_is_told_and_what_it_raises_stops_the_work(tmp_path: Path) -> None:
    steps: list[Step] = []
    index = Index.create(tmp_path / "index", parts())
    applied(index, FIRST, HashEmbedder(), steps.append)
    assert {step.stage for step in steps} == {"read", "words", "grams", "write", "embed"}
    assert [step for step in steps if step.stage == "read"][-1] == Step(
        stage="read", done=4, total=4
    )

    def stop(step: Step) -> None:
        if step.stage == "grams":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        applied(index, SECOND, progress=stop)
    assert index.status().generation == 1
    assert index.check() == ()
    applied(index, SECOND, HashEmbedder())
    clean = built(tmp_path / "clean", SECOND, embedder=HashEmbedder())
    assert answers(index) == answers(clean)


def test_documents_that_a_stopped_run_has_read_are_not_read_again(tmp_path: Path) -> None:
    reader = CountingReader()
    index = Index.create(tmp_path / "index", parts(reader=reader))

    def stop(step: Step) -> None:
        if step.stage == "words":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        applied(index, FIRST, progress=stop)
    reader.seen.clear()
    applied(index, FIRST)
    assert reader.seen == []
    assert index.status().documents == 4


def test_rolling_back_and_forth(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST)
    first = answers(index)
    with pytest.raises(InputRefused, match="no previous"):
        index.rollback()
    applied(index, SECOND)
    second = answers(index)
    assert index.rollback() == 1
    assert answers(index) == first
    assert index.rollback() == 2
    assert answers(index) == second
    index.rollback()
    applied(index, SECOND)
    assert answers(index) == second
    assert (index.status().generation, index.status().previous) == (3, 1)


def test_other_lane_settings_are_applied_to_unchanged_documents(tmp_path: Path) -> None:
    from dataclasses import replace

    from tether.retrieval.lexical.bm25 import WordSettings
    from tether.retrieval.lexical.lanes import WordLane

    built(tmp_path / "index", FIRST)
    reader = CountingReader()
    other = replace(parts(reader=reader), words=WordLane(WordSettings(k1=1.0)))
    index = Index.open(tmp_path / "index", other)
    plan = index.plan(source(FIRST))
    assert plan.lanes == ("words",)
    assert "* lane words is rebuilt" in str(plan)
    assert index.apply(plan).is_new
    assert reader.seen == []
    clean = Index.create(tmp_path / "clean", other)
    applied(clean, FIRST)
    assert answers(index) == answers(clean)


def test_arrays_can_be_made_anew_from_the_texts(tmp_path: Path) -> None:
    index = built(tmp_path / "index", FIRST)
    before = answers(index)
    (tmp_path / "index/generations/1/rows.pages.array").write_bytes(b"broken")
    report = index.apply(index.plan(source(FIRST), rebuild=True))
    assert report.is_new
    assert answers(index) == before


PAGES = some.dictionaries(
    some.sampled_from(["a.md", "b/c.md", "b/d.txt", "e.rst", "f.md"]),
    some.sampled_from(
        [
            "# One\n\nText of one. [two](b/c.md)\n\n## Part\n\nMore words here.",
            "# Two\n\nOther text.\n\n## Part\n\nMore words here.",
            "Plain words.\n\nMore of them.",
            "",
            "UNREADABLE",
            "# One\n\nText of one.",
        ]
    ),
)


@settings(max_examples=25)
@given(steps=some.lists(PAGES, min_size=1, max_size=4))
def test_whatever_came_before_an_index_equals_one_that_was_built_at_once(
    steps: list[dict[str, str]],
) -> None:
    final: dict[str, str] = {}
    for texts in steps:  # what cannot be read keeps its last readable text
        kept = {
            key: final[key] for key, text in texts.items() if text == "UNREADABLE" and key in final
        }
        final = {key: text for key, text in texts.items() if text != "UNREADABLE"} | kept
    with room() as folder:
        index = built(folder / "index", *steps, embedder=HashEmbedder())
        clean = built(folder / "clean", final, embedder=HashEmbedder())
        assert answers(index) == answers(clean)
        assert index.check() == ()
