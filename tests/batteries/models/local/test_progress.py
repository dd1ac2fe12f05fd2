"""How the loading of a model is reported."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from tether.batteries.models.errors import LocalModelFailed
from tether.batteries.models.local.gguf import STEPS, LoadProgress, LoadReports

SIZE = 400 << 20


class Reports(list[LoadProgress]):
    """Takes reports, so many before it goes away."""

    def __init__(self, most: int = 1000) -> None:
        super().__init__()
        self._most = most

    def take(self, report: LoadProgress) -> bool:
        self.append(report)
        return len(self) >= self._most


def test_the_reading_of_a_large_file_is_reported_in_few_even_steps(tmp_path: Path) -> None:
    file, reports = tmp_path / "large.gguf", Reports()
    with file.open("wb") as hollow:
        hollow.truncate(SIZE)
    LoadReports("large.gguf", SIZE, reports.take).read_ahead(file)
    assert {report.stage for report in reports} == {"reading"}
    assert STEPS - 5 <= len(reports) <= STEPS
    assert reports[-1].bytes_read == reports[-1].bytes_total == SIZE
    steps = {later.bytes_read - earlier.bytes_read for earlier, later in pairwise(reports)}
    assert max(steps) < 2 * SIZE / STEPS


def test_a_small_file_is_reported_once(tmp_path: Path) -> None:
    file, reports = tmp_path / "small.gguf", Reports()
    file.write_bytes(bytes(100))
    LoadReports("small.gguf", 100, reports.take).read_ahead(file)
    assert [report.bytes_read for report in reports] == [100]


def test_a_file_that_nobody_waits_for_is_not_read_to_its_end(tmp_path: Path) -> None:
    file, reports = tmp_path / "large.gguf", Reports(most=2)
    with file.open("wb") as hollow:
        hollow.truncate(SIZE)
    with pytest.raises(LocalModelFailed, match="given up"):
        LoadReports("large.gguf", SIZE, reports.take).read_ahead(file)
    assert len(reports) == 2
    assert reports[-1].bytes_read < SIZE / 4
