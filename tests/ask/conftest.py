"""A store of its own for every test, in memory or in a file."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tether.batteries.storage.sqlite import SqliteStore


@pytest.fixture
async def store() -> AsyncIterator[SqliteStore]:
    """Open a store in memory, and close it after the test."""
    opened = await SqliteStore.open(None)
    yield opened
    await opened.aclose()


@pytest.fixture
async def file_store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    """Open a store in a file, and close it after the test."""
    opened = await SqliteStore.open(tmp_path / "tether.db")
    yield opened
    await opened.aclose()
