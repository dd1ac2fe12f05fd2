"""Retrievables: content from elsewhere, with a tier that somebody had to decide."""

from __future__ import annotations

import inspect
import json
from collections.abc import Awaitable
from dataclasses import FrozenInstanceError, fields, replace
from datetime import UTC, datetime
from typing import Any

import pytest

from tether.core.artifact import SpooledArtifact
from tether.core.errors import InvalidInitialRetrievableValue
from tether.core.memory import Memory
from tether.core.retrievable import Retrievable
from tether.core.spool import TextSpool
from tether.core.tokenizable import Tokenizable
from tether.core.tokens import TokenCount

MIDNIGHT = datetime(2024, 2, 29, tzinfo=UTC)
TEXT = "first line\r\nsecond line\n"


class CountingSpool(TextSpool):
    """A reader that counts how often it is read as a whole."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.reads = 0

    async def text(self) -> str:
        self.reads += 1
        return await super().text()


def valid(**changes: Any) -> dict[str, Any]:
    required = {"id": "r1", "content": TEXT, "trust_tier": "first-party", "created_at": MIDNIGHT}
    return required | changes


def refused_paths(given: dict[str, Any]) -> list[str]:
    with pytest.raises(InvalidInitialRetrievableValue) as refused:
        Retrievable(**given)
    assert refused.value.code == "E_INVALID_INITIAL_RETRIEVABLE_VALUE"
    return sorted(problem.path for problem in refused.value.problems)


@pytest.mark.parametrize("tier", ["first-party", "third-party-public", "third-party-private"])
def test_each_of_the_three_trust_tiers_is_accepted(tier: str) -> None:
    assert Retrievable(**valid(trust_tier=tier)).trust_tier == tier


def test_a_missing_trust_tier_is_refused() -> None:
    # CONTRACT 69
    given = valid()
    del given["trust_tier"]
    assert refused_paths(given) == ["trust_tier"]


@pytest.mark.parametrize("tier", ["user-supplied", "trusted", "", None, 1, ["first-party"]])
def test_an_unknown_trust_tier_is_refused_including_the_old_word_user_supplied(
    tier: object,
) -> None:
    # CONTRACT 69
    assert refused_paths(valid(trust_tier=tier)) == ["trust_tier"]


@pytest.mark.parametrize("score", [-0.1, 1.1, float("nan"), "0.5", False])
def test_a_score_outside_zero_to_one_is_refused(score: object) -> None:
    # CONTRACT 69
    assert refused_paths(valid(score=score)) == ["score"]


@pytest.mark.parametrize("score", [0, 0.5, 1, None])
def test_a_score_is_optional_and_kept(score: float | None) -> None:
    assert Retrievable(**valid(score=score)).score == score


def test_source_and_kind_must_be_strings() -> None:
    # CONTRACT 69
    assert refused_paths(valid(source=5, kind=["page"])) == ["kind", "source"]
    kept = Retrievable(**valid(source="wiki", kind="page"))
    assert (kept.source, kept.kind) == ("wiki", "page")


async def test_a_retrievable_may_hold_an_artifact_whose_text_is_read_on_demand() -> None:
    # CONTRACT 70
    spool = CountingSpool(TEXT)
    artifact = SpooledArtifact(spool)
    held = Retrievable(**valid(content=artifact, inline=False))
    assert held.content is artifact
    assert held.inline is False
    assert spool.reads == 0
    assert await held.read_text() == TEXT
    assert await held.read_text() == TEXT
    assert spool.reads == 2


async def test_plain_text_is_read_the_same_way() -> None:
    assert await Retrievable(**valid()).read_text() == TEXT


async def test_the_token_estimate_is_async_for_an_artifact_and_sync_for_plain_text() -> None:
    # CONTRACT 70
    at_once = Retrievable(**valid()).estimate_tokens("cl100k_base")
    assert isinstance(at_once, TokenCount)
    later = Retrievable(**valid(content=SpooledArtifact(TextSpool(TEXT)))).estimate_tokens(
        "cl100k_base"
    )
    assert inspect.isawaitable(later)
    assert isinstance(later, Awaitable)
    assert await later == at_once > 0


def test_retrievables_and_memories_are_not_taken_for_each_other() -> None:
    # CONTRACT 71
    retrievable = Retrievable(**valid())
    memory = Memory(id="r1", content=TEXT, confidence=1, importance=1, created_at=MIDNIGHT)
    values: list[object] = [retrievable, memory, retrievable.to_json(), memory.to_json()]
    assert [isinstance(value, Retrievable) for value in values] == [True, False, False, False]
    assert [isinstance(value, Memory) for value in values] == [False, True, False, False]
    assert values[0] != values[1]


def test_plain_text_is_wrapped_and_a_wrapped_text_is_kept_by_identity() -> None:
    # CONTRACT 67
    text = Tokenizable(TEXT)
    assert Retrievable(**valid()).content == text
    assert Retrievable(**valid(content=text)).content is text


@pytest.mark.parametrize("content", ["", None, 5, TextSpool(TEXT)])
def test_content_is_text_or_an_artifact(content: object) -> None:
    assert refused_paths(valid(content=content)) == ["content"]


def test_defaults_say_as_little_as_possible() -> None:
    plain = Retrievable(**valid())
    assert (plain.source, plain.kind, plain.score) == (None, None, None)
    assert plain.inline is True
    assert plain.updated_at == plain.created_at == MIDNIGHT


def test_times_are_checked() -> None:
    # CONTRACT 66
    later = Retrievable(**valid(updated_at=MIDNIGHT.replace(hour=1).isoformat()))
    assert later.updated_at == MIDNIGHT.replace(hour=1)
    assert refused_paths(valid(created_at="soon", updated_at="later")) == [
        "created_at",
        "updated_at",
    ]


def test_every_bad_field_is_reported_at_once() -> None:
    assert refused_paths({"id": 5, "score": 2, "inline": "yes", "colour": "red"}) == [
        "colour",
        "content",
        "created_at",
        "id",
        "inline",
        "score",
        "trust_tier",
    ]


def test_every_field_is_read_only() -> None:
    retrievable = Retrievable(**valid())
    for field in fields(retrievable):
        with pytest.raises(FrozenInstanceError):
            setattr(retrievable, field.name, None)


def test_fields_are_given_by_name_only() -> None:
    make: Any = Retrievable
    with pytest.raises(TypeError, match="positional"):
        make("r1")


def test_the_json_form_makes_an_equal_retrievable() -> None:
    retrievable = Retrievable(**valid(source="wiki", kind="page", score=0.5, inline=False))
    assert Retrievable(**json.loads(json.dumps(retrievable.to_json()))) == retrievable


def test_the_json_form_leaves_the_content_of_an_artifact_out() -> None:
    spool = CountingSpool(TEXT)
    form = Retrievable(**valid(content=SpooledArtifact(spool))).to_json()
    assert form == Retrievable(**valid()).to_json() | {"content": None}
    assert spool.reads == 0


def test_retrievables_hash_by_id() -> None:
    first, second = Retrievable(**valid()), Retrievable(**valid(score=1))
    assert hash(first) == hash(second)
    assert len({first, second, Retrievable(**valid())}) == 2


def test_replacing_a_field_checks_it_again() -> None:
    retrievable = Retrievable(**valid())
    assert replace(retrievable, score=0.5).score == 0.5
    assert replace(retrievable, score=0.5).content is retrievable.content
    with pytest.raises(InvalidInitialRetrievableValue):
        replace(retrievable, score=2)
