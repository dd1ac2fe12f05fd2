"""Options in three layers: checked, merged, and never shown with their secrets."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import SecretStr

from support.keywords import differences
from tether.batteries.models.errors import InvalidModelOptions
from tether.batteries.models.wire.layers import kept_options, merged_options
from tether.batteries.models.wire.options import (
    ModelKeywords,
    ModelOptions,
    RetryKeywords,
    RetryOptions,
)
from tether.trust.nonces import Nonces
from tether.trust.render_context import STASH_KEYS, FallbackStash


class OwnOptions(ModelOptions):
    """The options of a wire."""

    CONTROL = frozenset({"manner"})
    MADE_HERE = ("model", "stream", "special")

    temperature: float | None = None
    stop: list[str] | None = None
    metadata: dict[str, Any] | None = None
    manner: str = "plain"


def merged(*layers: Any) -> OwnOptions:
    return merged_options(OwnOptions, layers, InvalidModelOptions)


def problems(*layers: Any) -> dict[str, str]:
    with pytest.raises(InvalidModelOptions) as caught:
        merged(*layers)
    return dict(caught.value.problems)


def test_only_the_model_is_required_and_the_defaults_are_those_of_the_contract() -> None:
    # CONTRACT 1.8
    options = merged({"model": "m"})
    assert (options.stream, options.auto_ack, options.strict_tool_choice) == (True, False, False)
    assert (options.stream_idle_timeout_ms, options.request_timeout_ms) == (0, 0)
    assert (options.self_identity, options.thought_surfacing) == ("assistant", "all-self")
    assert (options.token_encoding, options.context_window, options.api_key) == (None, None, None)
    retry = options.retry
    assert (retry.max_attempts, retry.base_delay_ms, retry.max_delay_ms) == (1, 500, 30_000)
    assert (retry.retriable_statuses, retry.honor_retry_after) == ((429, 502, 503, 504), True)


def test_every_problem_is_named_at_once() -> None:
    # CONTRACT 138
    found = problems({"stream": "yes", "max_tool_calls": 0, "retries": 3, "retry": {"tries": 1}})
    assert found.keys() == {"model", "stream", "max_tool_calls", "retries", "retry.tries"}
    assert found["retries"] == found["retry.tries"] == "is not an option"


@pytest.mark.parametrize("layer", ["model", ["model"], 3])
def test_a_layer_that_is_no_dictionary_is_refused(layer: Any) -> None:
    assert "must be a dictionary of options" in problems({"model": "m"}, layer)[""]


@pytest.mark.parametrize(
    "url",
    [
        "",
        "api.example.org/v1",
        "ftp://x/v1",
        "http://",
        "https://a b/v1",
        "http://x:0",
        "http://[x",
    ],
)
def test_a_base_address_is_one_of_the_web(url: str) -> None:
    assert problems({"model": "m", "base_url": url}).keys() == {"base_url"}


@pytest.mark.parametrize("key", ["sk-secret\n", "sk-sécret", "sk-secret\r\nX-Evil: 1"])
def test_a_key_that_no_header_can_carry_is_refused_without_being_shown(key: str) -> None:
    # Catalogue 139
    with pytest.raises(InvalidModelOptions) as caught:
        merged({"model": "m", "api_key": key, "stream": "sk-secret"})
    assert "cret" not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("name", ["", "a b", "a\nb", "é"])
def test_a_header_that_cannot_be_sent_is_refused(name: str) -> None:
    assert problems({"model": "m", "headers": {name: "x"}}).keys() == {"headers"}
    assert problems({"model": "m", "headers": {"X": f"v{name}\n"}}).keys() == {"headers"}


def test_later_layers_go_over_earlier_ones() -> None:
    # CONTRACT 139
    options = merged(
        {"model": "a", "temperature": 0.1, "api_key": "k1"},
        {"model": "b", "temperature": 0.2},
        {"model": "c"},
    )
    assert (options.model, options.temperature, options.key()) == ("c", 0.2, "k1")


def test_headers_retry_and_steps_are_merged_key_by_key() -> None:
    # CONTRACT 139
    def one(*_: object) -> str:
        return ""

    def two(*_: object) -> str:
        return ""

    options = merged(
        {
            "model": "m",
            "headers": {"X-A": "1", "x-b": "1"},
            "retry": RetryOptions(max_attempts=3),
            "steps": {"memory": one, "thought": one},
        },
        {"headers": {"X-B": "2"}, "retry": {"base_delay_ms": 7}, "steps": {"memory": two}},
    )
    assert options.headers == {"X-A": "1", "X-B": "2"}
    assert (options.retry.max_attempts, options.retry.base_delay_ms) == (3, 7)
    assert options.steps == {"memory": two, "thought": one}


def test_none_takes_an_option_or_one_of_its_keys_back_to_the_default() -> None:
    options = merged(
        {"model": "m", "temperature": 0.1, "headers": {"X-A": "1", "X-B": "1"}, "stream": False},
        {"temperature": None, "headers": {"x-a": None}, "stream": None},
    )
    assert (options.temperature, options.headers, options.stream) == (None, {"X-B": "1"}, True)
    assert merged({"model": "m", "retry": {"max_attempts": 2}}, {"retry": None}).retry == (
        RetryOptions()
    )


def test_what_python_writes_in_several_ways_is_taken_in_all_of_them() -> None:
    options = merged(
        {
            "model": "m",
            "api_key": SecretStr("k"),
            "bucket_order": ["timeline", "memories"],
            "replay_compatibility": ["a"],
            "retry": {"retriable_statuses": [500, 429]},
            "unsupported_media": {"mode": "fallback-stash", "stash_keys": ["text:x"]},
            "nonces": Nonces(),
        }
    )
    assert options.key() == "k"
    assert options.bucket_order == ("timeline", "memories")
    assert options.replay_compatibility == ("a",)
    assert options.retry.retriable_statuses == (500, 429)
    assert options.unsupported_media == FallbackStash(("text:x",))
    by_default = merged({"model": "m", "unsupported_media": {"mode": "fallback-stash"}})
    assert by_default.unsupported_media == FallbackStash(STASH_KEYS)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("unsupported_media", {"mode": "fallback-stash", "stash_keys": 3}),
        ("unsupported_media", {"mode": "guess"}),
        ("unsupported_media", "guess"),
        ("bucket_order", ["timeline", "weather"]),
        ("retry", {"retriable_statuses": [200]}),
        ("retry", 3),
        ("headers", "X-A: 1"),
        ("api_key", 3),
        ("temperature", float("nan")),
        ("temperature", float("inf")),
        ("nonces", "secret"),
    ],
)
def test_a_value_of_another_kind_is_refused(name: str, value: Any) -> None:
    assert {path.split(".")[0] for path in problems({"model": "m", name: value})} == {name}


def test_only_the_wires_own_fields_are_fields_of_the_body() -> None:
    # CONTRACT 141
    options = merged({"model": "m", "api_key": "k", "stop": ["x"], "temperature": 0, "manner": "y"})
    assert options.body_fields() == {"temperature": 0.0, "stop": ["x"]}
    assert list(options.body_fields()) == ["temperature", "stop"]


def test_an_empty_key_is_no_key() -> None:
    assert merged({"model": "m", "api_key": ""}).key() == ""
    assert merged({"model": "m"}).key() == ""


SECRET = "canary-0123456789abcdef"


def test_the_repr_of_options_shows_no_secret() -> None:
    # Catalogue 139
    options = merged(
        {
            "model": "m",
            "api_key": SECRET,
            "headers": {"X-Session": SECRET},
            "base_url": f"https://h.example/v1?key={SECRET}",
            "extra_body": {"upstream_key": SECRET},
        }
    )
    assert "canary" not in repr(options)
    assert "canary" not in str(options)
    own = merged({"model": "m", "base_url": f"https://user:{SECRET}@h.example/v1"})
    assert "canary" not in repr(own)


@pytest.mark.parametrize(
    "options",
    [
        {"api_key": SECRET.encode()},
        {"api_key": f"{SECRET}\n"},
        {"headers": {"X-A": SECRET.encode()}},
        {"headers": {"X-A": f"{SECRET}\n"}},
        {"headers": {f"X-A: {SECRET}": ""}},
        {"base_url": f"ftp://user:{SECRET}@host"},
        {"base_url": f"http://user:{SECRET}@host", "api_key": SECRET},
        {"extra_body": {"x": {SECRET}}},
        {"extra_body": {SECRET: Ellipsis}},
        {"extra_body": {(SECRET,): 1}},
        {"metadata": {"x": [SECRET.encode()]}},
        {"stream": SECRET},
        {"model": [SECRET]},
        {"nonces": SECRET},
    ],
    ids=str,
)
def test_an_error_shows_no_value_and_holds_on_to_none(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidModelOptions) as caught:
        merged({"model": "m", **options})
    error = caught.value
    assert "canary" not in str(error) + repr(error) + repr(vars(error))
    assert (error.__cause__, error.__context__) == (None, None)


def test_a_user_in_the_address_and_a_key_are_one_too_many() -> None:
    url = "https://user:word@h.example/v1"
    assert merged({"model": "m", "base_url": url}).base_url == url
    found = problems({"model": "m", "base_url": url}, {"api_key": "k"})
    assert found.keys() == {"base_url"}
    assert "api_key" in found["base_url"]


def test_no_address_is_the_default_also_where_it_is_said() -> None:
    assert ModelOptions(model="m", base_url=None).base_url is None


def test_a_name_that_is_no_option_is_none_with_none_either() -> None:
    # CONTRACT 138
    layer = {"model": "m", "tempreature": None, "retry": {"tries": None, "max_attempts": None}}
    assert problems(layer) == {"tempreature": "is not an option", "retry.tries": "is not an option"}


@pytest.mark.parametrize("name", ["model", "stream", "special"])
def test_an_extra_body_leaves_alone_what_is_made_elsewhere(name: str) -> None:
    assert name in problems({"model": "m", "extra_body": {name: None}})["extra_body"]


@pytest.mark.parametrize("name", ["extra_body", "metadata"])
@pytest.mark.parametrize(
    "value", [{"x": object()}, {1: 2}, {"x": float("nan")}, {"x": {1, 2}}, {"x": "\ud800"}]
)
def test_what_goes_into_a_body_is_json(name: str, value: Any) -> None:
    assert "JSON" in problems({"model": "m", name: value})[name]


def test_a_circle_is_no_json() -> None:
    circle: dict[str, Any] = {}
    circle["x"] = [circle]
    held = kept_options({"model": "m", "extra_body": circle})
    assert "JSON" in problems(held)["extra_body"]


def test_options_that_are_kept_do_not_change_with_what_the_caller_holds() -> None:
    def step() -> None:
        """Do nothing."""

    nonces = Nonces()
    given: dict[str, Any] = {
        "headers": {"X-A": "1"},
        "extra_body": {"x": [{"y": 1}]},
        "steps": {"memory": step},
        "nonces": nonces,
    }
    kept = kept_options(given)
    assert kept == given
    assert (kept["nonces"], kept["steps"]["memory"]) == (nonces, step)
    given["headers"]["X-A"] = "2"
    given["extra_body"]["x"][0]["y"] = 2
    given["steps"].clear()
    given.clear()
    assert kept["headers"] == {"X-A": "1"}
    assert kept["extra_body"] == {"x": [{"y": 1}]}
    assert kept["steps"] == {"memory": step}


def test_the_keywords_that_type_checkers_read_are_the_fields() -> None:
    assert differences(ModelOptions, ModelKeywords) == {}
    assert RetryKeywords.__annotations__.keys() == RetryOptions.model_fields.keys()


@pytest.mark.parametrize(
    ("base", "address"),
    [
        (None, "https://api.example.org/v1/ask"),
        ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1/ask"),
        ("http://127.0.0.1:8080/v1///", "http://127.0.0.1:8080/v1/ask"),
        ("https://x.example", "https://x.example/ask"),
        ("https://x.example/d?api-version=1#top", "https://x.example/d/ask?api-version=1"),
    ],
)
def test_an_operation_lies_below_the_base_address(base: str | None, address: str) -> None:
    options = merged({"model": "m", "base_url": base})
    assert options.endpoint("https://api.example.org/v1", "/ask") == address
