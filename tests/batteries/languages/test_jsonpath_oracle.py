"""JSONPath against another implementation, `jsonpath-rfc9535`, on made-up paths and documents.

Left out of the paths is what that library gets wrong: `[?@]` of false and 0, count() and value() of
a bare `@`, and several selectors beside a filter inside a function.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import jsonpath_rfc9535
from hypothesis import given
from hypothesis import strategies as st

from tether.batteries.languages.json.jsonpath import JsonPath
from tether.core.errors import InputRefused

Texts = st.SearchStrategy[str]

NAMES = ("a", "b", "é", "_1")
blanks = st.sampled_from(["", "", "", " ", "\n\t"])
names = st.sampled_from(NAMES)
quoted = st.builds(lambda name, quote: f"{quote}{name}{quote}", names, st.sampled_from("'\""))
integers = st.integers(-4, 4).map(str)
bounds = st.just("") | integers
slices = st.builds(lambda *parts: ":".join(parts), bounds, bounds) | st.builds(
    lambda *parts: ":".join(parts), bounds, bounds, st.sampled_from(["", "1", "2", "-1", "-2", "0"])
)
literals = st.sampled_from(
    ["1", "0", "-0", "1.0", "2.5", "-1e1", "true", "false", "null", "'a'", '"b"', "'\\u00e9'", "''"]
)
operators = st.sampled_from(["==", "!=", "<", "<=", ">", ">="])
patterns = st.sampled_from(
    ["'a.*'", "'[ab]+'", "'.'", "'b|é'", "'(ab)?'", "'a{1,2}'", "'\\\\p{L}'", "@.a", "'.b'"]
)
roots = st.sampled_from("@@@$")


def joined(*parts: Texts) -> Texts:
    return st.tuples(*parts).map("".join)


singular_segments = joined(st.just("."), names) | joined(
    st.just("["), quoted | integers, st.just("]")
)
singular_paths = joined(roots, st.lists(singular_segments, max_size=2).map("".join))
regular_expressions = joined(
    st.sampled_from(["match(", "search("]),
    singular_paths,
    blanks,
    st.just(","),
    patterns,
    st.just(")"),
)


def segments(depth: int, *, alone: bool = False) -> Texts:
    """Segments with filters so many levels deep; `alone` puts no selector beside another."""
    plain = quoted | st.just("*") | integers | slices
    selectors = plain | joined(st.just("?"), blanks, conditions(depth - 1)) if depth else plain
    most = 1 if alone else 3
    listed = st.lists(selectors, min_size=1, max_size=most).map(" ,".join)
    bracketed = joined(st.just("["), blanks, listed, blanks, st.just("]"))
    shorthand = names | st.just("*")
    return (
        joined(blanks, bracketed)
        | joined(blanks, st.just("."), shorthand)
        | joined(blanks, st.just(".."), shorthand | bracketed)
    )


def paths(depth: int, *, alone: bool = False) -> Texts:
    some = st.lists(segments(depth, alone=alone), min_size=1, max_size=2).map("".join)
    return joined(roots, some)


def conditions(depth: int) -> Texts:
    inside = paths(max(0, depth), alone=True)
    functions = (
        joined(st.just("length("), singular_paths | literals, st.just(")"))
        | joined(st.just("count("), inside, st.just(")"))
        | joined(st.just("value("), inside, st.just(")"))
    )
    operands = literals | singular_paths | functions
    basic = (
        joined(operands, blanks, operators, blanks, operands)
        | joined(st.sampled_from(["", "!"]), paths(max(0, depth)))
        | joined(st.sampled_from(["", "! "]), regular_expressions)
    )
    both = joined(basic, blanks, st.sampled_from(["&&", "||"]), blanks, basic)
    return basic | both | joined(st.sampled_from(["(", "!("]), both, st.just(")"))


whole_paths = joined(st.just("$"), st.lists(segments(2), max_size=3).map("".join))
leaves = st.sampled_from([0, 1, 1.0, 2.5, -10, True, False, None, "", "a", "ab", "é", "x\ry"])
documents = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4),
    max_leaves=12,
)


@given(whole_paths, documents)
def test_both_find_the_same(path: str, document: Any) -> None:
    expected = jsonpath_rfc9535.find(path, document).values()
    assert json.dumps(JsonPath(path).find(document)) == json.dumps(expected)


@given(st.text(st.sampled_from("$@.[]*?'\"\\ :,-019abtruenl()!&|=<>é\n"), max_size=12))
def test_any_text_is_a_path_or_is_refused(text: str) -> None:
    for path in (text, f"${text}", f"$[?{text}]"):
        with suppress(InputRefused):
            JsonPath(path).find({"a": [1, {"b": None}]})
