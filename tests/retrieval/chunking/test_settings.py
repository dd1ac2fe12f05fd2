"""The settings, their names and their limits."""

from __future__ import annotations

from typing import Any

import pytest

from tether.retrieval.chunking.chunker import Chunker, ChunkSettings
from tether.retrieval.errors import InvalidRetrievalSettings


def test_the_usual_settings() -> None:
    tokens, characters = ChunkSettings(), ChunkSettings(unit="characters")
    assert (tokens.largest, tokens.repeated) == (400, 40)
    assert (characters.largest, characters.repeated) == (600, 100)


def test_a_smaller_size_has_a_smaller_overlap() -> None:
    assert ChunkSettings(size=100).repeated == 10
    assert ChunkSettings(size=1000).repeated == 40


def test_equal_settings_have_equal_fingerprints() -> None:
    assert Chunker().fingerprint == Chunker(ChunkSettings(size=400, overlap=40)).fingerprint


@pytest.mark.parametrize(
    "other",
    [
        ChunkSettings(size=300),
        ChunkSettings(overlap=30),
        ChunkSettings(unit="characters"),
        ChunkSettings(encoding="o200k_base"),
        ChunkSettings(deepest_heading=2),
        ChunkSettings(merge_below=50),
    ],
    ids=["size", "overlap", "unit", "encoding", "headings", "merging"],
)
def test_each_setting_is_in_the_fingerprint(other: ChunkSettings) -> None:
    assert Chunker(other).fingerprint != Chunker().fingerprint


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"unit": "words"}, "unit"),
        ({"encoding": ""}, "encoding"),
        ({"size": 31}, "size"),
        ({"size": True}, "size"),
        ({"overlap": -1}, "overlap"),
        ({"overlap": 201}, "overlap"),
        ({"deepest_heading": 7}, "deepest_heading"),
        ({"merge_below": "a"}, "merge_below"),
    ],
)
def test_bad_settings_are_named(fields: dict[str, Any], path: str) -> None:
    with pytest.raises(InvalidRetrievalSettings) as refused:
        ChunkSettings(**fields)
    assert [problem.path for problem in refused.value.problems] == [path]
