"""A store in a file of its own for every test."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tether.batteries.storage.sqlite import SqliteStore


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    """Open a store, and close it behind the test."""
    opened = await SqliteStore.open(tmp_path / "tether.db")
    yield opened
    await opened.aclose()
