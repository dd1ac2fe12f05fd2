"""`tether index`: its output, its files and its exit codes."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.conftest import embed_cheaply
from app.pages import DOCS, put
from app.shell import run, run_apart
from retrieval.floor.railway import WordEmbedder
from tether.app.index_floor import no_floor
from tether.retrieval.index.parts import Step
from tether.retrieval.index.tables import NAME

NO_FLOOR = no_floor(4)

pytestmark = pytest.mark.usefixtures("alone", "cheap")


def test_planning_writes_nothing_and_says_what_would_happen(docs: Path, tmp_path: Path) -> None:
    ran = run("index", "plan", docs, "--index", tmp_path / "index").succeeded()
    assert ran.out.splitlines() == [
        "2 added, 0 changed, 0 unchanged, 0 removed, 0 skipped, 0 failed",
        "+ pods.md",
        "+ volumes.md",
    ]
    assert ran.err == ""
    assert not (tmp_path / "index").exists()


def test_a_plan_as_json_names_every_document(index: Path, shelf: Path, tmp_path: Path) -> None:
    assert run("index", "plan", "--index", index, "--json").succeeded().json["unchanged"] == [
        "pods.md",
        "volumes.md",
    ]
    other = put(tmp_path / "other", {"new.md": "# New\n\nText."})
    ran = run("index", "plan", other, "--index", index, "--json").succeeded()
    assert len(ran.json["added"]) == 1
    assert ran.json["removed"] == []
    assert set(ran.json) == {
        "added", "changed", "unchanged", "removed", "skipped", "failed", "lanes",
    }  # fmt: skip


def test_applying_tells_every_document_and_the_next_run_does_nothing(
    docs: Path, tmp_path: Path
) -> None:
    words: list[str | Path] = [
        "index",
        "apply",
        docs,
        "--index",
        tmp_path / "index",
        "--no-embeddings",
    ]
    ran = run(*words).succeeded()
    assert ran.out.splitlines() == [
        "2 documents: 2 indexed",
        f"index {tmp_path / 'index'}, generation 1: 4 passages, 0 with vectors",
        NO_FLOOR,
    ]
    assert ran.err == ""
    again = run(*words, "--json").succeeded().json
    assert (again["is_new"], again["generation"]) == (False, 1)
    assert {state["state"] for state in again["states"]} == {"unchanged"}
    ran = run("index", "embed", "--index", tmp_path / "index").succeeded()
    assert ran.out == f"4 passages with vectors\n{NO_FLOOR}\n"


def test_a_document_that_fails_is_named_and_the_exit_code_says_so(
    docs: Path, tmp_path: Path
) -> None:
    (docs / "cut.ipynb").write_text('{"cells": [', encoding="utf-8")
    ran = run("index", "apply", docs, "--index", tmp_path / "index", "--no-embeddings")
    assert ran.code == 1
    first, second, third, _ = ran.out.splitlines()
    assert first == "3 documents: 1 failed, 2 indexed"
    assert second.startswith(f"index {tmp_path / 'index'}, generation 1: 4 passages")
    assert third.startswith("failed: cut.ipynb: ")
    status = run("index", "status", "--index", tmp_path / "index").succeeded()
    assert third in status.out
    assert "documents   2 (1 failed, 2 indexed)" in status.out


def test_a_folder_that_is_not_there_leaves_the_index_as_it_was(index: Path, tmp_path: Path) -> None:
    ran = run("index", "apply", tmp_path / "gone", "--index", index)
    assert ran.code == 1
    assert "gone" in ran.err
    assert "Traceback" not in ran.err
    assert run("index", "status", "--index", index, "--json").json["documents"] == 2


def test_a_folder_of_other_things_is_not_taken_for_an_index(docs: Path) -> None:
    ran = run("index", "apply", docs, "--index", docs)
    assert ran.code == 1
    assert "has other files" in ran.err


def test_a_source_can_be_let_go(index: Path, shelf: Path, tmp_path: Path) -> None:
    other = put(tmp_path / "other", {"new.md": "# New\n\nText about snapshots."})
    run("index", "apply", other, "--index", index, "--no-embeddings").succeeded()
    ran = run("index", "apply", "--forget", shelf / "docs", "--index", index, "--no-embeddings")
    status = run("index", "status", "--index", index, "--json").json
    assert ran.code == 0
    assert status["sources"] == [str(other)]
    assert status["documents"] == 1


def test_an_older_generation_can_be_searched_again(index: Path, tmp_path: Path) -> None:
    other = put(tmp_path / "other", {"new.md": "# New\n\nText about snapshots."})
    run("index", "apply", other, "--index", index, "--no-embeddings").succeeded()
    assert run("search", "snapshots", "--index", index).code == 0
    ran = run("index", "rollback", "--index", index).succeeded()
    assert ran.out == "generation 1 answers now\n"
    assert "new.md" not in run("search", "snapshots", "--index", index).out


def test_status_says_what_the_index_holds(index: Path, shelf: Path) -> None:
    lines = run("index", "status", "--index", index).succeeded().out.splitlines()
    assert lines[0] == f"index       {index}"
    assert lines[1].startswith("generation  1 of 2")
    assert lines[2] == f"sources     {shelf / 'docs'}"
    assert lines[3].startswith("last sync   2")
    assert lines[4:7] == [
        "documents   2 (2 indexed)",
        "passages    4, 4 with vectors",
        f"floor       none {NO_FLOOR.removeprefix('no floor ')}",
    ]
    assert lines[7].endswith(" MB")
    found = run("index", "status", "--index", index, "--json").succeeded().json
    assert (found["chunks"], found["embedded"], found["is_calibrated"]) == (4, 4, False)


def test_a_calibration_of_other_documents_is_called_stale(calibrated: Path, tmp_path: Path) -> None:
    status = run("index", "status", "--index", calibrated).succeeded()
    (line,) = [line for line in status.out.splitlines() if line.startswith("floor")]
    assert re.fullmatch(
        r"floor       refuses \d+% \(\d+% to \d+%, n = 25\) of the answerable questions"
        r" and \d+% \(\d+% to \d+%, n = \d+\) of those about something else",
        line,
    )
    other = put(tmp_path / "other", {"new.md": "# New\n\nText about snapshots."})
    run("index", "apply", other, "--index", calibrated).succeeded()
    found = run("index", "status", "--index", calibrated).succeeded()
    assert f"{line}, but the documents changed since" in found.out


def test_a_document_is_shown_as_it_was_cut(index: Path) -> None:
    ran = run("index", "show", "volumes.md", "--index", index).succeeded()
    assert ran.out.startswith("Volumes  (markdown, 2 passages)\n\n[volumes-1] 0-57")
    assert DOCS["volumes.md"].split("\n\n## Size")[0] in ran.out
    found = run("index", "show", "volumes.md", "--index", index, "--json").succeeded().json
    for chunk in found["chunks"]:
        assert chunk["text"] == DOCS["volumes.md"][chunk["start"] : chunk["end"]]
    ran = run("index", "show", "gone.md", "--index", index)
    assert ran.code == 1
    assert "no document 'gone.md'" in ran.err


def test_notes_are_shown_and_nothing_steers_the_terminal(tmp_path: Path) -> None:
    docs = put(tmp_path / "docs", {"loud.txt": "A \x1b[31mred\x1b[0m word about wagons."})
    index = tmp_path / "index"
    run("index", "apply", docs, "--index", index, "--no-embeddings").succeeded()
    assert "\x1b" not in run("index", "show", "loud.txt", "--index", index).succeeded().out
    assert "\x1b" not in run("search", "wagons", "--index", index).succeeded().out


def test_a_sound_index_is_called_sound(index: Path) -> None:
    assert run("index", "check", "--index", index).succeeded().out == "the index is sound\n"
    ran = run("index", "check", "--index", index, "--json").succeeded()
    assert ran.json == {"damages": []}


def test_damage_is_named_and_mended_by_making_the_arrays_anew(index: Path) -> None:
    path = next(index.glob("generations/*/words.posting_rows.array"))
    data = bytearray(path.read_bytes())
    data[-1] ^= 255
    path.chmod(0o600)
    path.write_bytes(data)
    ran = run("index", "check", "--index", index)
    assert ran.code == 1
    assert ran.out.startswith("damaged: ")
    assert "words.posting_rows" in ran.out
    assert run("index", "check", "--index", index, "--json").json["damages"]
    run("index", "apply", "--rebuild", "--index", index).succeeded()
    assert run("search", "restart", "--index", index).code == 0


def test_an_index_that_cannot_be_opened_is_made_anew(index: Path, docs: Path) -> None:
    (index / NAME).write_bytes(b"no database at all" * 100)
    ran = run("index", "apply", docs, "--index", index)
    assert ran.code == 1
    assert "E_INDEX_DAMAGED" in ran.err
    ran = run("index", "apply", docs, "--index", index, "--recreate").succeeded()
    assert ran.out.startswith("2 documents: 2 indexed")


def test_migrating_to_the_same_embedder_embeds_nothing(index: Path) -> None:
    found = run("index", "migrate", "--index", index, "--json").succeeded().json
    assert (found["texts"], found["rows"]) == (0, 4)
    assert run("index", "embed", "--index", index, "--json").succeeded().json["rows"] == 4


@dataclass(kw_only=True)
class Another(WordEmbedder):
    """The embedder of another version."""

    fingerprint: str = "another/1"


def test_vectors_of_another_embedder_are_refused_until_they_are_migrated(
    index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    embed_cheaply(monkeypatch, Another)
    for words in (["index", "apply"], ["index", "embed"], ["search", "restart"]):
        ran = run(*words, "--index", index)
        assert ran.code == 1
        assert "tether index migrate" in ran.err
    ran = run("index", "migrate", "--index", index).succeeded()
    assert ran.out == f"4 passages with vectors\n{NO_FLOOR}\n"
    assert run("search", "restart", "--index", index).code == 0


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("stage", ["read", "write"])
def test_stopping_keeps_what_answered_before_and_the_next_run_completes(
    index: Path, tmp_path: Path, stage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def stopping() -> Generator[Callable[[Step], None]]:
        def hear(step: Step) -> None:
            if step.stage == stage:
                os.kill(os.getpid(), signal.SIGINT)

        yield hear

    other = put(tmp_path / "other", {"new.md": "# New\n\nText about snapshots."})
    words: list[str | Path] = ["index", "apply", other, "--index", index]
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background
    with monkeypatch.context() as patch:
        patch.setattr("tether.app.commands.index.progress_of_steps", stopping)
        ran = run(*words)
    signal.signal(signal.SIGINT, before)
    assert (ran.code, ran.err) == (130, "Interrupted.\n")
    assert "Traceback" not in ran.err
    status = run("index", "status", "--index", index, "--json").succeeded().json
    assert (status["generation"], status["documents"]) == (1, 2)
    assert run("search", "restart", "--index", index).code == 0
    run(*words).succeeded()
    assert "new.md" in run("search", "snapshots", "--index", index).out


def test_what_is_piped_has_no_bars_and_no_colours(docs: Path, tmp_path: Path) -> None:
    ran = run_apart("index", "apply", docs, "--index", tmp_path / "index").succeeded()
    assert ran.err == ""
    assert "\x1b" not in ran.out
    assert ran.out.endswith(f"4 passages, 4 with vectors\n{NO_FLOOR}\n")


def test_on_a_terminal_there_is_a_bar_for_each_stage(docs: Path, tmp_path: Path) -> None:
    terminal = {"FORCE_COLOR": "1", "TERM": "xterm", "COLUMNS": "100"}
    ran = run("index", "apply", docs, "--index", tmp_path / "index", env=terminal).succeeded()
    for stage in ("Looking for documents", "Reading documents", "Embedding passages"):
        assert stage in ran.err
    assert "\x1b" not in ran.out


def test_without_a_source_it_is_the_documents_of_the_settings(alone: Path, docs: Path) -> None:
    assert "set `docs` in tether.toml" in run("index", "apply").err
    assert "set `docs` in tether.toml" in run("index", "plan").err
    (alone / "tether.toml").write_text('docs = "docs"\n')
    assert "+ pods.md" in run("index", "plan").succeeded().out
    assert "2 indexed" in run("index", "apply").succeeded().out
    assert "2 unchanged" in run("index", "apply").succeeded().out, "one place under two names"
    assert "2 indexed" in run("index", "apply", "--recreate").succeeded().out
    other = put(alone / "other", {"new.md": "# New\n\nText about snapshots."})
    run("index", "apply", other).succeeded()
    assert run("index", "status", "--json").json["documents"] == 2, "others have another index"
    assert run("index", "status", "--docs", other, "--json").json["documents"] == 1
