"""Tool calls: arguments, results, and the checksum that makes equal calls equal."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError, fields, replace
from datetime import UTC, datetime
from hashlib import sha256
from types import MappingProxyType
from typing import Any

import pytest

from tether.core.artifact import SpooledArtifact
from tether.core.byte_sources import BytesReader
from tether.core.errors import InvalidInitialToolCallValue
from tether.core.media import Media
from tether.core.spool import TextSpool
from tether.core.tokenizable import Tokenizable
from tether.core.tool_call import ToolCall

MIDNIGHT = datetime(2024, 2, 29, tzinfo=UTC)
ARTIFACTS = [SpooledArtifact(TextSpool("one")), SpooledArtifact(TextSpool("two"))]
PICTURES = [
    Media.tool_generated(
        kind="image", mime_type="image/png", filename=name, reader=BytesReader(b"cat")
    )
    for name in ("cat.png", "dog.png")
]


def valid(**changes: Any) -> dict[str, Any]:
    required = {"id": "c1", "tool": "search", "args": {"b": 1, "a": [2]}, "results": "found"}
    return required | {"created_at": MIDNIGHT} | changes


def refused_paths(given: dict[str, Any]) -> list[str]:
    with pytest.raises(InvalidInitialToolCallValue) as refused:
        ToolCall(**given)
    assert refused.value.code == "E_INVALID_INITIAL_TOOL_CALL_VALUE"
    return sorted(problem.path for problem in refused.value.problems)


def test_json_text_arguments_are_decoded() -> None:
    # CONTRACT 85
    call = ToolCall(**valid(args='{"a": [2], "b": 1}'))
    assert call.args == {"a": [2], "b": 1}
    assert call.checksum == ToolCall(**valid()).checksum


@pytest.mark.parametrize("args", ["", "search", "[1]", "null", '"a"', '{"a": 1, "a": 2}', "{"])
def test_text_that_is_not_a_json_object_is_refused(args: str) -> None:
    # CONTRACT 85
    assert refused_paths(valid(args=args)) == ["args"]


@pytest.mark.parametrize(
    "args", [None, [1], 5, {1: 2}, {"a": {1, 2}}, {"a": float("nan")}, {"a": "\ud800"}]
)
def test_arguments_without_a_json_form_are_refused(args: object) -> None:
    assert refused_paths(valid(args=args)) == ["args"]


def test_arguments_may_be_any_mapping() -> None:
    assert ToolCall(**valid(args=MappingProxyType({"a": 1}))).args == {"a": 1}


@pytest.mark.parametrize("level", ["outer", "inner"])
def test_caller_changes_to_the_arguments_do_not_leak_in(level: str) -> None:
    inner: dict[str, Any] = {"x": 1}
    outer: dict[str, Any] = {"inner": inner}
    call = ToolCall(**valid(args=outer))
    changed = inner if level == "inner" else outer
    changed["x"] = 2
    assert call.args == {"inner": {"x": 1}}


@pytest.mark.parametrize(
    "results", [Tokenizable("found"), ARTIFACTS[0], PICTURES[0]], ids=["text", "artifact", "media"]
)
def test_a_single_result_is_kept_by_identity(results: object) -> None:
    # CONTRACT 86
    assert ToolCall(**valid(results=results)).results is results


def test_plain_text_results_are_wrapped() -> None:
    results = ToolCall(**valid(results="")).results
    assert isinstance(results, Tokenizable)
    assert str(results) == ""


@pytest.mark.parametrize("items", [ARTIFACTS, PICTURES], ids=["artifacts", "media"])
def test_a_list_of_one_kind_becomes_a_tuple(items: list[object]) -> None:
    # CONTRACT 86
    for given in (items, tuple(items), iter(items)):
        assert ToolCall(**valid(results=given)).results == tuple(items)


@pytest.mark.parametrize(
    "results",
    [
        None,
        5,
        b"found",
        [],
        (),
        iter([]),
        {"a": 1},
        ["found"],
        [*ARTIFACTS, *PICTURES],
        [ARTIFACTS[0], "found"],
        [Tokenizable("found")],
        ["found" * 1_000],
    ],
)
def test_results_of_any_other_kind_are_refused(results: object) -> None:
    # CONTRACT 86
    assert refused_paths(valid(results=results)) == ["results"]


def test_a_call_is_inline_not_an_error_and_not_from_an_artifact_tool_unless_said() -> None:
    # CONTRACT 87, and the decision for inline at its top
    call = ToolCall(**valid())
    assert (call.inline, call.is_error, call.from_artifact_tool) == (True, False, False)


@pytest.mark.parametrize("name", ["inline", "is_error", "from_artifact_tool"])
@pytest.mark.parametrize("value", [0, 1, "yes", None])
def test_a_flag_that_is_not_boolean_is_refused(name: str, value: object) -> None:
    # CONTRACT 87
    assert refused_paths(valid(**{name: value})) == [name]


def test_the_checksum_is_the_sha256_of_tool_and_arguments_with_sorted_keys() -> None:
    # CONTRACT 2.7
    text = '{"args":{"a":[2],"b":1},"tool":"search"}'
    assert ToolCall(**valid()).checksum == sha256(text.encode()).hexdigest()


def test_the_checksum_does_not_depend_on_key_order_id_or_results() -> None:
    # CONTRACT 151
    call = ToolCall(**valid())
    again = ToolCall(**valid(id="c2", args={"a": [2], "b": 1}, results="nothing", is_error=True))
    assert again.checksum == call.checksum
    assert ToolCall(**valid(tool="find")).checksum != call.checksum
    assert ToolCall(**valid(args={"b": 1})).checksum != call.checksum


def test_artifacts_are_found_among_the_results() -> None:
    assert ToolCall(**valid()).artifacts() == ()
    assert ToolCall(**valid(results=PICTURES)).artifacts() == ()
    assert ToolCall(**valid(results=ARTIFACTS[0])).artifacts() == (ARTIFACTS[0],)
    assert ToolCall(**valid(results=ARTIFACTS)).artifacts() == tuple(ARTIFACTS)


def test_times_are_checked_and_default_to_the_time_of_creation() -> None:
    # CONTRACT 66
    call = ToolCall(**valid())
    assert call.created_at == call.updated_at == call.completed_at == MIDNIGHT
    later = ToolCall(**valid(updated_at=1000, completed_at=2000))
    assert (later.updated_at.timestamp(), later.completed_at.timestamp()) == (1, 2)
    given = valid(created_at="a", updated_at="b", completed_at="c")
    assert refused_paths(given) == ["completed_at", "created_at", "updated_at"]


def test_every_bad_field_is_reported_at_once() -> None:
    assert refused_paths({"tool": "", "inline": 1, "args": "[]", "colour": "red"}) == [
        "args",
        "colour",
        "created_at",
        "id",
        "inline",
        "results",
        "tool",
    ]


@pytest.mark.parametrize("tool", ["", 5, "\ud800", "a\nb"])
def test_a_bad_tool_name_does_not_put_the_blame_on_the_arguments(tool: object) -> None:
    assert refused_paths(valid(tool=tool)) == ["tool"]


def test_a_missing_tool_name_does_not_put_the_blame_on_the_arguments() -> None:
    given = valid()
    del given["tool"]
    assert refused_paths(given) == ["tool"]


def test_nothing_at_all_reports_each_required_field_once() -> None:
    assert refused_paths({}) == ["args", "created_at", "id", "results", "tool"]


def test_every_field_is_read_only() -> None:
    call = ToolCall(**valid())
    for field in fields(call):
        with pytest.raises(FrozenInstanceError):
            setattr(call, field.name, None)


def test_fields_are_given_by_name_only() -> None:
    make: Any = ToolCall
    with pytest.raises(TypeError, match="positional"):
        make("c1")


def test_the_json_form_holds_every_field() -> None:
    call = ToolCall(**valid(is_error=True))
    form = json.loads(json.dumps(call.to_json()))
    moment = MIDNIGHT.isoformat()
    assert form == {
        "id": "c1",
        "tool": "search",
        "args": {"a": [2], "b": 1},
        "results": "found",
        "checksum": call.checksum,
        "is_error": True,
        "inline": True,
        "from_artifact_tool": False,
        "payload": None,
        "replay_compatibility": None,
        "created_at": moment,
        "updated_at": moment,
        "completed_at": moment,
    }


def test_the_json_form_without_the_checksum_makes_an_equal_call() -> None:
    opaque = {"payload": {"signature": ["x"]}, "replay_compatibility": "wire"}
    call = ToolCall(**valid(is_error=True, inline=False, **opaque))
    form = json.loads(json.dumps(call.to_json()))
    del form["checksum"]
    assert ToolCall(**form) == call


def test_the_json_form_shows_media_without_bytes_and_leaves_artifacts_out() -> None:
    pictures = [picture.to_json() for picture in PICTURES]
    assert ToolCall(**valid(results=PICTURES)).to_json()["results"] == pictures
    assert ToolCall(**valid(results=PICTURES[0])).to_json()["results"] == pictures[0]
    assert ToolCall(**valid(results=ARTIFACTS[0])).to_json()["results"] is None
    assert ToolCall(**valid(results=ARTIFACTS)).to_json()["results"] == [None, None]


def test_calls_hash_by_id() -> None:
    first, second = ToolCall(**valid()), ToolCall(**valid(results="nothing"))
    assert hash(first) == hash(second)
    assert len({first, second, ToolCall(**valid())}) == 2


def test_replacing_a_field_computes_the_checksum_and_checks_again() -> None:
    call = ToolCall(**valid())
    failed = replace(call, is_error=True)
    assert (failed.is_error, failed.checksum) == (True, call.checksum)
    assert replace(call, args={"b": 1}).checksum == ToolCall(**valid(args={"b": 1})).checksum
    with pytest.raises(InvalidInitialToolCallValue):
        replace(call, tool="")


def test_a_checksum_that_is_given_must_be_the_one_of_the_call() -> None:
    call = ToolCall(id="c", tool="add", args={"a": 1}, results="2", created_at=0)
    fields: dict[str, Any] = {"id": "c", "tool": "add", "results": "2", "created_at": 0}
    assert ToolCall(args={"a": 1}, checksum=call.checksum, **fields) == call
    with pytest.raises(InvalidInitialToolCallValue, match="checksum"):
        ToolCall(args={"a": 2}, checksum=call.checksum, **fields)


def test_arguments_that_contain_themselves_are_refused() -> None:
    circular: dict[str, Any] = {}
    circular["self"] = circular
    with pytest.raises(InvalidInitialToolCallValue, match="nested too deeply"):
        ToolCall(id="c", tool="add", args=circular, results="2", created_at=0)


@pytest.mark.parametrize("payload", [{"signature": "x"}, "opaque", 0, "", []])
def test_a_payload_without_replay_tag_is_refused(payload: object) -> None:
    # CONTRACT 2.7
    assert refused_paths(valid(payload=payload)) == ["replay_compatibility"]


@pytest.mark.parametrize("tag", ["", 5, "a\nb"])
def test_a_replay_tag_is_a_name(tag: object) -> None:
    assert refused_paths(valid(replay_compatibility=tag)) == ["replay_compatibility"]
    assert refused_paths(valid(replay_compatibility=tag, payload=1)) == ["replay_compatibility"]


def test_a_payload_is_handed_over_as_it_came_and_a_tag_needs_none() -> None:
    payload = {"signature": ["x", {"y": 1}]}
    call = ToolCall(**valid(payload=payload, replay_compatibility="wire"))
    assert call.payload is payload
    assert (call.to_json()["payload"], call.replay_compatibility) == (payload, "wire")
    assert ToolCall(**valid(replay_compatibility="wire")).payload is None
    assert (ToolCall(**valid()).payload, ToolCall(**valid()).replay_compatibility) == (None, None)


def test_a_payload_does_not_make_an_equal_call_another_one() -> None:
    # CONTRACT 151: the checksum is of the tool and the arguments alone
    call = ToolCall(**valid(payload={"signature": "x"}, replay_compatibility="wire"))
    assert call.checksum == ToolCall(**valid()).checksum
    with pytest.raises(InvalidInitialToolCallValue):
        replace(call, replay_compatibility=None)


class Unshowable:
    def __repr__(self) -> str:
        raise RuntimeError("no")


@pytest.mark.parametrize("results", [b"x" * 1_000_000, Unshowable()])
def test_a_refusal_is_short_and_never_fails_to_be_written(results: object) -> None:
    with pytest.raises(InvalidInitialToolCallValue) as refused:
        ToolCall(**valid(results=results))
    assert len(refused.value.message) < 500
