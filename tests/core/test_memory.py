"""Memories: facts with two scores, neither of which has a default."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError, fields, replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.core.errors import InvalidInitialMemoryValue
from tether.core.memory import Memory
from tether.core.tokenizable import Tokenizable

MIDNIGHT = datetime(2024, 2, 29, tzinfo=UTC)
scores = st.floats(0, 1)


def valid(**changes: Any) -> dict[str, Any]:
    required = {"id": "f1", "content": "likes tea", "confidence": 0.5, "importance": 1}
    return required | {"created_at": MIDNIGHT} | changes


def refused_paths(given: dict[str, Any]) -> list[str]:
    with pytest.raises(InvalidInitialMemoryValue) as refused:
        Memory(**given)
    assert refused.value.code == "E_INVALID_INITIAL_MEMORY_VALUE"
    return sorted(problem.path for problem in refused.value.problems)


@pytest.mark.parametrize("name", ["confidence", "importance"])
@pytest.mark.parametrize("value", [-0.01, 1.01, float("nan"), "1", True, None])
def test_confidence_and_importance_outside_zero_to_one_are_refused(
    name: str, value: object
) -> None:
    # CONTRACT 68
    assert refused_paths(valid(**{name: value})) == [name]


@given(scores, scores)
def test_confidence_and_importance_inside_zero_to_one_are_kept(
    confidence: float, importance: float
) -> None:
    # CONTRACT 68
    memory = Memory(**valid(confidence=confidence, importance=importance))
    assert (memory.confidence, memory.importance) == (confidence, importance)


def test_ids_are_read_only() -> None:
    # CONTRACT 68
    memory = Memory(**valid())
    for field in fields(memory):
        with pytest.raises(FrozenInstanceError):
            setattr(memory, field.name, "other")
    assert memory.id == "f1"


def test_every_bad_field_is_reported_at_once() -> None:
    assert refused_paths({"id": "", "confidence": 2, "colour": "red"}) == [
        "colour",
        "confidence",
        "content",
        "created_at",
        "id",
        "importance",
    ]


def test_a_huge_number_is_one_more_bad_field() -> None:
    assert refused_paths(valid(confidence=10**400, id="")) == ["confidence", "id"]


def test_plain_text_is_wrapped_and_a_wrapped_text_is_kept_by_identity() -> None:
    # CONTRACT 67
    text = Tokenizable("likes tea")
    assert Memory(**valid()).content == text
    assert Memory(**valid(content=text)).content is text
    assert refused_paths(valid(content="")) == ["content"]


def test_the_time_of_change_defaults_to_the_time_of_creation() -> None:
    # CONTRACT 66
    assert Memory(**valid()).updated_at == MIDNIGHT
    assert Memory(**valid(updated_at=0)).updated_at == datetime(1970, 1, 1, tzinfo=UTC)
    assert refused_paths(valid(updated_at="soon")) == ["updated_at"]


def test_fields_are_given_by_name_only() -> None:
    make: Any = Memory
    with pytest.raises(TypeError, match="positional"):
        make("f1")


@given(scores, scores, st.datetimes(timezones=st.just(UTC)), st.text(min_size=1))
def test_the_json_form_makes_an_equal_memory(
    confidence: float, importance: float, moment: datetime, text: str
) -> None:
    memory = Memory(
        id="f1",
        content=f"note: {text}",
        confidence=confidence,
        importance=importance,
        created_at=moment,
    )
    assert Memory(**json.loads(json.dumps(memory.to_json()))) == memory


def test_memories_hash_by_id() -> None:
    first, second = Memory(**valid()), Memory(**valid(importance=0))
    assert hash(first) == hash(second)
    assert len({first, second, Memory(**valid())}) == 2


def test_replacing_a_field_checks_it_again() -> None:
    memory = Memory(**valid())
    assert replace(memory, importance=0.25).importance == 0.25
    assert replace(memory, importance=0.25).content is memory.content
    with pytest.raises(InvalidInitialMemoryValue):
        replace(memory, importance=7)
