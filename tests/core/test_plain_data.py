"""Canonical JSON against an independent oracle, and a parser that refuses what is ambiguous."""

from __future__ import annotations

import inspect
import json
import json.encoder
import math
import runpy
from collections import OrderedDict
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.core.plain_data import canonical_json, parse_json_object, tool_checksum

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

DEPTH = 100_000
SHORT_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n"} | {
    "\r": "\\r",
    "\t": "\\t",
}

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
json_values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)
json_objects = st.dictionaries(st.text(), json_values, max_size=4)


class Pair(NamedTuple):
    left: object
    right: object


def oracle(value: Any) -> str:
    """Canonical JSON, written from its definition."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case str():
            return quoted(value)
        case dict():
            return (
                "{" + ",".join(f"{quoted(key)}:{oracle(value[key])}" for key in sorted(value)) + "}"
            )
        case _:
            return "[" + ",".join(oracle(item) for item in value) + "]"


def quoted(text: str) -> str:
    return '"' + "".join(escaped(character) for character in text) + '"'


def escaped(character: str) -> str:
    if character in SHORT_ESCAPES:
        return SHORT_ESCAPES[character]
    return f"\\u{ord(character):04x}" if character < " " else character


def shuffled(value: Any, random: Random) -> Any:
    """The same value with the keys of every dictionary in another order."""
    if isinstance(value, dict):
        items = [(key, shuffled(item, random)) for key, item in value.items()]
        random.shuffle(items)
        return dict(items)
    return [shuffled(item, random) for item in value] if isinstance(value, list) else value


def nested(depth: int, *, in_dictionaries: bool) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = {"a": value} if in_dictionaries else [value]
    return value


@given(json_values)
def test_the_text_agrees_with_the_oracle(value: Any) -> None:
    assert canonical_json(value) == oracle(value)


@given(json_values)
def test_the_text_reads_back_as_the_value(value: Any) -> None:
    assert json.loads(canonical_json(value)) == value


@given(json_values, st.randoms(use_true_random=False))
def test_the_order_of_keys_does_not_matter_at_any_level(value: Any, random: Random) -> None:
    assert canonical_json(shuffled(value, random)) == canonical_json(value)


@pytest.fixture
def plain_canonical_json(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], str]:
    """The same function on an interpreter whose `json` has no encoder in C."""
    monkeypatch.setattr(json.encoder, "c_make_encoder", None)
    module = runpy.run_path(inspect.getfile(canonical_json))
    return cast("Callable[[Any], str]", module["canonical_json"])


@pytest.mark.parametrize(
    "value", [{"b": [1.5, None, True], "a": {"\u00e9\n": "\U0001f600"}}, "text", 0, [], {}]
)
def test_an_interpreter_without_the_fast_encoder_writes_the_same(
    value: Any, plain_canonical_json: Callable[[Any], str]
) -> None:
    assert plain_canonical_json(value) == oracle(value)


@pytest.mark.parametrize("odd", [math.nan, {1, 2}, {1: 2}, "\ud800"])
def test_an_interpreter_without_the_fast_encoder_refuses_the_same(
    odd: object, plain_canonical_json: Callable[[Any], str]
) -> None:
    with pytest.raises(ValueError, match="JSON"):
        plain_canonical_json([odd])


def test_tuples_are_lists_and_lists_keep_their_order() -> None:
    assert canonical_json((2, [1, ()])) == canonical_json([2, [1, []]]) == "[2,[1,[]]]"


@given(st.text(), json_objects)
def test_the_checksum_is_the_sha256_of_the_canonical_text(tool: str, args: dict[str, Any]) -> None:
    text = '{"args":' + oracle(args) + ',"tool":' + quoted(tool) + "}"
    assert tool_checksum(tool, args) == sha256(text.encode()).hexdigest()


@given(json_objects, st.randoms(use_true_random=False))
def test_equal_calls_have_equal_checksums(args: dict[str, Any], random: Random) -> None:
    assert tool_checksum("search", shuffled(args, random)) == tool_checksum("search", args)


def test_different_calls_have_different_checksums() -> None:
    calls: list[tuple[str, dict[str, Any]]] = [
        ("a", {}),
        ("b", {}),
        ("a", {"x": 1}),
        ("a", {"x": "1"}),
        ("a", {"x": [1]}),
        ("a", {"x": None}),
    ]
    assert len({tool_checksum(tool, args) for tool, args in calls}) == len(calls)


@pytest.mark.parametrize(
    "odd",
    [
        math.nan,
        math.inf,
        -math.inf,
        "\ud800",
        {"\udfff": 1},
        {1, 2},
        frozenset([1]),
        b"bytes",
        object(),
        1j,
        {1: "number"},
        {None: "nothing"},
        {True: "flag"},
        {("a", "b"): "tuple"},
    ],
)
@pytest.mark.parametrize("depth", [0, 1, 2, 3])
def test_what_has_no_json_form_is_refused_at_any_depth(odd: object, depth: int) -> None:
    value = odd
    for level in range(depth):
        value = {"a": value} if level % 2 else [1, value]
    with pytest.raises(ValueError, match=r"JSON"):
        canonical_json(value)


@pytest.mark.parametrize("value", [OrderedDict({1: 2}), [OrderedDict({1: 2})], [Pair("a", {1: 2})]])
def test_a_number_key_cannot_pass_for_text_in_kinds_of_dictionary_or_tuple(value: object) -> None:
    with pytest.raises(ValueError, match="not text"):
        canonical_json(value)


def test_circular_structures_are_refused() -> None:
    items: list[Any] = []
    items.append(items)
    table: dict[str, Any] = {}
    table["a"] = [table]
    for circular in (items, table):
        with pytest.raises(ValueError, match="no JSON form"):
            canonical_json(circular)


@pytest.mark.parametrize("in_dictionaries", [True, False])
def test_the_encoder_refuses_nesting_that_is_too_deep(in_dictionaries: bool) -> None:
    with pytest.raises(ValueError, match="no JSON form"):
        canonical_json(nested(DEPTH, in_dictionaries=in_dictionaries))


@pytest.mark.parametrize(
    "text",
    ['{"a":' * DEPTH + "1" + "}" * DEPTH, '{"a":' + "[" * DEPTH + "]" * DEPTH + "}", "[" * DEPTH],
    ids=["objects", "lists", "unfinished"],
)
def test_the_parser_refuses_nesting_that_is_too_deep(text: str) -> None:
    with pytest.raises(ValueError, match="too deeply"):
        parse_json_object(text)


@given(json_objects)
def test_an_object_is_read_as_json_reads_it(value: dict[str, Any]) -> None:
    assert parse_json_object(json.dumps(value)) == value
    assert parse_json_object(oracle(value)) == value


@pytest.mark.parametrize("text", ["[]", "null", "1", '"a"', "true", "1.5"])
def test_json_that_is_no_object_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="must be a JSON object"):
        parse_json_object(text)


@pytest.mark.parametrize(
    "text", ["", "{", "{'a': 1}", "{a: 1}", '{"a": 1,}', '{"a": 1} x', "\ufeff{}"]
)
def test_text_that_is_not_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="line 1 column"):
        parse_json_object(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "a": 2}',
        '{"a": 1, "a": 1}',
        '{"a": 1, "\\u0061": 2}',
        '{"b": {"a": 1, "a": 2}}',
        '{"b": [[{"c": {"a": 1, "a": 2}}]]}',
    ],
)
def test_duplicate_keys_are_refused_at_any_depth(text: str) -> None:
    with pytest.raises(ValueError, match="a key twice"):
        parse_json_object(text)


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_constants_that_are_not_json_are_refused(constant: str) -> None:
    with pytest.raises(ValueError, match=f"contains {constant}"):
        parse_json_object(f'{{"a": [{constant}]}}')


@pytest.mark.parametrize(
    "text", ['{"a": 1e999}', '{"a": "\\ud800"}', '{"\\udc00": 1}', '{"a": "\ud800"}']
)
def test_values_that_cannot_be_written_again_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="JSON"):
        parse_json_object(text)


def test_an_escaped_surrogate_pair_is_one_character() -> None:
    assert parse_json_object('{"a": "\\ud83d\\ude00"}') == {"a": "\U0001f600"}


@given(st.text(st.sampled_from('{}[]":,\\u0aNI19.-e \ud800')))
def test_any_text_gives_an_object_or_a_value_error(text: str) -> None:
    try:
        value = parse_json_object(text)
    except ValueError:
        return
    assert parse_json_object(canonical_json(value)) == value
