"""Chunks and passages are checked where they are made, and every bad field is named."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tether.core.errors import InvalidInput
from tether.retrieval.chunk import Chunk, Passage
from tether.retrieval.errors import InvalidInitialChunkValue, InvalidInitialPassageValue
from tether.retrieval.hit import LeftOut
from tether.retrieval.providers.provider import Supply

CHUNK = Chunk.whole("Tea is hot.", id="tea-1", document="tea.md", title="Tea")
PASSAGE: dict[str, Any] = {
    "id": "tea-1",
    "text": "Tea is hot.",
    "label": "Tea",
    "identifier": "tea.md",
    "provider": "index",
    "trust_tier": "first-party",
}


def problems(caught: pytest.ExceptionInfo[InvalidInput]) -> dict[str, str]:
    return {problem.path: problem.message for problem in caught.value.problems}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"id": ""}, "must be non-empty text, not ''"),
        ({"document": None}, "must be non-empty text, not None"),
        ({"number": 0}, "must be a whole number of at least 1, not 0"),
        ({"number": True}, "must be a whole number of at least 1, not True"),
        ({"tokens": -1}, "must be a whole number of at least 0, not -1"),
        ({"start": -1}, "must be a whole number of at least 0, not -1"),
        ({"end": "11"}, "must be a whole number of at least 0, not '11'"),
        ({"title": 3}, "must be text, not 3"),
        ({"text": b"Tea is hot."}, "must be text, not b'Tea is hot.'"),
        ({"heading_path": ["Tea"]}, "must be a tuple, not ['Tea']"),
    ],
)
def test_a_field_of_a_chunk_that_cannot_be_is_named(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInitialChunkValue) as caught:
        replace(CHUNK, **changes)
    (field,) = changes
    assert problems(caught)[field] == said


def test_a_place_that_ends_before_it_begins_is_named_with_all_other_faults() -> None:
    changes: dict[str, Any] = {"id": "", "start": 20, "end": 9, "heading_path": ("Tea", None)}
    with pytest.raises(InvalidInitialChunkValue) as caught:
        replace(CHUNK, **changes)
    assert problems(caught) == {
        "id": "must be non-empty text, not ''",
        "heading_path[1]": "must be text, not None",
        "end": "must not be before the start, 20, but is 9",
    }


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"id": ""}, "must be non-empty text, not ''"),
        ({"provider": ""}, "must be non-empty text, not ''"),
        ({"text": None}, "must be text, not None"),
        ({"label": 1}, "must be text, not 1"),
        ({"score": float("nan")}, "must be a finite number, not nan"),
        ({"score": "high"}, "must be a finite number, not 'high'"),
        ({"metadata": {"a": "b"}}, "must be a tuple, not {'a': 'b'}"),
    ],
)
def test_a_field_of_a_passage_that_cannot_be_is_named(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInitialPassageValue) as caught:
        Passage(**{**PASSAGE, **changes})
    (field,) = changes
    assert problems(caught) == {field: said}


def test_missing_and_unknown_fields_are_named_with_the_bad_ones() -> None:
    given: dict[str, Any] = {"id": "", "text": "x", "trust_tier": "unknown", "tier": "public"}
    given["metadata"] = (("a", "b"), ("c",))
    with pytest.raises(InvalidInitialPassageValue) as caught:
        Passage(**given)
    told = problems(caught)
    assert set(told) == {
        *("id", "label", "identifier", "provider", "trust_tier", "tier", "metadata[1]")
    }
    assert told["provider"] == told["label"] == "is required"
    assert told["tier"] == "is not a field"


def test_a_supply_holds_passages_and_reasons() -> None:
    passage = Passage(**PASSAGE)
    reason = LeftOut(part="dense", reason="none")
    assert Supply(passages=(passage,), left_out=(reason,)).passages == (passage,)
    strange: Any = ({"id": "tea-1"}, passage, "Tea is hot.")
    with pytest.raises(InvalidInitialPassageValue) as caught:
        Supply(passages=strange, left_out=strange[2:])
    assert set(problems(caught)) == {"passages[0]", "passages[2]", "left_out[0]"}
