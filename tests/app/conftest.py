"""Indexes made once by the commands themselves; each test gets a copy of its own."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.pages import DOCS, put
from app.shell import run
from retrieval.floor.railway import PAGES, WordEmbedder
from retrieval.index.made import room


@pytest.fixture(scope="session")
def shelf() -> Iterator[Path]:
    """A folder with an index of a few pages, and one of a whole handbook that is calibrated."""
    with room() as folder:
        put(folder / "docs", DOCS)
        run("index", "apply", folder / "docs", "--index", folder / "index").succeeded()
        put(folder / "railway", PAGES)
        with pytest.MonkeyPatch.context() as patch:
            embed_cheaply(patch)
            run("index", "apply", folder / "railway", "--index", folder / "calibrated").succeeded()
            words = (
                "calibrate",
                "--index",
                folder / "calibrated",
                "--count",
                "25",
                "--judge",
                "off",
            )
            run(*words).succeeded()
        yield folder


def embed_cheaply(patch: pytest.MonkeyPatch) -> None:
    """Let the commands use an embedder that takes no time, where its quality does not matter."""
    for module in ("parts", "evaluating", "commands.index_writing"):
        patch.setattr(f"tether.app.{module}.MiniLm", WordEmbedder)


@pytest.fixture
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    embed_cheaply(monkeypatch)


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    return put(tmp_path / "docs", DOCS)


@pytest.fixture
def index(shelf: Path, tmp_path: Path) -> Path:
    """An index of the few pages."""
    return Path(shutil.copytree(shelf / "index", tmp_path / "index"))


@pytest.fixture
def calibrated(shelf: Path, tmp_path: Path, cheap: None) -> Path:
    """An index of the handbook, with its floor, embedded cheaply."""
    return Path(shutil.copytree(shelf / "calibrated", tmp_path / "calibrated"))
