"""No path takes long, whatever it asks and of whatever (case 60).

The bound is a count of steps and not a clock. Each part of a query takes steps before or while it
does the work they stand for: one for each value looked at, four for each condition asked, more for
long texts, large comparisons and patterns. So a test can count them, and count the calls that the
interpreter makes, and neither depends on how busy the machine is.
"""

from __future__ import annotations

import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.batteries.languages.json.jsonpath import JsonPath
from tether.batteries.languages.json.jsonpath_filters import COMPILING
from tether.batteries.languages.json.values import STEPS, Steps, equal, levels, weigh
from tether.core.errors import InputRefused, LimitExceeded

NUMBERS = list(range(60))
DEEP: Any = [[[[[[[1] * 4] * 4] * 4] * 4] * 4] * 4] * 4
LONG = "a" * 200_000
OTHER = "a" * 199_999 + "b"
TEXTS = {"one": LONG, "other": OTHER, "numbers": list(range(10_000))}
OBJECTS = {"one": {LONG: 1}, "other": {"a" * 200_000: 1}, "numbers": list(range(10_000))}
LISTS = {"one": [0] * 5_000, "other": [0.0] * 5_000, "numbers": list(range(10_000))}
PATTERNS = [f"\\p{{L}}{{{1 + number % 900}}}" for number in range(1_000)]

BOMBS = [
    (DEEP, "$..*..*..*..*"),
    (DEEP, "$" + "..[*,*]" * 20),
    (NUMBERS, "$[?$[?$[?$[?@>0]]]]"),
    (NUMBERS, "$[?count($[?count($[?count($[?@>0])>1])>1])>1]"),
    (NUMBERS, "$[?$..[?$..[?$..[?$..[?@>0]]]]]"),
    (NUMBERS * 2_000, "$[" + ",".join("*" * 500) + "]"),
    (NUMBERS * 2_000, "$[" + ",".join([":"] * 500) + "]"),
    (TEXTS, "$.numbers[?$.one == $.other]"),
    (TEXTS, "$.numbers[?$.one < $.other]"),
    (OBJECTS, "$.numbers[?$.one == $.other]"),
    (LISTS, "$.numbers[?$.one == $.other]"),
    (TEXTS, "$.numbers[?search($.one, '(.*a){25}b')]"),
    (PATTERNS, "$[?search('x', @)]"),
]


@pytest.mark.parametrize(("document", "path"), BOMBS)
def test_a_bomb_ends_when_the_steps_are_used_up(document: Any, path: str) -> None:
    allowed = 200_000
    steps = Steps(allowed)
    with pytest.raises(LimitExceeded, match=r"200,000 steps on this data\. Ask for less"):
        JsonPath(path).find(document, steps)
    taken = steps.allowed - steps.left
    assert allowed < taken <= allowed + 200_017, "the last thing asked for is not a bomb itself"


@pytest.mark.parametrize(
    ("document", "path", "found"),
    [
        # Patterns that take `re` exponential time run on RE2.
        (["a" * 30 + "X"] * 200, "$[?search(@, '(a|aa)+$')]", 0),
        (["a" * 30 + "X"] * 200, "$[?match(@, '(a+)+')]", 0),
        (["a" * 30] * 200, "$[?match(@, '(a|aa)+')]", 200),
        # A slice is as long as the array, whatever its bounds.
        (NUMBERS, "$[0:9007199254740991:1]", 60),
        (NUMBERS, "$[-9007199254740991:9007199254740991]", 60),
        (NUMBERS, "$[::9007199254740991]", 1),
        (NUMBERS, "$[::0]", 0),
        # Attributes of Python are not members.
        ([NUMBERS, {}], "$[?@.__class__]", 0),
        ({"__class__": 1}, "$.__class__", 1),
    ],
)
def test_what_looks_like_a_bomb_takes_few_steps(document: Any, path: str, found: int) -> None:
    steps = Steps()
    assert len(JsonPath(path).find(document, steps)) == found
    assert steps.left > STEPS * 0.9


@pytest.mark.parametrize("path", ["$..*..*..*", "$[?$[?$[?@>0]]]", "$..[?@..[?@>0]]"])
def test_the_work_is_in_proportion_to_the_steps(path: str) -> None:
    """Counts the calls that the interpreter makes, which no clock can."""
    query, allowed, calls = JsonPath(path), 50_000, 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal calls
        calls += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        with pytest.raises(LimitExceeded):
            query.find([DEEP, *NUMBERS], Steps(allowed))
    finally:
        sys.setprofile(before)
    assert calls < 5 * allowed


documents = st.recursive(
    st.integers(0, 9) | st.sampled_from(["x", ""]),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from("abc"), inner),
)


@given(documents, st.sampled_from(["$..a", "$[*].a.b", "$..[?@.a == 1]", "$[0:2]", "$..*"]))
def test_the_same_query_takes_the_same_steps_and_fits_into_exactly_these(
    document: Any, path: str
) -> None:
    steps, again = Steps(), Steps()
    found = JsonPath(path).find(document, steps)
    assert JsonPath(path).find(document, again) == found
    assert steps.left == again.left
    taken = steps.allowed - steps.left
    assert JsonPath(path).find(document, Steps(taken)) == found
    with pytest.raises(LimitExceeded):
        JsonPath(path).find(document, Steps(taken - 1))


def test_looking_at_everything_once_takes_about_as_many_steps_as_there_are_values() -> None:
    document = [{"id": number, "price": 1.5, "tags": ["x", "y"]} for number in range(1_000)]
    steps = Steps()
    assert len(JsonPath("$..price").find(document, steps)) == 1_000
    values = 1 + 1_000 * 6
    assert values <= steps.allowed - steps.left <= 2.5 * values


def test_a_pattern_is_made_ready_once() -> None:
    steps = Steps()
    query = JsonPath("$[1:][?search(@, $[0][0]) || search(@, $[0][1])]")
    patterns = ["a", "["]
    assert query.find([patterns, ["a"] * 100], steps) == ["a"] * 100
    assert query.find([patterns, ["a", "b"]], steps) == ["a"]
    assert 2 * COMPILING <= steps.allowed - steps.left < 3 * COMPILING
    steps = Steps()
    assert JsonPath("$[?search(@, 'a')]").find(["a"] * 100, steps) == ["a"] * 100
    assert steps.allowed - steps.left < COMPILING, "it was made ready when the path was read"
    dozens = [{"p": f"x{number % 20}"} for number in range(60)]
    with pytest.raises(LimitExceeded, match="steps"):
        JsonPath("$[?search(@.p, @.p)]").find(dozens)
    assert len(JsonPath("$[?search(@.p, @.p)]").find(dozens, Steps(10_000_000))) == 60


def test_the_patterns_of_a_path_are_bounded_as_well() -> None:
    costly = " || ".join("search(@, '(a|b){900}')" for _ in range(8))
    with pytest.raises(LimitExceeded, match="use fewer"):
        JsonPath(f"$[?{costly}]")


def test_a_pattern_from_the_document_may_be_too_long() -> None:
    with pytest.raises(LimitExceeded, match="600 characters"):
        JsonPath("$[?search('x', @)]").find(["x" * 600])


def test_running_out_of_steps_is_a_refusal_that_says_what_to_do() -> None:
    with pytest.raises(InputRefused, match="take a slice"):
        JsonPath("$..*").find(NUMBERS, Steps(10))
    steps = Steps(10)
    steps.allow(200)
    assert len(JsonPath("$..*").find(NUMBERS, steps)) == 60


def test_a_value_weighs_as_much_as_it_takes_to_write_it_down() -> None:
    shared = [["x" * 1_600] * 10] * 10
    steps = Steps()
    weigh(shared, steps)
    assert steps.allowed - steps.left >= 100 * 100
    bomb: Any = [1]
    for _ in range(60):
        bomb = [bomb, bomb]
    heavy: list[Any] = [bomb, {"k" * 400_000: 1}, [1] * 20_000, [10**4_000] * 30, [LONG] * 4]
    for value in heavy:
        with pytest.raises(LimitExceeded, match="Ask for less"):
            weigh(value, Steps(20_000))
    light: list[Any] = [None, True, 1, 2.5, -(10**30), "text", [], {}, {"a": [1]}]
    for value in light:
        weigh(value, Steps(20))


def test_what_is_too_deep_is_refused_before_anything_recurses_into_it() -> None:
    value: Any = []
    for _ in range(250):
        value = [value]
    for walk in (lambda: list(levels(value)), lambda: weigh(value, Steps())):
        with pytest.raises(LimitExceeded, match="levels deep"):
            walk()


def test_comparing_does_not_recurse() -> None:
    one: Any = 1
    other: Any = 1.0
    for _ in range(5_000):
        one, other = [{"a": one}], [{"a": other}]
    assert equal(one, other, Steps())
