"""The subset of jq: what jq itself answers, what the subset refuses, and how it is bounded."""

from __future__ import annotations

import inspect
import json
import sys
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.batteries.languages.json.jq import LONGEST_FILTER, Jq
from tether.batteries.languages.json.json_values import weigh
from tether.batteries.languages.steps import STEPS, Steps
from tether.core.errors import InputRefused, LimitExceeded

# Each line is a filter, an input and the outputs that jq 1.6 gives. Most are the examples of the jq
# manual (jqlang.org, CC BY 3.0); the rest ask about order, precedence and edges.
EXAMPLES = [
    json.loads(line)
    for line in (Path(__file__).parent / "jq_examples.jsonl").read_text("utf-8").splitlines()
]

NUMBERS = list(range(1_000))
LONG = "a" * 200_000


def outputs(query: str, value: Any, allowed: int = STEPS) -> list[Any]:
    """Run a filter as a tool does: what is returned has to be paid for too."""
    steps = Steps(allowed)
    found = Jq(query).run(value, steps)
    weigh(found, steps)
    return found


@pytest.mark.parametrize(("query", "value", "found"), EXAMPLES)
def test_the_outputs_are_those_of_jq(query: str, value: Any, found: list[Any]) -> None:
    assert json.dumps(outputs(query, value)) == json.dumps(found)


# jq 1.7's manual: what 1.6 did not have yet, or did otherwise.
@pytest.mark.parametrize(
    ("query", "value", "found"),
    [
        (".[1.7]", [1, 2, 3], [2]),
        ("{a: .x + 1, b: .y // 2}", {"x": 1}, [{"a": 2, "b": 2}]),
        (".a.[0]", {"a": [1]}, [1]),
        ('.a."b"', {"a": {"b": 1}}, [1]),
        (".a?//1", [], [1]),
        (
            "from_entries",
            [
                {"key": None, "value": 1},
                {"key": False},
                {"k": 1, "v": 2},
                {"name": "n", "Value": 3},
            ],
            [{"null": 1, "false": None, "1": 2, "n": 3}],
        ),
        ("{(.k): .v | . + 1}", {"k": "a", "v": 1}, [{"a": 2}]),
        ("[.[]?]", {"a": 1}, [[1]]),
        ("9007199254740993 + 1", None, [9007199254740994]),
        ("6 / 2, 1 / 4, 7.5 / 2.5", None, [3, 0.25, 3.0]),
        (".a-.b", {"a": 3, "b": 1}, [2]),
        ("-.a", {"a": 3}, [-3]),
        ('"\\ud83d" | length', None, [1]),
        (".a, .[0], .[1:2], (.[0:1] | length)", None, [None, None, None, 0]),
        # Blanks before suffixes: jq's grammar is one of tokens, and a field is one with its dot.
        (". [0]", [1], [1]),
        (".a [0]", {"a": [1]}, [1]),
        (".a .b", {"a": {"b": 1}}, [1]),
        ('. ["a"]', {"a": 1}, [1]),
        ('. ."a" ?', {"a": 1}, [1]),
        ("[.. .a?]", {"a": 1}, [[1]]),
        # A question mark belongs to the last step (INDEX_OPT, EACH_OPT in jq's parser.y).
        ("[.[].a?]", [{"a": 1}, 5, {"a": 2}], [[1, 2]]),
        ("[.[][]?]", [[1], 5, {"a": 2}], [[1, 2]]),
        ("[.[][0]?], [.[][:1]?], [.[][0:1]?]", [[1], 5], [[1], [[1]], [[1]]]),
        ("(1 == 1) == true", None, [True]),
        ("1 == 1 and 2 == 2, 1 < 2", None, [True, True]),
        # Of the functions the examples in the manual, and neighbours of them.
        ("floor", 3.14159, [3]),
        ("map(floor), map(ceil), map(round)", [-1.5, 1.2, 2], [[-2, 1, 2], [-1, 2, 2], [-2, 1, 2]]),
        ("map(abs)", [-10, -1.1, 0], [[10, 1.1, 0]]),
        ("[.[] | tojson]", [1, "foo", ["foo"]], [["1", '"foo"', '["foo"]']]),
        ("[.[] | tojson | fromjson]", [1, "foo", ["foo"]], [[1, "foo", ["foo"]]]),
        ("[range(4)], [range(2; 4)]", None, [[0, 1, 2, 3], [2, 3]]),
        ("[range(0, 1; 3, 4)]", None, [[0, 1, 2, 0, 1, 2, 3, 1, 2, 1, 2, 3]]),
        ("[range(1.5)], [range(-1)]", None, [[0, 1], []]),
        ("[limit(3; .[])], [limit(0; .[])]", [0, 1, 2, 3, 4], [[0, 1, 2], []]),
        ("[first(range(.)), last(range(.))], [first(empty)]", 10, [[0, 9], []]),
        ('. / ", "', "a, b,c,d, e", [["a", "b,c,d", "e"]]),
        (
            '{"k": {"a": 1, "b": 2}} * {"k": {"a": 0, "c": 3}}',
            None,
            [{"k": {"a": 0, "b": 2, "c": 3}}],
        ),
        ('{"a": {"b": 1}} * {"a": 2}', None, [{"a": 2}]),
        (
            '[.[] | test("a b c # spaces are ignored"; "i")]',
            ["A B C # spaces are ignored"],
            [[True]],
        ),
        ('test("FOO"; "ig"), test("a.b"; "s"), test("A"; null)', "foo a\nb", [True, True, False]),
        ('test("a"; "g")', "a", [True]),
        (
            '[.[] | ltrimstr("foo")]',
            ["fo", "foo", "barfoo", "foobar", 1],
            [["fo", "", "barfoo", "bar", 1]],
        ),
        (
            '[.[] | rtrimstr("foo")]',
            ["fo", "foo", "barfoo", "foobar", 1],
            [["fo", "", "bar", "foobar", 1]],
        ),
        (
            "map(numbers), map(strings), map(arrays)",
            [1, "a", [2], {}, None, True],
            [[1], ["a"], [[2]]],
        ),
        (
            "map(objects), map(nulls), map(booleans)",
            [1, "a", [2], {}, None, True],
            [[{}], [None], [True]],
        ),
        ("map(scalars)", [1, "a", [2], {}, None, True], [[1, "a", None, True]]),
    ],
)
def test_the_outputs_are_those_of_a_newer_jq(query: str, value: Any, found: list[Any]) -> None:
    assert json.dumps(outputs(query, value)) == json.dumps(found)


@pytest.mark.parametrize(
    ("query", "value", "said"),
    [
        (".a.b", {"a": 5}, "asks the number 5 for the string 'b'"),
        (".a", [1, 2], "asks the array of 2 for the string 'a'"),
        (".[0]", {"a": 1}, "asks the object of 1 for the number 0"),
        (".[true]", None, "asks null for the boolean True"),
        (".[]", 5, "iterates over the number 5"),
        (".[]", None, "iterates over null"),
        (".[1:]", {}, "takes a slice of the object of 0"),
        ('.["a":]', [], "not numbers"),
        ("length", True, "length: the boolean True has none"),
        ("keys", 5, "no array or object"),
        ("add", [1, "a"], "the number 1 and the string 'a' cannot be added"),
        ("add", [True, False], "cannot be added"),
        (".a.b?", 5, "asks the number 5 for the string 'a'"),
        (". - 1", "a" * 100, "'" + "a" * 40 + "'"),
        (". * 2", "ab", "cannot be multiplied"),
        ("1 / .", 0, "divides by zero"),
        ("1 % .", 0.5, "divides by zero"),
        ("1e308 * 10", None, "range of a double"),
        (". + 0.5", 10**400, "range of a double"),
        (". / 3", 10**400, "range of a double"),
        (".[0] / .[1]", [10**400, 10**60 + 1], "range of a double"),
        ("join(1)", ["a"], "join: the number 1 is no text"),
        ('join(",")', [[1]], "join: the array of 1"),
        ('join(",")', "a", "join: the string 'a' is no array"),
        ("split(1)", "a", "split: the number 1 is no text"),
        ('startswith("a")', 1, "startswith: the number 1 is no text"),
        ('endswith("a")', 1, "endswith"),
        ("ascii_downcase", 1, "ascii_downcase"),
        ("tonumber", "abc", "tonumber: the string 'abc' is no number"),
        ("tonumber", "1x", "not JSON"),
        ("tonumber", [], "tonumber"),
        ("flatten(-1)", [1], "flatten: the number -1 is no depth"),
        ('flatten("a")', [1], "flatten"),
        ("flatten", {}, "flatten: the object of 0 is no array"),
        ("reverse", "abc", "reverse: the string 'abc' is no array"),
        ("sort", {}, "sort: the object of 0 is no array"),
        ("group_by(.a)", None, "group_by: null is no array"),
        ("to_entries", [1], "to_entries: the array of 1 is no object"),
        ("from_entries", [1], "from_entries: the number 1"),
        ('has("a")', [], "has: the array of 0 cannot have the string 'a'"),
        ("{(.a): 1}", {"a": 1}, "the number 1 cannot be a key"),
        ('test("[")', "a", "RE2"),
        ('test("a")', 5, "test: the number 5 is no text"),
        ('test("a"; "x")', "a", "test: the string 'x' is no text of the flags"),
        ('test("a"; 1)', "a", "no text of the flags"),
        ("floor", "a", "floor: the string 'a' is no number"),
        ('range("a")', None, "range: the string 'a' is no number"),
        ('limit("a"; 1)', None, "limit: the string 'a' is no number"),
        ("range(0.5; .)", 10**400, "range of a double"),
        ("limit(-1; 1)", None, "cannot be negative"),
        ("fromjson", "{", "not JSON"),
        ("fromjson", 5, "fromjson"),
        ('. * {"a": 1}', [1], "cannot be multiplied"),
        ('. / ","', 1, "cannot be divided"),
        ("test(1)", "a", "test: the number 1 is no text"),
    ],
)
def test_a_filter_that_does_not_fit_the_value_says_why(query: str, value: Any, said: str) -> None:
    with pytest.raises(InputRefused) as refused:
        outputs(query, value)
    assert said in refused.value.message
    assert outputs(f"({query})?", value) == []


@pytest.mark.parametrize(
    ("query", "place", "said"),
    [
        ("", 1, "a path"),
        ("  # nothing", 12, "a path"),
        (".a |", 5, "a path"),
        (".a . b", 5, "a name after the dot"),
        ("1 == 1 == true", 8, "parentheses around one of two comparisons"),
        ("1 < 2 != true", 7, "parentheses around one of two comparisons"),
        ("limit(1)", 1, "with one argument"),
        ("map(.a; .b)", 1, "with two arguments"),
        ("limit(1; 2; 3)", 11, "')'"),
        (".a)", 3, "an operator or the end"),
        ("(.a", 4, "')' or an operator"),
        ("[.a", 4, "']' or an operator"),
        (".[1", 4, "']' or ':' or an operator"),
        (".[1:2", 6, "']' or an operator"),
        (".a.", 4, "a name after the dot"),
        (".a.1", 4, "a name after the dot"),
        (".5", 2, "an operator"),
        ("1.x", 1, "a path"),
        ("{a b}", 4, "',' or '}'"),
        ("{a: }", 5, "a path"),
        ("{1: 2}", 2, "a key"),
        ("{(.a)}", 6, "':'"),
        ('"a', 1, "a path"),
        ('"x\\(.a)"', 1, "escapes"),
        ("nosuch", 1, "one of the functions abs, add, all"),
        ("keys(.a)", 1, "one of the functions all, any"),
        ("map", 1, "one of the functions abs, add, all"),
        ("nosuch(1; .[])", 1, "before '('"),
        (". as $x | $x", 3, "an operator"),
        ("$__loc__", 1, "a path"),
        ("if . then 1 else 2 end", 1, "one of the functions"),
        ("reduce .[] as $x (0; . + $x)", 1, "one of the functions"),
        ("def f: 1; f", 1, "one of the functions"),
        (".a = 1", 4, "an operator"),
        (".a |= 1", 4, "an operator"),
        (".a += 1", 4, "an operator"),
        (".a //= 1", 5, "a path"),
        ("@base64", 1, "a path"),
        ("env", 1, "one of the functions"),
        ("input", 1, "one of the functions"),
        ("$ENV.PATH", 1, "a path"),
        ('import "a" as b; 1', 1, "one of the functions"),
        ("1e999", 1, ""),
    ],
)
def test_what_the_subset_lacks_is_refused_at_its_place(query: str, place: int, said: str) -> None:
    with pytest.raises(InputRefused) as refused:
        Jq(query)
    if said:
        assert f"at character {place}: expected" in refused.value.message
        assert "jq filter of this subset" in refused.value.message
    assert said in refused.value.message


# The bound is the count of steps, as in JSONPath. A value may hold one part many times without a
# copy, so that a short filter can make a value of any size in no time: nothing sorts, compares or
# writes such a value before it has been weighed, and `outputs` here weighs what is returned.
DOUBLED = "|".join(["[.,.]"] * 30)


@pytest.mark.parametrize(
    ("value", "query"),
    [
        (1, "|".join(["(.,.)"] * 30)),
        (1, DOUBLED),
        (1, f"{DOUBLED}|tostring"),
        (1, f"{DOUBLED}|flatten"),
        (1, f"[{DOUBLED}]|sort"),
        (1, f"[{DOUBLED}]|unique_by(.)"),
        (1, "|".join(["{a:.,b:.}"] * 30)),
        ("ab", "|".join([".+."] * 31)),
        ([1], "|".join([".+."] * 31)),
        (None, "{" + ",".join(f"a{number}:(1,2)" for number in range(30)) + "}"),
        (NUMBERS, "[.[]+.[]+.[]]"),
        (NUMBERS, "[.[]|tostring]|[.[]<.[]]|length"),
        ([[number] for number in NUMBERS], ". - map(.)"),
        ([[number] for number in NUMBERS], "[.[]==.[]]|length"),
        (LONG, '[split("")[]|.,.]|join("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")'),
        (LONG, 'split("")|map(.)|length'),
        ([LONG] * 200, 'map(test("(.*a){25}b"))'),
        ([LONG] * 200, "sort|length"),
        ([[number, 0] for number in NUMBERS] * 2, "sort|length"),
        (NUMBERS * 10, "sort|length"),
        ([LONG] * 200, "[.[]==(.[]|.+.)]"),
        (["a", "b"], "map(test(.))"),
    ],
)
def test_a_bomb_ends_when_the_steps_are_used_up(value: Any, query: str) -> None:
    with pytest.raises(LimitExceeded, match="100,000 steps"):
        outputs(query, value, 100_000)


def test_running_out_of_steps_cannot_be_caught_inside_the_filter() -> None:
    with pytest.raises(LimitExceeded, match="steps"):
        outputs("([.[]+.[]+.[]])? // 1", NUMBERS, 100_000)


def test_a_filter_has_limits_of_its_own() -> None:
    assert Jq("." + " " * (LONGEST_FILTER - 1)).run(1) == [1]
    for query, said in [
        ("." * (LONGEST_FILTER + 1), "1,025 characters"),
        ("1" + "+1" * 65, "64 operators"),
        ("-" * 66 + "1", "64 operators"),
        ("(" * 33 + "1", "32 brackets"),
        ("[" * 33 + "1", "32 brackets"),
        ("{a:" * 33 + "1", "32 brackets"),
        ("map(" * 33 + "1", "32 brackets"),
        (".[" * 33 + "1", "32 brackets"),
    ]:
        with pytest.raises(LimitExceeded, match=said):
            Jq(query)
    assert Jq("1" + "+1" * 64).run(None) == [65]
    assert Jq("[" * 32 + "1" + "]" * 32).run(None)


def test_values_that_the_filter_nests_too_deeply_are_refused() -> None:
    value: Any = 1
    for _ in range(200):
        value = [value]
    assert outputs(".", value) == [value]
    for query in ("[.]", "[.]|[.]|tostring", "[[.]]|sort", "[[.]]|[.]|flatten", "[.]|[.]|. < 1"):
        with pytest.raises(LimitExceeded, match="levels deep"):
            outputs(query, value)


def test_a_stack_that_is_almost_used_up_is_a_refusal_too() -> None:
    def deep(left: int, query: str | Jq) -> None:
        if left:
            deep(left - 1, query)
        elif isinstance(query, Jq):
            query.run(None)
        else:
            Jq(query)

    frames = len(inspect.stack(0))
    nested = "[" * 32 + "1" + "]" * 32
    for query in (nested, Jq(nested)):
        with pytest.raises(LimitExceeded, match="too deep"):
            deep(sys.getrecursionlimit() - frames - 30, query)


WORDS = """. .. .a [ ] ( ) { } | , : ? // == < + - * / % "a" 1 null and or not map( select( keys add
    length sort group_by( to_entries tostring first # a $x @text \\ " """
words = st.sampled_from(WORDS.split())
values = st.recursive(
    st.sampled_from([None, True, 0, 1.5, "a", "b"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner),
    max_leaves=8,
)


@given(st.lists(words, max_size=12).map(" ".join), values)
def test_any_text_is_a_filter_or_is_refused(query: str, value: Any) -> None:
    with suppress(InputRefused):
        outputs(query, value)


@given(values)
def test_sorting_agrees_with_comparing(value: Any) -> None:
    items = value if isinstance(value, list) else [value]
    [ordered] = outputs("sort", items)
    assert all(outputs(".[0] <= .[1]", list(pair)) == [True] for pair in pairwise(ordered))
    assert len(ordered) == len(items)
    [groups] = outputs("group_by(.)", items)
    assert [item for group in groups for item in group] == ordered


def test_a_filter_shows_itself() -> None:
    assert repr(Jq(".a")) == "Jq('.a')"
