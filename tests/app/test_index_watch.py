"""`tether index watch`: files change, the index follows, and Ctrl-C ends it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.pages import put
from app.shell import run
from retrieval.floor.railway import PAGES
from tether.app.commands.index_watch import Watch, state_of, watching
from tether.app.search_models import SearchModels
from tether.retrieval.errors import IndexDamaged, IndexLocked
from tether.retrieval.index.index import Index
from tether.retrieval.index.parts import default_parts

pytestmark = pytest.mark.usefixtures("cheap")

MAIN = "from tether.app.main import main; main()"


class Watcher:
    """A `tether index watch` in a process of its own, read line by line."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().partition(" ")[2]

    def stop(self) -> tuple[int, str]:
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out + err


@contextmanager
def started(docs: Path, index: Path) -> Generator[Watcher]:
    words = ["index", "watch", str(docs), "--index", str(index), "--interval", "0.1"]
    with subprocess.Popen(
        [sys.executable, "-W", "error", "-c", MAIN, *words, "--no-embeddings"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    ) as process:
        try:
            yield Watcher(process)
        finally:
            process.kill()


def test_the_index_follows_what_changes_and_ctrl_c_ends_it(docs: Path, tmp_path: Path) -> None:
    index = tmp_path / "index"
    with started(docs, index) as watcher:
        assert watcher.line() == "generation 1: 4 passages; 2 indexed\n"
        (docs / "new.md").write_text("# New\n\nText about snapshots.")
        assert watcher.line() == "generation 2: 5 passages; 1 indexed, 2 unchanged\n"
        assert "new.md" in run("search", "snapshots", "--index", index).out
        (docs / "cut.ipynb").write_text('{"cells": [')
        (docs / "new.md").unlink()
        seen = watcher.line()
        assert "1 failed" in seen or "1 removed" in seen
        second = run("index", "watch", docs, "--index", index)
        assert second.code == 1
        assert "E_INDEX_LOCKED" in second.err
        assert "another process watches" in second.err
        code, rest = watcher.stop()
    assert code == 0, rest
    assert rest.endswith("stopped\n")
    assert "Traceback" not in rest
    assert run("search", "restarted", "--index", index).code == 0


@pytest.mark.parametrize(
    "words",
    [[], ["https://docs.example.org/"], [".", "--interval", "0"]],
    ids=["nothing", "a site", "no time"],
)
def test_wrong_words_are_a_matter_of_usage(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = run("index", "watch", *words)
    assert ran.code == 2
    assert list(tmp_path.iterdir()) == []


def watch_of(docs: Path, index: Path) -> Watch:
    kept = Index.create(index, default_parts())
    return Watch(kept, [str(docs)], SearchModels(), embeds=True)


def test_an_index_that_is_watched_gets_a_floor(tmp_path: Path) -> None:
    docs = put(tmp_path / "railway", PAGES)
    watch_of(docs, tmp_path / "index").look()
    assert Index.open(tmp_path / "index", default_parts()).status().is_calibrated


def test_a_failure_is_told_once_and_tried_again(
    docs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    away = docs.rename(tmp_path / "away")
    watch = watch_of(docs, tmp_path / "index")
    watch.look()
    watch.look()
    [line] = capsys.readouterr().out.splitlines()
    assert "not in step, trying again: " in line
    away.rename(docs)
    watch.look()
    assert "generation 1: 4 passages; 2 indexed" in capsys.readouterr().out
    watch.look()
    os.utime(docs / "pods.md", ns=(time.time_ns(), time.time_ns()))
    watch.look()
    assert capsys.readouterr().out == "", "nothing in it changed"


def test_an_index_that_is_damaged_ends_it(
    docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = watch_of(docs, tmp_path / "index")

    def damaged(*_: object, **__: object) -> None:
        raise IndexDamaged("rows are not what was written")

    monkeypatch.setattr(Index, "plan", damaged)
    with pytest.raises(IndexDamaged):
        watch.look()


def test_ctrl_c_ends_the_command_with_0(
    docs: Path, tmp_path: Path, cheap: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tether.app.commands.index_watch.time.sleep", interrupted)
    ran = run("index", "watch", docs, "--index", tmp_path / "index").succeeded()
    assert ran.out.endswith("2 indexed\nstopped\n")


def test_what_polling_sees(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "index").write_text("x")
    (tmp_path / "a.md").write_text("one")
    (tmp_path / "gone.md").symlink_to(tmp_path / "nowhere")
    first = state_of([str(tmp_path)])
    assert {Path(path).name for path, _, _ in first} == {tmp_path.name, "a.md"}
    (tmp_path / ".git" / "index").write_text("changed")
    assert state_of([str(tmp_path)]) == first
    (tmp_path / "a.md").write_text("three")
    assert state_of([str(tmp_path)]) != first


def test_only_one_watches(tmp_path: Path) -> None:
    place = tmp_path / "below" / "index"
    refused = pytest.raises(IndexLocked, match="already; stop it first")
    with watching(place), refused, watching(place):
        pass
    with watching(place):
        pass
