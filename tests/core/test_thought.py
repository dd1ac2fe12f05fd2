"""Thoughts: reasoning, with or without a provider's opaque block."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError, fields, replace
from datetime import UTC, datetime
from typing import Any

import pytest

from tether.core.errors import InvalidInitialThoughtValue
from tether.core.identity import Identity
from tether.core.thought import Thought
from tether.core.tokenizable import Tokenizable

MIDNIGHT = datetime(2024, 2, 29, tzinfo=UTC)


def valid(**changes: Any) -> dict[str, Any]:
    return {"id": "t1", "content": "let me see", "created_at": MIDNIGHT} | changes


def refused_paths(given: dict[str, Any]) -> list[str]:
    with pytest.raises(InvalidInitialThoughtValue) as refused:
        Thought(**given)
    assert refused.value.code == "E_INVALID_INITIAL_THOUGHT_VALUE"
    return sorted(problem.path for problem in refused.value.problems)


def test_identity_defaults_to_the_assistant() -> None:
    # CONTRACT 65
    assert Thought(**valid()).identity == Identity.of("assistant")


def test_identity_may_be_a_string_an_object_or_an_instance() -> None:
    # CONTRACT 65
    peer = Identity(identifier=17, representation="Peer")
    assert Thought(**valid(identity="Peer")).identity == Identity.of("Peer")
    assert Thought(**valid(identity=peer.to_json())).identity == peer
    assert Thought(**valid(identity=peer)).identity is peer
    assert refused_paths(valid(identity={"identifier": ""})) == [
        "identity.identifier",
        "identity.representation",
    ]


@pytest.mark.parametrize("payload", [{"signature": "x"}, "opaque", 0, "", []])
def test_a_payload_without_replay_tag_is_refused(payload: object) -> None:
    # CONTRACT 72
    assert refused_paths(valid(payload=payload)) == ["replay_compatibility"]


def test_a_replay_tag_without_payload_is_fine() -> None:
    # CONTRACT 72
    thought = Thought(**valid(replay_compatibility="plain-text"))
    assert (thought.replay_compatibility, thought.payload) == ("plain-text", None)


@pytest.mark.parametrize("tag", ["", 5, "a\nb"])
def test_an_empty_replay_tag_is_refused(tag: object) -> None:
    # CONTRACT 72
    assert refused_paths(valid(replay_compatibility=tag)) == ["replay_compatibility"]
    assert refused_paths(valid(replay_compatibility=tag, payload=1)) == ["replay_compatibility"]


def test_empty_content_is_allowed_only_with_a_payload() -> None:
    # CONTRACT 73
    opaque = {"payload": {"signature": "x"}, "replay_compatibility": "wire"}
    assert Thought(**valid(content="", **opaque)).content == ""
    assert refused_paths(valid(content="")) == ["content"]
    assert refused_paths(valid(content="", payload=None, replay_compatibility="wire")) == [
        "content"
    ]


def test_content_is_never_missing_on_the_object() -> None:
    # CONTRACT 73
    given = valid(payload=1, replay_compatibility="wire")
    del given["content"]
    content = Thought(**given).content
    assert isinstance(content, Tokenizable)
    assert str(content) == ""
    assert refused_paths(given | {"content": None}) == ["content"]


def test_the_payload_is_handed_over_as_it_came() -> None:
    payload = {"signature": ["x", {"y": 1}]}
    assert Thought(**valid(payload=payload, replay_compatibility="w")).payload is payload


def test_plain_text_is_wrapped_and_a_wrapped_text_is_kept_by_identity() -> None:
    # CONTRACT 67
    text = Tokenizable("let me see")
    assert Thought(**valid()).content == text
    assert Thought(**valid(content=text)).content is text


def test_times_are_checked() -> None:
    # CONTRACT 66
    assert Thought(**valid()).updated_at == MIDNIGHT
    assert Thought(**valid(updated_at=0)).updated_at == datetime(1970, 1, 1, tzinfo=UTC)
    assert refused_paths(valid(created_at="soon", updated_at="later")) == [
        "created_at",
        "updated_at",
    ]


def test_every_bad_field_is_reported_at_once() -> None:
    assert refused_paths({"content": 5, "identity": None, "payload": 1, "colour": "red"}) == [
        "colour",
        "content",
        "created_at",
        "id",
        "identity",
        "replay_compatibility",
    ]


def test_every_field_is_read_only() -> None:
    thought = Thought(**valid())
    for field in fields(thought):
        with pytest.raises(FrozenInstanceError):
            setattr(thought, field.name, None)


def test_fields_are_given_by_name_only() -> None:
    make: Any = Thought
    with pytest.raises(TypeError, match="positional"):
        make("t1")


@pytest.mark.parametrize("content", ["let me see", ""])
def test_the_json_form_makes_an_equal_thought(content: str) -> None:
    opaque = {"payload": {"signature": "x"}, "replay_compatibility": "wire"}
    thought = Thought(**valid(content=content, identity="Peer", **opaque))
    assert Thought(**json.loads(json.dumps(thought.to_json()))) == thought


def test_thoughts_hash_by_id() -> None:
    first, second = Thought(**valid()), Thought(**valid(content="aha"))
    assert hash(first) == hash(second)
    assert len({first, second, Thought(**valid())}) == 2


def test_replacing_a_field_checks_it_again() -> None:
    thought = Thought(**valid())
    assert replace(thought, content=Tokenizable("aha")).content == "aha"
    with pytest.raises(InvalidInitialThoughtValue):
        replace(thought, payload={"signature": "x"})
