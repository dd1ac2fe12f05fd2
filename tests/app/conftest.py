"""Indexes made once by the commands themselves; each test gets a copy of its own."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.pages import DOCS, put
from app.shell import run
from retrieval.floor.railway import PAGES, WordEmbedder
from retrieval.index.made import CountingReader, room
from tether.retrieval.floor.questions import far_questions
from tether.retrieval.judge import NoOpJudge
from tether.retrieval.ports import Judge


@pytest.fixture(scope="session")
def shelf() -> Iterator[Path]:
    """A folder with an index of a few pages, one of their words alone, and one with a floor."""
    with room() as folder:
        docs = put(folder / "docs", DOCS)
        put(folder / "railway", PAGES)
        place = ("--index", folder / "calibrated")
        with pytest.MonkeyPatch.context() as patch:
            embed_cheaply(patch)
            run("index", "apply", docs, "--index", folder / "index").succeeded()
            run("index", "apply", docs, "--index", folder / "words", "--no-embeddings").succeeded()
            run("index", "apply", folder / "railway", *place).succeeded()
            run("calibrate", *place, "--count", "25", "--judge", "off").succeeded()
        yield folder


def embed_cheaply(patch: pytest.MonkeyPatch, kind: type[WordEmbedder] = WordEmbedder) -> None:
    """Let the commands use an embedder that takes no time, where its quality does not matter.

    The judge has no opinion. Documents are read in this process meanwhile: a process of their own
    takes longer than they do. A floor is fitted with a third of the foreign questions.
    """
    patch.setattr(
        "tether.retrieval.floor.questions.far_questions", lambda it: far_questions(it)[::3]
    )
    patch.setattr("tether.retrieval.index.parts.read_in_workers", CountingReader())
    judge_with(patch, NoOpJudge)
    patch.setattr("tether.app.search_models.MiniLm", kind)


def judge_with(patch: pytest.MonkeyPatch, judge: Callable[[], Judge]) -> None:
    """Let the commands use another judge, where the marks of the shipped one do not matter."""
    patch.setattr("tether.app.search_models.OnnxJudge", judge)


@pytest.fixture
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    embed_cheaply(monkeypatch)


@pytest.fixture
def unjudged(monkeypatch: pytest.MonkeyPatch) -> None:
    """A judge without an opinion: what is quoted follows from the words alone."""
    judge_with(monkeypatch, NoOpJudge)


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    return put(tmp_path / "docs", DOCS)


@pytest.fixture
def index(shelf: Path, tmp_path: Path, cheap: None) -> Path:
    """An index of the few pages, embedded cheaply."""
    return Path(shutil.copytree(shelf / "index", tmp_path / "index"))


@pytest.fixture
def words(shelf: Path, tmp_path: Path) -> Path:
    """An index of the words of the few pages, which no embedder is needed for."""
    return Path(shutil.copytree(shelf / "words", tmp_path / "words"))


@pytest.fixture
def calibrated(shelf: Path, tmp_path: Path, cheap: None) -> Path:
    """An index of the handbook, with its floor, embedded cheaply."""
    return Path(shutil.copytree(shelf / "calibrated", tmp_path / "calibrated"))


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with nobody's settings."""
    for name in [name for name in os.environ if name.startswith("TETHER_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    return tmp_path
