"""Indexes in memory where the system offers that: each is synced to the disk dozens of times."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from retrieval.index.made import room


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    with room() as folder:
        yield folder
